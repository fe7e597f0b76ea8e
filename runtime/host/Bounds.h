// The checker of global memory: accesses outside every tensor of the launch. One for each launch, shared by its
// workers.
#pragma once

#include "Cta.h"

namespace phobos::host {

class GlobalChecker {
public:
  explicit GlobalChecker(const LaunchRequest &request);
  /// An access before it happens; one out of bounds does not return.
  void access(Lane &lane, const void *address, uint32_t bytes, Access kind, uint32_t site);

private:
  /// A tensor argument with its dimensions in the order of memory.
  struct Tensor {
    const TensorRange *range;
    uintptr_t begin, end;
    uint32_t rank;   // dimensions of more than one element
    uint8_t dims[5]; // of the tensor, slowest first
    bool dense;      // every byte between begin and end is an element's
  };
  /// The index of the element at `offset` elements from the base; true if it is one of the tensor's.
  static bool indexAt(const Tensor &tensor, int64_t offset, int64_t (&index)[5]);
  const Tensor *nearest(uintptr_t address) const;
  [[noreturn]] void outside(Lane &lane, uintptr_t address, uint32_t bytes, Access kind, uint32_t site);

  std::vector<Tensor> tensors;
};

} // namespace phobos::host
