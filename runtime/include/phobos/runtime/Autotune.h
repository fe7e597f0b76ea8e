// The tuner: which combinations of tuned constants a kernel has, and which is the fastest for given arguments. Variants
// are compiled side by side and timed one after another on the caller's own arrays, whose contents are put back
// afterwards.
#pragma once

#include "phobos/runtime/Launch.h"

namespace phobos::runtime {

/// The product of the kernel's `@ph.autotune` space that its `when` allows, in order, with `overrides` fixed. Never
/// empty: a kernel without a space has one combination, of nothing.
Result<std::vector<Constants>> candidatesOf(const Signature &signature, const KernelSource &source,
                                            const Constants &overrides);

/// What a result of tuning holds for: the values of the kernel's `key` (all dims by default), the chip and the
/// constants.
std::string tuningKey(const Signature &signature, const Call &call, const Binding &binding, const BuildTarget &build,
                      const Constants &captures, const Constants &overrides);

struct TuneRequest {
  const Signature &signature;
  VariantCache &variants;
  Device &device;
  const Binding &binding;
  const Call &call;
  const Host &host;
  Constants captures;
  BuildTarget build;
};

/// The fastest of `candidates`, or the first where timing tells nothing of a GPU. One that breaks a promise with these
/// shapes, does not compile or differs from the reference is left out; if none remains, the error is that of the first.
Result<Constants> tune(const TuneRequest &request, const std::vector<Constants> &candidates);

/// True if `got` is close enough to `want` for a variant to count as right: exact for ints and bools; for floats the
/// largest difference, relative to the largest value, is within the dtype's own tolerance. NaN equals NaN.
bool matches(DType type, const void *got, const void *want, size_t elements);

} // namespace phobos::runtime
