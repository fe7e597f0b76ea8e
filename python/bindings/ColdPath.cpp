// What happens once: reading a kernel's source, finding its captured names, and the first launch of each kind.
#include "Captures.h"

#include "KernelObject.h"
#include "Values.h"

#include <algorithm>
#include <cstring>

namespace phobos::python {

using runtime::Argument;
using runtime::Error;
using runtime::Grid;
using runtime::Plan;
using runtime::Result;
using runtime::Status;

namespace {

/// A Python exception on its way through C++ that has no place for it.
class Stash {
public:
  ~Stash() {
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
  }
  Error take() {
    PyErr_Fetch(&type, &value, &trace);
    return Error::launch("error: a Python function raised an exception\n");
  }
  bool restore() {
    if (!type) {
      return false;
    }
    PyErr_Restore(std::exchange(type, nullptr), std::exchange(value, nullptr), std::exchange(trace, nullptr));
    return true;
  }

private:
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
};

bool sameNumber(PyObject *a, PyObject *b) {
  if (PyLong_CheckExact(a) && PyLong_CheckExact(b)) {
    return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
  }
  return PyFloat_CheckExact(a) && PyFloat_CheckExact(b) &&
         std::memcmp(&reinterpret_cast<PyFloatObject *>(a)->ob_fval, &reinterpret_cast<PyFloatObject *>(b)->ob_fval,
                     sizeof(double)) == 0; // 0.0 and -0.0 are two constants
}

/// Borrowed; null if the name is bound to nothing.
PyObject *currentValue(const Capture &capture) {
  return PyCell_Check(capture.holder.get()) ? PyCell_GET(capture.holder.get())
                                            : PyDict_GetItemWithError(capture.holder.get(), capture.name.get());
}

/// Where a name of the kernel lives: a variable of an enclosing function that the body uses, one that only annotations
/// or decorators use (`enclosing`), or the module. Empty: nowhere.
Capture findCapture(const std::string &name, PyObject *function, PyObject *enclosing) {
  auto *f = reinterpret_cast<PyFunctionObject *>(function);
  Capture capture;
  capture.name = Ref(PyUnicode_InternFromString(name.c_str()));
  Ref code(PyObject_GetAttrString(function, "__code__"));
  Ref free(code ? PyObject_GetAttrString(code.get(), "co_freevars") : nullptr);
  for (Py_ssize_t i = 0; free && f->func_closure && i < PyTuple_GET_SIZE(free.get()); ++i) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(free.get(), i), name.c_str()) == 0) {
      capture.holder = Ref::borrow(PyTuple_GET_ITEM(f->func_closure, i));
      return capture;
    }
  }
  PyErr_Clear();
  bool inEnclosing = enclosing != Py_None && PyDict_GetItemWithError(enclosing, capture.name.get());
  capture.holder = Ref::borrow(inEnclosing ? enclosing : f->func_globals);
  return capture;
}

/// Modules, functions and classes are for the compiler to judge by the text; anything else must be a constant.
bool isForTheCompiler(PyObject *value) {
  return PyModule_Check(value) || PyCallable_Check(value) || PyType_Check(value);
}

/// phobos.lang.Function, where a device function of another file was imported; borrowed, or null.
bool isDeviceFunction(PyObject *value) {
  return PyObject_HasAttrString(reinterpret_cast<PyObject *>(Py_TYPE(value)), "__phobos_function__");
}

std::string textOf(PyObject *object, const char *attribute) {
  Ref value(PyObject_GetAttrString(object, attribute));
  const char *text = value && PyUnicode_Check(value.get()) ? PyUnicode_AsUTF8(value.get()) : nullptr;
  std::string result = text ? text : "?";
  PyErr_Clear();
  return result;
}

/// As Python has evaluated them when it came to the kernel; null where a parameter has none.
std::vector<Ref> defaultsOf(PyObject *function, const std::vector<ParameterInfo> &parameters) {
  std::vector<Ref> defaults(parameters.size());
  auto *f = reinterpret_cast<PyFunctionObject *>(function);
  auto positional = static_cast<size_t>(reinterpret_cast<PyCodeObject *>(f->func_code)->co_argcount);
  PyObject *last = PyFunction_GetDefaults(function), *named = PyFunction_GetKwDefaults(function);
  size_t count = last && PyTuple_Check(last) ? static_cast<size_t>(PyTuple_GET_SIZE(last)) : 0;
  for (size_t i = 0; i < count && positional <= parameters.size(); ++i) {
    defaults[positional - count + i] = Ref::borrow(PyTuple_GET_ITEM(last, static_cast<Py_ssize_t>(i)));
  }
  for (size_t i = positional; named && i < parameters.size(); ++i) {
    if (PyObject *value = PyDict_GetItemString(named, parameters[i].name.c_str())) {
      defaults[i] = Ref::borrow(value);
    }
  }
  return defaults;
}

