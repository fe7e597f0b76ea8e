// The state of a simulation: a Worker (an OS thread) runs CTAs, a Cta has Warps and Lanes (GPU threads, fibers). A
// CTA's fibers stay on their worker, so nothing here is atomic or locked. Sets of lanes and warps are bit masks.
#pragma once

#include "Console.h"
#include "Fiber.h"
#include "Ring.h"
#include "phobos/host/Simulator.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace phobos::host {

struct Cta;
struct Warp;
struct Worker;
struct Launch;
class Counting;
class SharedChecker;
class GlobalChecker;
class AccessLog;
class SharedReads;

/// Why a lane waits, for reports of deadlock.
struct Waiting {
  enum class For : uint8_t { Nothing, Program, Barrier, Mbarrier, Wgmma, Cluster, Bulk };
  For what = For::Nothing;
  uint32_t site = 0;
  const void *at = nullptr; // program, mbarrier; barrier: its id
};

/// cp.async of one thread. Copies are applied when a wait asks for them, no sooner.
struct AsyncCopy {
  uint8_t *target;
  const uint8_t *source;
  uint16_t size, bytes; // `size - bytes` zeros follow
  uint32_t site;
};

struct Lane : ThreadContext {
  Cta *cta;
  Warp *itsWarp;
  Fiber fiber;
  Waiting waiting;
  Ring<AsyncCopy> copies;                         // issued, not yet applied
  Ring<uint32_t> copyGroups;                      // committed, not yet waited for: number of the first copy after each
  uint32_t bulkGroups = 0;                        // of bulk stores, committed
  uint32_t bulkStoreGroup = 0, bulkStoreSite = 0; // of the last bulk store
  uint32_t wgmmaGroups = 0;                       // committed
  uint32_t wgmmaSite = 0;                         // of the last commit
  uint32_t barrierResult = 0;                     // of the last ctaBarrierReduce
  uint32_t clusterPhase = 0;                      // in which it arrived
  std::string explanation;                        // of the assertion that fails next
};

/// Lanes that meet at one program under one mask.
struct Meeting {
  const WarpOp *ops;
  uint32_t count, mask, arrived;
};

struct Warp {
  static constexpr int kMeetings = 32; // at most one a lane
  uint32_t index;
  uint32_t alive;    // lanes that have not exited
  uint32_t runnable; // lanes that do not wait
  int meetings;
  Meeting meeting[kMeetings];
  alignas(64) uint32_t words[kExchangeSlots][kWarpLanes]; // slot-major: a register over the lanes lies in one piece
};

struct NamedBarrier {
  uint32_t arrived;      // threads, those that went on included
  uint32_t expected;     // by the first to arrive; 0: all that are alive
  uint32_t predicates;   // of ctaBarrierReduce: how many were true
  uint32_t participants; // of ctaBarrierReduce
  BarrierReduction reduction;
  uint32_t site;                               // of the first to arrive
  uint32_t waits[kMaxCtaThreads / kWarpLanes]; // lanes, by warp
};

/// What lies in shared memory where a kernel has an mbarrier, as wide as the real one.
struct Mbarrier {
  uint64_t expected : 20, pending : 20;
  int64_t bytes : 23;
  uint64_t phase : 1;
};
static_assert(sizeof(Mbarrier) == 8);

struct MbarrierWaiter {
  const Mbarrier *barrier;
  Lane *lane;
};

/// A bulk copy on its way.
struct BulkCopy {
  enum class Kind : uint8_t { TensorLoad, TensorStore, TensorReduce, Load, Store, Shared };
  Kind kind;
  BulkReduction reduction;
  Lane *lane; // that issued it
  const TensorMap *map;
  uint8_t *target;
  const uint8_t *source;
  Mbarrier *barrier;
  int32_t at[5];
  uint32_t bytes, byteMask, multicast, group, site;
};

struct Cta {
  Cta();
  ~Cta();

  CtaRegisters registers;
  Worker *worker;
  uint32_t slot; // of its worker
  std::unique_ptr<Lane[]> lanes;
  Warp *warps;
  uint8_t *arena, *stacks = nullptr;
  uint32_t stackStride = 0;
  bool fresh = true;                   // its fibers are to be made anew
  uint32_t threads = 0, warpCount = 0; // fibers that take part; under a LoopEntry one
  uint32_t alive = 0;                  // threads that have not exited
  uint32_t ready = 0;                  // warps with a runnable lane
  uint64_t linear = 0;                 // number of the block in the grid
  NamedBarrier barriers[kNamedBarriers];
  uint32_t wgmmaArrived[kMaxCtaThreads / 128];
  uint32_t clusterArrived; // threads that arrived at the cluster's barrier in this phase
  uint32_t clusterPhase;
  uint32_t clusterWaits[kMaxCtaThreads / kWarpLanes]; // lanes, by warp
  std::unique_ptr<SharedChecker> checker;             // null: not asked for
};

