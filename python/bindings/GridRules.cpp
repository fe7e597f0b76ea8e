// Grid rules and what their answers depend on; see GridRules.h.
#include "GridRules.h"

#include "Values.h"

#include <cstring>
#include <unordered_set>

namespace phobos::python {

using runtime::CachedGrid;
using runtime::Grid;
using runtime::Plan;

namespace {

constexpr int kMaxDepth = 4; // functions that call functions, modules in modules

// Tags keep a number from looking like an address.
constexpr uint64_t kInt = 1, kFloat = 2, kAbsent = 3, kTuple = 4, kFunction = 5;

/// Objects that remembered fingerprints name: alive, so that an address means one object. Guarded by the GIL.
struct Kept {
  static constexpr size_t kMaxObjects = 4096;
  std::unordered_set<PyObject *> objects;
  uint64_t epoch = 0;

  void keep(PyObject *object) {
    if (objects.insert(object).second) {
      Py_INCREF(object);
    }
  }
  /// Code made on the fly must not fill memory: everything is forgotten, and answers of older epochs with it.
  void startAgain() {
    std::unordered_set<PyObject *> old = std::move(objects);
    objects.clear();
    ++epoch;
    for (PyObject *object : old) {
      Py_DECREF(object);
    }
  }
};

Kept &kept() {
  static Kept &instance = *new Kept;
  return instance;
}

} // namespace

Fingerprint::Fingerprint(PyObject *rule) {
  known_ = PyFunction_Check(rule) && function(rule, 0);
  PyErr_Clear();
}

bool Fingerprint::word(uint64_t value) {
  if (wordCount_ == kMaxWords) {
    return false;
  }
  words_[wordCount_++] = value;
  return true;
}

bool Fingerprint::object(PyObject *object) {
  if (objectCount_ == kMaxWords) {
    return false;
  }
  objects_[objectCount_++] = object;
  return word(reinterpret_cast<uint64_t>(object));
}

bool Fingerprint::function(PyObject *function, int depth) {
  auto *f = reinterpret_cast<PyFunctionObject *>(function);
  auto *code = reinterpret_cast<PyCodeObject *>(f->func_code);
  if (depth > kMaxDepth || f->func_kwdefaults || !object(f->func_code)) {
    return false;
  }
  for (PyObject *group : {f->func_defaults, f->func_closure}) {
    for (Py_ssize_t i = 0; group && i < PyTuple_GET_SIZE(group); ++i) {
      PyObject *item = PyTuple_GET_ITEM(group, i);
      PyObject *held = PyCell_Check(item) ? PyCell_GET(item) : item;
      if (!held || !value(held, code->co_names, depth)) {
        return false;
      }
    }
  }
  PyObject *builtins = f->func_builtins && PyDict_CheckExact(f->func_builtins) ? f->func_builtins : nullptr;
  return names(f->func_code, f->func_globals, builtins, depth);
}

bool Fingerprint::names(PyObject *codeObject, PyObject *globals, PyObject *builtins, int depth) {
  auto *code = reinterpret_cast<PyCodeObject *>(codeObject);
  // co_names holds globals and attributes alike; an attribute that happens to name a global costs a comparison.
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_names); ++i) {
    PyObject *name = PyTuple_GET_ITEM(code->co_names, i);
    PyObject *found = PyDict_GetItemWithError(globals, name);
    if (!found && builtins) {
      found = PyDict_GetItemWithError(builtins, name);
    }
    if (found ? !value(found, code->co_names, depth) : !word(kAbsent)) {
      return false;
    }
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); ++i) { // comprehensions and inner functions
    PyObject *constant = PyTuple_GET_ITEM(code->co_consts, i);
    if (PyCode_Check(constant) && (depth >= kMaxDepth || !names(constant, globals, builtins, depth + 1))) {
      return false;
    }
  }
  return true;
}

