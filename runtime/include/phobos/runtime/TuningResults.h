// Results of tuning on disk, beside the compiled kernels: a new process times nothing that was timed before.
#pragma once

#include "phobos/runtime/Variants.h"

#include <optional>
#include <string>
#include <vector>

namespace phobos::runtime {

/// The result of one search. It holds for the file's text, the compiler's build, the device's model, what tuningKey()
/// says of the arguments, and the combinations that took part.
class TuningResult {
public:
  TuningResult(const KernelSource &source, const Device &device, const std::string &tuningKey,
               const std::vector<Constants> &candidates);

  std::optional<Constants> load() const;
  /// Where the cache is off or full, the result is this process's alone.
  void store(const Constants &best) const;

private:
  DiskCache::Key key() const;

  const KernelSource &source_;
  const Device &device_;
  const std::string &tuningKey_;
  const std::vector<Constants> &candidates_;
};

} // namespace phobos::runtime