/// A list of (importer, name, path, function) and texts by path; false with an exception set.
bool readImports(PyObject *functions, PyObject *texts, Imports &imports) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(functions); ++i) {
    const char *importer, *name, *path, *function;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(functions, i), "ssss", &importer, &name, &path, &function)) {
      return false;
    }
    imports.functions.push_back({importer, name, path, function});
  }
  PyObject *path, *text;
  for (Py_ssize_t at = 0; PyDict_Next(texts, &at, &path, &text);) {
    const char *pathText = PyUnicode_AsUTF8(path), *whole = PyUnicode_AsUTF8(text);
    if (!pathText || !whole) {
      return false;
    }
    imports.texts.emplace(pathText, whole);
  }
  return true;
}

/// Extents and strides copied, since other threads run while the kernel compiles.
void ownShapes(CallFrame &frame, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (frame.arguments[i].kind != Argument::Kind::Tensor) {
      continue;
    }
    runtime::TensorArgument &tensor = frame.arguments[i].tensor;
    size_t rank = static_cast<size_t>(std::max(tensor.rank, 0));
    int64_t *room = frame.borrowed.room(2 * rank);
    std::copy_n(tensor.extents, rank, room);
    tensor.extents = room;
    if (tensor.strides) {
      std::copy_n(tensor.strides, rank, room + rank);
      tensor.strides = room + rank;
    }
  }
}

} // namespace

bool capturesUnchanged(KernelState &state) {
  for (Capture &capture : state.captures) {
    PyObject *now = currentValue(capture), *then = capture.value.get();
    if (now == then) [[likely]] {
      continue;
    }
    if (!now || !then || !sameNumber(now, then)) {
      return false;
    }
    capture.value = Ref::borrow(now);
  }
  return true;
}

bool refreshCaptures(KernelObject *self) {
  KernelState &state = *self->state;
  const runtime::Signature &signature = state.kernel->signature();
  Constants values;
  for (Capture &capture : state.captures) {
    PyObject *now = currentValue(capture);
    capture.value = Ref::borrow(now);
    const char *text = PyUnicode_AsUTF8(capture.name.get());
    std::string name = text ? text : "?";
    if (!now) {
      continue; // the compiler knows whether the text alone gives it a value
    }
    if (isDeviceFunction(now)) {
      if (textOf(now, "path") == signature.path()) {
        continue;
      }
      raise(signature.compileError(
          "the source of the device function `" + name + "`, " + textOf(now, "place") + ", cannot be read",
          "kernels are compiled from their text; put the function in a file or a notebook cell"));
      capture.value = Ref();
      return false;
    }
    auto constant = toConstant(now);
    if (!constant && isForTheCompiler(now)) {
      continue;
    }
    if (!constant) {
      std::string what =
          PyLong_Check(now) ? "an int of more than 64 bits" : std::string("a value of type ") + Py_TYPE(now)->tp_name;
      raise(signature.compileError("`" + name + "` is " + what +
                                       "; a kernel sees int, float, bool, dtype and tuples of them from around it",
                                   PyLong_Check(now)   ? ""
                                   : PyList_Check(now) ? "make it a tuple"
                                                       : "pass it as an argument"));
      capture.value = Ref(); // compared, and refused, again
      return false;
    }
    values.emplace_back(std::move(name), std::move(*constant));
  }
  state.captureSet = state.kernel->captureSet(values);
  return true;
}

