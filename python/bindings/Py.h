// CPython's header and the few helpers that every file of the binding uses.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "phobos/runtime/Result.h"

#include <utility>

namespace phobos::python {

/// An owned reference.
class Ref {
public:
  Ref() = default;
  /// Takes over a new reference, which may be null.
  explicit Ref(PyObject *owned) : object_(owned) {}
  static Ref borrow(PyObject *object) { return Ref(Py_XNewRef(object)); }
  Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref &operator=(Ref &&other) noexcept {
    Ref old(std::exchange(object_, std::exchange(other.object_, nullptr)));
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  PyObject *get() const { return object_; }
  PyObject *release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

private:
  PyObject *object_ = nullptr;
};

/// The GIL given up for a while.
class WithoutGil {
public:
  WithoutGil() : state(PyEval_SaveThread()) {}
  ~WithoutGil() { PyEval_RestoreThread(state); }
  WithoutGil(const WithoutGil &) = delete;
  WithoutGil &operator=(const WithoutGil &) = delete;

private:
  PyThreadState *state;
};

/// The GIL taken by a thread of any kind.
class WithGil {
public:
  WithGil() : state(PyGILState_Ensure()) {}
  ~WithGil() { PyGILState_Release(state); }
  WithGil(const WithGil &) = delete;
  WithGil &operator=(const WithGil &) = delete;

private:
  PyGILState_STATE state;
};

/// Sets the exception that belongs to the kind of error; returns null for `return raise(…)`.
PyObject *raise(const runtime::Error &error);

} // namespace phobos::python
