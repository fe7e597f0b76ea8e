// The checker of global memory: accesses outside every tensor of the launch, and data races. One for each launch,
// shared by its workers.
#pragma once

#include "Cta.h"
#include "GlobalShadow.h"

namespace phobos::host {

class GlobalChecker {
public:
  explicit GlobalChecker(const LaunchRequest &request);
  /// An access before it happens; one out of bounds does not return. `value`: the bytes that a store will leave, or
  /// null.
  void access(Lane &lane, const void *address, const void *value, uint32_t bytes, Access kind, uint32_t site);
  /// What this block did so far is there for blocks that come to a fence or an atomic later.
  void fence(const Lane &lane) { shadow.fence(lane.cta->linear); }

private:
  /// A tensor argument with its dimensions in the order of memory.
  struct Tensor {
    const TensorRange *range;
    uintptr_t begin, end;
    uint32_t rank;   // dimensions of more than one element
    uint8_t dims[5]; // of the tensor, slowest first
    bool dense;      // every byte between begin and end is an element's
    TensorShadow shadow;
  };
  /// The index of the element at `offset` elements from the base; true if it is one of the tensor's.
  static bool indexAt(const Tensor &tensor, int64_t offset, int64_t (&index)[5]);
  std::string place(const Tensor &tensor, uintptr_t address) const;
  /// The tensor that has all of these bytes, or null.
  const Tensor *find(uintptr_t address, uint32_t bytes) const;
  const Tensor *nearest(uintptr_t address) const;
  [[noreturn]] void outside(Lane &lane, uintptr_t address, uint32_t bytes, Access kind, uint32_t site);
  /// A conflict in the cell of these bytes, if there is one that nothing orders.
  void races(Lane &lane, const Tensor &tensor, uintptr_t address, const uint8_t *value, uint32_t bytes, Access kind,
             uint32_t site);

  const LaunchRequest &request;
  std::vector<Tensor> tensors;
  GlobalShadow shadow;
};

} // namespace phobos::host
