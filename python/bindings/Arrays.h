// Arrays and numbers of any Python library as runtime::Argument, without importing that library. In order of speed:
// DLPack's C exchange API; torch's own attributes; __cuda_array_interface__; __dlpack__; __array_interface__.
#pragma once

#include "Dlpack.h"
#include "Py.h"

#include "phobos/runtime/Arguments.h"

#include <memory>
#include <string>
#include <vector>

namespace phobos::python {

/// What one launch borrows from its arguments, until it ends.
class Borrowed {
public:
  Borrowed() = default;
  ~Borrowed();
  Borrowed(const Borrowed &) = delete;
  Borrowed &operator=(const Borrowed &) = delete;

  /// Room for extents and strides that the producer does not keep itself.
  int64_t *room(size_t count);
  /// The text, for as long.
  const char *keep(std::string text);

  std::vector<dlpack::ManagedTensor *> managed;
  std::vector<dlpack::ManagedTensorVersioned *> versioned;

  /// Where the launch goes if the caller names no stream: told by the first array.
  const dlpack::ExchangeApi *api = nullptr; // ask it
  PyObject *torchLike = nullptr;            // borrowed: ask torch
  void *stream = nullptr;                   // its __cuda_array_interface__ names this one
  bool streamKnown = false;

private:
  std::vector<std::unique_ptr<int64_t[]>> rooms_;
  std::vector<std::unique_ptr<std::string>> texts_;
};

/// Never fails: what is neither an array nor a number becomes Argument::Kind::Other, for the binder to refuse by name.
/// No exception is left set.
void toArray(PyObject *object, runtime::Argument &out, Borrowed &borrowed);
void toScalar(PyObject *object, runtime::Argument &out, Borrowed &borrowed);

/// The stream that a `stream=` argument means: an int, a torch or CuPy stream, None. False with an exception set.
bool toStream(PyObject *object, void *&stream);
/// The stream to launch on when none is named. False with an exception set.
bool currentStream(const Borrowed &borrowed, int device, void *&stream);

} // namespace phobos::python