/// A grid on its way through the workers.
struct Launch {
  const LaunchRequest &request;
  uint64_t id;
  uint64_t units;      // clusters, or blocks where there are none
  uint32_t unitBlocks; // blocks of a unit
  unsigned workers;
  uint64_t step = 1, offset = 0; // under a seed: the i-th unit to begin is i * step + offset, modulo `units`
  uint32_t interrupt = 0;        // written by any worker; see ThreadContext::interrupt
  std::atomic<uint64_t> next{0}; // units taken
  std::unique_ptr<GlobalChecker> global;
  Console console;

  explicit Launch(const LaunchRequest &request);
  ~Launch();
  bool stopped() const { return __atomic_load_n(&interrupt, __ATOMIC_RELAXED) != 0; }
  void stop() { __atomic_store_n(&interrupt, 1, __ATOMIC_RELAXED); }
};

/// Address space of a cluster: its CTAs' arenas, 16 MiB apart.
struct Window {
  uint8_t *base = nullptr;
  uint32_t committed = 0; // ranks whose arena has memory
};

struct Worker {
  unsigned index = 0;
  Launch *launch = nullptr;
  std::vector<std::unique_ptr<Cta>> ctas; // slots; the first `active` hold blocks that run side by side
  std::vector<Window> windows;
  uint32_t active = 0, configured = 0; // slots: with blocks; set up for this launch
  Fiber main;
  Lane *current = nullptr; // on whose stack we are; null: on the worker's own
  uint64_t random = 0;     // state under a seed; 0: none
  uint32_t idleTurns = 0;  // of spin loops, since anything else happened
  bool abandoned = false;  // some fiber was left for good: the stacks must be made anew
  bool asserted = false;   // some thread's assertion failed: it waits, and is never woken
  std::vector<BulkCopy> bulk;
  std::vector<MbarrierWaiter> mbarrierWaiters;
  Counters counters;
  std::vector<Report> reports;
  uint64_t chunkNext = 0, chunkEnd = 0; // units taken and not yet begun
  std::unique_ptr<std::byte[]> wgmmaScratch;
  std::unique_ptr<Counting> counting; // null: no profile
  std::unique_ptr<AccessLog> log;     // null: not of a thread loop that is checked
  std::unique_ptr<SharedReads> sharedReads;
  std::mutex *meeting = nullptr; // held for an atomic access

  Worker();
  ~Worker();
  /// Runs blocks until there are none. False: there is no memory for it.
  bool run(Launch &launch);
  /// Begins the next blocks beside those that run; false if there are none or no room.
  bool beginMore();
  uint32_t nextRandom(uint32_t below);
  /// The atomic access is over, or its thread is.
  void endMeeting();

private:
  bool makeSlots(uint32_t count);
  void configure(Cta &cta);
  void begin(Cta &cta, uint64_t unit, uint32_t rank);
  bool takeUnit(uint64_t &unit);
  void runActive();
};

inline Lane &laneOf(ThreadContext *thread) { return *static_cast<Lane *>(thread); }
inline uint32_t laneBit(const Lane &lane) { return 1u << lane.lane; }
/// The lanes of a warp become runnable.
inline void wake(Cta &cta, uint32_t warp, uint32_t lanes) {
  cta.warps[warp].runnable |= lanes;
  cta.ready |= static_cast<uint32_t>(lanes != 0) << warp;
}
inline void wake(Lane &lane) { wake(*lane.cta, lane.warp, laneBit(lane)); }

/// This lane waits until it is woken; others run.
void block(Lane &lane, Waiting waiting);
/// Others run first; the lane stays runnable.
void passTurn(Lane &lane);
/// The launch ends; does not return.
[[noreturn]] void leave(Lane &lane);
/// Reports what makes going on impossible; does not return.
[[noreturn]] void fail(Lane &lane, Report report);
/// Adds a report, unless its like is there or there are enough.
void addReport(std::vector<Report> &reports, Report found);
void report(Worker &worker, Report found);
/// "block (1, 0, 0), thread 17".
std::string describe(const Lane &lane);
std::string describe(const Cta &cta, uint32_t thread);
/// "block (1, 0, 0)".
std::string describe(const Cta &cta);
/// What every thread of the worker's CTAs waits for, as a report.
Report describeDeadlock(Worker &worker);

/// A thread has exited: what waits for all threads may be complete.
void barriersAfterExit(Cta &cta);
void meetingsAfterExit(Cta &cta, Warp &warp);
/// Copies up to this one land. All of a thread's copies have landed when it exits.
void land(Lane &lane, uint32_t end);
/// One bulk copy runs; false if there is none.
bool runBulkCopy(Worker &worker);

} // namespace phobos::host
