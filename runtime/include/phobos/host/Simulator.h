// Runs a kernel that was compiled for the host: every block of a grid, on all cores, with the checkers asked for. Knows
// nothing of Python or of the compiler; HostDevice.cpp makes a Device of it. Thread-safe: launches queue.
#pragma once

#include "phobos/host/Abi.h"
#include "phobos/host/Profile.h"

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace phobos::host {

/// What a launch looks for, beside running. The code must have been compiled with the calls that this needs.
struct Checks {
  bool bounds = false;   // accesses outside the tensors, or outside shared memory
  bool race = false;     // accesses that nothing orders, in shared and in global memory
  bool init = false;     // reads of shared memory that nothing wrote
  bool deadlock = false; // barriers reached by some threads of a block at different places

  bool any() const { return bounds || race || init || deadlock; }
  bool shared() const { return bounds || race || init; }
  bool operator==(const Checks &) const = default;
};

/// A tensor argument, for bounds and for messages. Strides in elements.
struct TensorRange {
  std::string name;
  uint8_t *base = nullptr;
  uint32_t elementBytes = 1;
  uint32_t rank = 0;
  std::array<int64_t, 5> extents{}, strides{};
};

struct Extent3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// Blocks at most that one worker holds side by side, of a kernel whose blocks wait for each other.
inline constexpr uint32_t kMaxResident = 512;

struct LaunchRequest {
  FiberEntry fiber = nullptr;
  LoopEntry loop = nullptr; // null: some thread waits for another
  Extent3 grid, block, cluster;
  uint32_t staticSharedBytes = 0, dynamicSharedBytes = 0;
  uint32_t stackBytes = 0; // of one thread's frames; 0: unknown
  void **argv = nullptr;
  Checks checks;
  uint64_t seed = 0;          // 0: one fixed order; else a random legal order of lanes, warps, blocks and copies
  Profile *profile = nullptr; // counts go there
  std::span<const TensorRange> tensors;
  std::span<const HostAccess> accesses; // of a thread loop that was compiled with checks
  bool dependent = false;               // accesses of global memory must come after griddepcontrol.wait
  bool ordersBlocks = true;             // false: nothing in the kernel orders the memory accesses of two blocks
  std::function<bool()> interrupted;    // asked on the caller's thread now and then: is the launch to end?
  /// Given, on the caller's thread, what the kernel prints: whole lines, in order, when the launch ends, or some
  /// megabytes of it earlier. False: the launch is to end as if interrupted. Empty: standard output.
  std::function<bool(std::string_view)> write;
};

/// Something wrong with the kernel. Sites are indices into its table of places; 0: none. Messages are one line, lower
/// case, without a full stop.
struct Report {
  enum class Kind : uint8_t { Bounds, Race, Init, Deadlock, Divergence, Assert, Trap, Crash };
  struct Note {
    std::string message;
    uint32_t site = 0;
    bool operator==(const Note &) const = default;
  };
  Kind kind;
  std::string message;
  uint32_t site = 0;
  std::vector<Note> notes;
};

struct Counters {
  uint64_t switches = 0, programs = 0, warpOps = 0, barriers = 0, copies = 0;
  Counters &operator+=(const Counters &other);
};

struct Outcome {
  bool interrupted = false;
  std::string error;           // the launch could not begin: what it lacked
  std::vector<Report> reports; // in the order found; equal ones once
  Counters counters;
};

Outcome simulate(const LaunchRequest &request);

/// What generated code is linked against: every call of HostCalls.def, under its prefixed name.
std::span<const Symbol> callSymbols();

} // namespace phobos::host
