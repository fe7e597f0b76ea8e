// Compiled variants of one kernel: prepared once for each set of constants, compiled once for each specialisation and
// chip, looked up in memory, then on disk, and loaded once for each device. Several threads that ask for the same
// variant wait for one compilation; different variants compile side by side.
#pragma once

#include "phobos/Driver/Compiler.h"
#include "phobos/Driver/HostKernel.h"
#include "phobos/runtime/Arguments.h"
#include "phobos/runtime/Device.h"
#include "phobos/runtime/DiskCache.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace phobos::runtime {

/// The parsed file and the kernel in it.
struct KernelSource {
  std::shared_ptr<const SourceUnit> unit;
  std::string text;
  std::string name;
  int line = 0;        // of `def`
  std::string imports; // their key: other files that functions come from
};

/// What any entry on disk depends on: the kernel's text, and the compiler's build.
void addKernel(ContentKey &key, const KernelSource &source);

/// What code is made for.
struct BuildTarget {
  std::string chip;
  bool assemble = true;            // false: PTX for the driver to assemble, as for a chip other than the device's
  std::optional<HostOptions> host; // the simulator runs it, as the chip's
  bool assertions = false;         // ph.assert_ is checked
};
std::string keyBytes(const BuildTarget &target);

/// What a variant is compiled for.
struct VariantRequest {
  Constants constants; // tuned and const
  Constants captures;
  Specialisation specialisation;
  BuildTarget target;
};

struct Variant {
  Constants constants;
  std::string chip;
  KernelContract contract;
  Resources resources;
  std::string cubin; // or empty
  std::string ptx;
  std::shared_ptr<const HostKernel> host; // for the simulator: neither cubin nor ptx
  bool fromDisk = false;

  Image image() const;
};

class VariantCache {
public:
  VariantCache(const Signature &signature, KernelSource source) : signature_(signature), source_(std::move(source)) {}

  /// Type-checked for these constants; kept.
  Result<std::shared_ptr<const PreparedKernel>> prepare(const Constants &constants, const Constants &captures);
  Result<std::shared_ptr<const Variant>> compile(const VariantRequest &request);
  /// Writes what was compiled for a request where a later launch finds it.
  void keep(const VariantRequest &request, const Artifact &artifact) const;
  Result<Function> load(Device &device, const std::shared_ptr<const Variant> &variant);

  const KernelSource &source() const { return source_; }
  std::vector<std::shared_ptr<const Variant>> all() const;
  void clear();

private:
  template <typename T> struct Slot {
    std::mutex mutex; // held while its value is made
    std::shared_ptr<const T> value;
  };
  template <typename T> using Slots = std::map<std::string, std::shared_ptr<Slot<T>>>;
  template <typename T> std::shared_ptr<Slot<T>> slot(Slots<T> &slots, const std::string &key);

  Result<std::shared_ptr<const Variant>> build(const VariantRequest &request);
  Result<std::shared_ptr<const Variant>> buildForHost(const VariantRequest &request);

  const Signature &signature_;
  KernelSource source_;
  mutable std::mutex mutex_; // of the maps; never held while compiling
  Slots<PreparedKernel> prepared_;
  Slots<Variant> variants_;
  std::map<std::pair<const Variant *, int>, Function> functions_; // by device
  std::vector<std::shared_ptr<const Variant>> loaded_;            // keeps the addresses above from being used again
};

/// A compiler failure as the runtime reports it.
Error toError(const Failure &failure);

} // namespace phobos::runtime