KernelObject *readyKernel(PyObject *object) {
  if (!isKernel(object)) {
    PyErr_Format(PyExc_TypeError, "expected a kernel, got %s", Py_TYPE(object)->tp_name);
    return nullptr;
  }
  auto *self = reinterpret_cast<KernelObject *>(object);
  KernelState &state = *self->state;
  if (state.kernel) {
    return self;
  }
  // (path, text, name, first line, function, variables of enclosing functions, imported functions, texts of their
  // files)
  Ref source(PyObject_CallMethod(object, "_source", nullptr));
  const char *path, *text, *name;
  Py_ssize_t pathBytes, textBytes;
  int line;
  PyObject *function, *enclosing, *functions, *texts;
  if (!source ||
      !PyArg_ParseTuple(source.get(), "s#s#siO!OO!O!", &path, &pathBytes, &text, &textBytes, &name, &line,
                        &PyFunction_Type, &function, &enclosing, &PyList_Type, &functions, &PyDict_Type, &texts)) {
    return nullptr;
  }
  Imports imports;
  if (!readImports(functions, texts, imports)) {
    return nullptr;
  }
  std::string pathCopy(path, pathBytes), textCopy(text, textBytes), nameCopy(name);
  Result<std::shared_ptr<runtime::Kernel>> created = [&] {
    WithoutGil released;
    return runtime::Kernel::create(std::move(pathCopy), std::move(textCopy), nameCopy, line, {}, imports);
  }();
  if (!created) {
    raise(created.error());
    return nullptr;
  }
  if (state.kernel) { // another thread was first
    return self;
  }
  std::vector<Capture> captures;
  for (const std::string &captured : (*created)->info().captures) {
    captures.push_back(findCapture(captured, function, enclosing));
  }
  for (const ParameterInfo &parameter : (*created)->info().parameters) {
    state.names.emplace_back(PyUnicode_InternFromString(parameter.name.c_str()));
  }
  state.defaults = defaultsOf(function, (*created)->info().parameters);
  state.captures = std::move(captures);
  state.kernel = std::move(*created);
  return refreshCaptures(self) ? self : nullptr;
}

std::shared_ptr<const Plan> coldPlan(KernelObject *self, CallFrame &frame, const LauncherObject *launcher,
                                     void *stream) {
  runtime::Kernel &kernel = *self->state->kernel; // alive: the caller holds the launcher, and that the kernel
  size_t count = kernel.info().parameters.size();
  ownShapes(frame, count);
  const runtime::Call call = frame.call(*self);
  Stash stash;
  runtime::Host host;
  host.stream = stream;
  host.grid = [&](const std::vector<int64_t> &dims, const Constants &constants) -> Result<Grid> {
    if (!launcher) {
      return kernel.signature().launchError(nullptr,
                                            "kernel `" + kernel.info().name + "` is not tuned for these arguments",
                                            "launch it with them, or give best() the grid: best(…, grid=…)");
    }
    if (!launcher->isRule) {
      return launcher->grid;
    }
    WithGil held;
    auto grid = callRule(launcher->given, kernel.info(), dims, constants);
    return grid ? Result<Grid>(*grid) : stash.take();
  };
  Ref reference(PyObject_GetAttrString(reinterpret_cast<PyObject *>(self), "reference"));
  if (!reference) {
    PyErr_Clear();
  } else if (reference.get() != Py_None) {
    host.reference = [&]() -> Status {
      WithGil held;
      Ref result(PyObject_Vectorcall(reference.get(), frame.objects.data(), count, nullptr));
      return result ? Status() : stash.take();
    };
  }
  Result<std::shared_ptr<const Plan>> plan = [&] {
    WithoutGil released;
    return kernel.plan(call, host);
  }();
  if (!plan) {
    if (!stash.restore()) {
      raise(plan.error());
    }
    return nullptr;
  }
  return std::move(*plan);
}

PyObject *raise(const Error &error) {
  const char *name = "LaunchError";
  switch (error.kind) {
  case Error::Kind::Compile:
    name = "CompileError";
    break;
  case Error::Kind::Launch:
    break;
  case Error::Kind::Simulation:
    name = "SimulationError";
    break;
  case Error::Kind::Interrupt: // by a signal, whose handler's exception is set already
    if (!PyErr_Occurred()) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
    return nullptr;
  }
  Ref module(PyImport_ImportModule("phobos.errors"));
  Ref cls(module ? PyObject_GetAttrString(module.get(), name) : nullptr);
  Ref text(PyUnicode_DecodeUTF8(error.text.data(), static_cast<Py_ssize_t>(error.text.size()), "replace"));
  Ref exception(cls && text ? PyObject_CallOneArg(cls.get(), text.get()) : nullptr);
  if (exception && !error.reproducer.empty()) {
    Ref where(PyUnicode_DecodeFSDefault(error.reproducer.c_str()));
    if (!where || PyObject_SetAttrString(exception.get(), "reproducer", where.get()) < 0) {
      PyErr_Clear();
    }
  }
  if (exception) {
    PyErr_SetObject(cls.get(), exception.get());
  }
  return nullptr;
}

} // namespace phobos::python