bool Fingerprint::value(PyObject *value, PyObject *attributes, int depth) {
  if (PyLong_CheckExact(value)) {
    int overflow = 0;
    int64_t integer = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow ? object(value) : word(kInt) && word(static_cast<uint64_t>(integer));
  }
  if (PyFloat_CheckExact(value)) {
    uint64_t bits;
    double real = PyFloat_AS_DOUBLE(value);
    std::memcpy(&bits, &real, sizeof bits);
    return word(kFloat) && word(bits);
  }
  if (PyBool_Check(value) || value == Py_None || PyUnicode_CheckExact(value) || PyCFunction_CheckExact(value)) {
    if (PyCFunction_CheckExact(value)) { // a bound method of an object may answer differently tomorrow
      PyObject *self = PyCFunction_GET_SELF(value);
      if (self && !PyModule_Check(self)) {
        return false;
      }
    }
    return object(value);
  }
  if (PyTuple_CheckExact(value)) {
    if (!word(kTuple) || !word(static_cast<uint64_t>(PyTuple_GET_SIZE(value)))) {
      return false;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
      if (!this->value(PyTuple_GET_ITEM(value, i), nullptr, depth)) {
        return false;
      }
    }
    return true;
  }
  if (PyType_Check(value)) { // int, range and such; a class of Python's has attributes that change
    return !PyType_HasFeature(reinterpret_cast<PyTypeObject *>(value), Py_TPFLAGS_HEAPTYPE) && object(value);
  }
  if (PyFunction_Check(value)) {
    return word(kFunction) && function(value, depth + 1);
  }
  if (PyModule_CheckExact(value)) {
    if (depth > kMaxDepth || !object(value)) {
      return false;
    }
    PyObject *contents = PyModule_GetDict(value);
    for (Py_ssize_t i = 0; attributes && i < PyTuple_GET_SIZE(attributes); ++i) {
      PyObject *found = PyDict_GetItemWithError(contents, PyTuple_GET_ITEM(attributes, i));
      if (found ? !this->value(found, attributes, depth + 1) : !word(kAbsent)) {
        return false;
      }
    }
    return true;
  }
  return false;
}

const Grid *Fingerprint::find(const Plan &plan) const {
  for (const CachedGrid &entry : plan.grids) {
    if (entry.fingerprint.size() == wordCount_ && entry.epoch == kept().epoch &&
        std::memcmp(entry.fingerprint.data(), words_.data(), wordCount_ * sizeof(uint64_t)) == 0) {
      return &entry.grid;
    }
  }
  return nullptr;
}

void Fingerprint::remember(const Plan &plan, const Grid &grid) const {
  if (kept().objects.size() > Kept::kMaxObjects) {
    kept().startAgain();
  }
  for (size_t i = 0; i < objectCount_; ++i) {
    kept().keep(objects_[i]);
  }
  if (plan.grids.size() >= Plan::kMaxGrids) {
    plan.grids.erase(plan.grids.begin());
  }
  plan.grids.push_back({{words_.begin(), words_.begin() + wordCount_}, kept().epoch, grid});
}

std::optional<Grid> toGrid(PyObject *value) {
  auto axis = [](PyObject *item, int64_t &out) {
    Ref index(PyNumber_Index(item));
    int overflow = 0;
    out = index ? PyLong_AsLongLongAndOverflow(index.get(), &overflow) : 0;
    if (overflow) {
      out = overflow > 0 ? INT64_MAX : INT64_MIN; // past the hardware's limit all the same
    }
    return static_cast<bool>(index);
  };
  Grid grid;
  if (PyTuple_Check(value)) {
    Py_ssize_t count = PyTuple_GET_SIZE(value);
    int64_t *axes[] = {&grid.x, &grid.y, &grid.z};
    if (count < 1 || count > 3) {
      PyErr_Format(PyExc_TypeError, "grid: expected one to three ints, got a tuple of %zd", count);
      return std::nullopt;
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (!axis(PyTuple_GET_ITEM(value, i), *axes[i])) {
        PyErr_Format(PyExc_TypeError, "grid: expected ints, got %s along axis %zd",
                     Py_TYPE(PyTuple_GET_ITEM(value, i))->tp_name, i);
        return std::nullopt;
      }
    }
    return grid;
  }
  if (PyIndex_Check(value) && axis(value, grid.x)) {
    return grid;
  }
  PyErr_Format(PyExc_TypeError,
               "grid: expected an int, a tuple of one to three ints, or a callable that returns one; got %s",
               Py_TYPE(value)->tp_name);
  return std::nullopt;
}

std::optional<Grid> callRule(PyObject *rule, const KernelInfo &info, const std::vector<int64_t> &dims,
                             const Constants &constants) {
  Ref meta(fromConstants(constants));
  for (size_t i = 0; meta && i < dims.size(); ++i) {
    Ref extent(PyLong_FromLongLong(dims[i]));
    if (!extent || PyDict_SetItemString(meta.get(), info.dims[i].c_str(), extent.get()) < 0) {
      return std::nullopt;
    }
  }
  Ref answer(meta ? PyObject_CallOneArg(rule, meta.get()) : nullptr);
  if (!answer) {
    return std::nullopt;
  }
  if (PyList_Check(answer.get())) {
    Ref tuple(PyList_AsTuple(answer.get()));
    return tuple ? toGrid(tuple.get()) : std::nullopt;
  }
  return toGrid(answer.get());
}

} // namespace phobos::python
