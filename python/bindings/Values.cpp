// Python values to compile-time constants and back; see Values.h.
#include "Values.h"

#include <cstring>

namespace phobos::python {
namespace {

/// phobos.lang.DType, once that module is imported; borrowed.
PyObject *dtypeClass() {
  static PyObject *cls = nullptr;
  if (!cls) {
    Ref module(PyImport_ImportModule("phobos.lang"));
    cls = module ? PyObject_GetAttrString(module.get(), "DType") : nullptr;
    if (!cls) {
      PyErr_Clear();
    }
  }
  return cls;
}

} // namespace

std::optional<DType> toDType(PyObject *value) {
  PyObject *cls = dtypeClass();
  if (!cls || !PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject *>(cls))) {
    return std::nullopt;
  }
  Ref name(PyObject_GetAttrString(value, "name"));
  const char *text = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
  if (!text) {
    PyErr_Clear();
    return std::nullopt;
  }
  return parseDType(text);
}

std::optional<ConstantValue> toConstant(PyObject *value) {
  if (value == Py_None) {
    return ConstantValue{};
  }
  if (PyBool_Check(value)) {
    return ConstantValue::ofBool(value == Py_True);
  }
  if (PyLong_Check(value)) {
    int overflow = 0;
    int64_t integer = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow ? std::nullopt : std::optional(ConstantValue::ofInt(integer));
  }
  if (PyFloat_Check(value)) {
    return ConstantValue::ofFloat(PyFloat_AS_DOUBLE(value));
  }
  if (PyUnicode_Check(value)) {
    const char *text = PyUnicode_AsUTF8(value);
    if (!text) {
      PyErr_Clear();
      return std::nullopt;
    }
    ConstantValue result;
    result.kind = ConstantValue::Kind::String;
    result.text = text;
    return result;
  }
  if (PyTuple_Check(value)) {
    ConstantValue result;
    result.kind = ConstantValue::Kind::Tuple;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
      auto item = toConstant(PyTuple_GET_ITEM(value, i));
      if (!item) {
        return std::nullopt;
      }
      result.items.push_back(std::move(*item));
    }
    return result;
  }
  if (auto dtype = toDType(value)) {
    return ConstantValue::ofType(*dtype);
  }
  return std::nullopt;
}

PyObject *fromConstant(const ConstantValue &value) {
  switch (value.kind) {
  case ConstantValue::Kind::None:
    return Py_NewRef(Py_None);
  case ConstantValue::Kind::Bool:
    return PyBool_FromLong(value.integer != 0);
  case ConstantValue::Kind::Int:
    return PyLong_FromLongLong(value.integer);
  case ConstantValue::Kind::Float:
    return PyFloat_FromDouble(value.real);
  case ConstantValue::Kind::String:
    return PyUnicode_FromStringAndSize(value.text.data(), static_cast<Py_ssize_t>(value.text.size()));
  case ConstantValue::Kind::Type: {
    Ref module(PyImport_ImportModule("phobos.lang"));
    return module ? PyObject_GetAttrString(module.get(), std::string(name(value.dtype)).c_str()) : nullptr;
  }
  case ConstantValue::Kind::Tuple: {
    Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(value.items.size())));
    for (size_t i = 0; tuple && i < value.items.size(); ++i) {
      PyObject *item = fromConstant(value.items[i]);
      if (!item) {
        return nullptr;
      }
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item);
    }
    return tuple.release();
  }
  }
  return Py_NewRef(Py_None);
}

PyObject *fromConstants(const Constants &constants) {
  Ref dict(PyDict_New());
  for (const auto &[name, value] : constants) {
    Ref item(fromConstant(value));
    if (!dict || !item || PyDict_SetItemString(dict.get(), name.c_str(), item.get()) < 0) {
      return nullptr;
    }
  }
  return dict.release();
}

} // namespace phobos::python
