// Grids: ints and tuples read at once; callables called, and their answers remembered.
//
// `kernel[lambda meta: …]` in a loop makes a new function object each time, and a function may read variables that
// change, so neither its identity nor its code tells whether an old answer still holds. A rule's fingerprint does: its
// code, and the values of all that its code names, as far as those are immutable (numbers, strings, tuples of them),
// modules, built-ins and functions of the same kind. A rule that names anything else, an object or a list, has no
// fingerprint and is called at each launch. For a rule that reads only `meta`, the usual case, the fingerprint is one
// word.
#pragma once

#include "Py.h"

#include "phobos/runtime/Kernel.h"

#include <array>
#include <cstdint>
#include <optional>

namespace phobos::python {

class Fingerprint {
public:
  static constexpr size_t kMaxWords = 64;

  /// `rule` must be callable.
  explicit Fingerprint(PyObject *rule);

  bool known() const { return known_; }
  /// The answer that the plan remembers for this rule, or null.
  const runtime::Grid *find(const runtime::Plan &plan) const;
  /// Remembers an answer, and keeps alive what the fingerprint names.
  void remember(const runtime::Plan &plan, const runtime::Grid &grid) const;

private:
  bool function(PyObject *function, int depth);
  bool names(PyObject *code, PyObject *globals, PyObject *builtins, int depth);
  bool value(PyObject *value, PyObject *attributes, int depth);
  bool word(uint64_t value);
  bool object(PyObject *object);

  std::array<uint64_t, kMaxWords> words_;
  std::array<PyObject *, kMaxWords> objects_; // borrowed
  size_t wordCount_ = 0, objectCount_ = 0;
  bool known_ = false;
};

/// An int, or a tuple of one to three ints; nothing with an exception set.
std::optional<runtime::Grid> toGrid(PyObject *value);
/// Calls the rule with `meta`: every dim and constant by name.
std::optional<runtime::Grid> callRule(PyObject *rule, const KernelInfo &info, const std::vector<int64_t> &dims,
                                      const Constants &constants);

} // namespace phobos::python
