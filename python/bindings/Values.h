// Python values to compile-time constants and back.
#pragma once

#include "Py.h"

#include "phobos/Driver/Contract.h"

#include <optional>

namespace phobos::python {

/// int, float, bool, None, str, dtype of phobos.lang, tuples of them; nothing for any other type. No exception is set.
std::optional<ConstantValue> toConstant(PyObject *value);
/// A new reference; null with an exception set.
PyObject *fromConstant(const ConstantValue &value);
/// The dtype that an object of phobos.lang stands for.
std::optional<DType> toDType(PyObject *value);
/// A dict by name; a new reference, or null with an exception set.
PyObject *fromConstants(const Constants &constants);

} // namespace phobos::python
