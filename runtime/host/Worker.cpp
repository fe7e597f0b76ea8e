// A worker: memory for CTAs, and blocks run in it. Fibers are made once and go from block to block and from launch to
// launch, since a switch is cheap and a stack is not.
#include "AccessLog.h"
#include "Counting.h"
#include "Cta.h"
#include "Global.h"
#include "Memory.h"
#include "Races.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace phobos::host {
namespace {

/// Room beside a thread's own frames, for the runtime's.
constexpr uint32_t kRuntimeStackBytes = 6 * 1024;
constexpr uint32_t kDefaultStackBytes = 24 * 1024;
constexpr uint32_t kMinStackStride = 16 * 1024;
// Tops a power of two apart would all fall into one cache set.
constexpr uint32_t kStaggerSteps = 61, kStaggerBytes = 64;
/// What shared memory holds before a kernel writes it: NaN in every float type, so that it shows.
constexpr int kPoison = 0xff;

uint32_t strideFor(uint32_t frameBytes) {
  uint32_t bytes = (frameBytes ? frameBytes : kDefaultStackBytes) + kRuntimeStackBytes + kStaggerSteps * kStaggerBytes;
  return std::bit_ceil(std::max(bytes, kMinStackStride));
}

/// Threads exit when their kernel returns; the fiber goes on with the next block.
void laneMain(void *argument) {
  Lane &lane = *static_cast<Lane *>(argument);
  for (;;) {
    Cta &cta = *lane.cta;
    const LaunchRequest &request = cta.worker->launch->request;
    (request.loop ? request.loop : request.fiber)(&lane, request.argv);
    if (cta.worker->log) {
      cta.worker->log->flush(cta);
    }
    if (cta.checker) {
      cta.checker->exit(lane);
    }
    land(lane, lane.copies.tail());
    lane.copies.clear();
    lane.copyGroups.clear();
    lane.bulkGroups = lane.bulkStoreGroup = lane.wgmmaGroups = 0;
    --cta.alive;
    lane.itsWarp->alive &= ~laneBit(lane);
    meetingsAfterExit(cta, *lane.itsWarp);
    barriersAfterExit(cta);
    block(lane, {});
  }
}

uint64_t mix(uint64_t value) { // splitmix64: never the same for two values
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

} // namespace

Cta::Cta() = default;
Cta::~Cta() = default;

Worker::Worker() = default;

Worker::~Worker() {
  for (auto &cta : ctas) {
    releaseMemory(cta->stacks, size_t(cta->stackStride) * kMaxCtaThreads);
    releaseMemory(reinterpret_cast<uint8_t *>(cta->warps), sizeof(Warp) * (kMaxCtaThreads / kWarpLanes));
  }
  for (Window &window : windows) {
    releaseMemory(window.base, kWindowBytes);
  }
}

bool Worker::makeSlots(uint32_t count) {
  uint32_t unit = launch->unitBlocks;
  while (windows.size() * unit < count) {
    uint8_t *base = reserveMemory(kWindowBytes, kWindowBytes);
    if (!base) {
      return false;
    }
    windows.push_back({base});
  }
  uint32_t stride = strideFor(launch->request.stackBytes);
  for (uint32_t slot = 0; slot < count; ++slot) {
    if (slot == ctas.size()) {
      size_t bytes = sizeof(Warp) * (kMaxCtaThreads / kWarpLanes);
      uint8_t *warps = reserveMemory(bytes, alignof(Warp) > 4096 ? alignof(Warp) : 4096);
      if (!warps || !commitMemory(warps, bytes)) {
        return false;
      }
      auto cta = std::make_unique<Cta>();
      cta->worker = this;
      cta->slot = slot;
      cta->warps = reinterpret_cast<Warp *>(warps);
      cta->lanes = std::make_unique<Lane[]>(kMaxCtaThreads);
      ctas.push_back(std::move(cta));
    }
    Cta &cta = *ctas[slot];
    Window &window = windows[slot / unit];
    uint32_t rank = slot % unit;
    cta.arena = window.base + (size_t(rank) << kClusterRankShift);
    if (!(window.committed >> rank & 1)) {
      if (!commitMemory(cta.arena, kArenaBytes)) {
        return false;
      }
      window.committed |= 1u << rank;
    }
    if (cta.stackStride != stride) {
      if (cta.stacks) {
        releaseMemory(cta.stacks, size_t(cta.stackStride) * kMaxCtaThreads);
      }
      cta.stacks = reserveMemory(size_t(stride) * kMaxCtaThreads, 4096);
      cta.stackStride = stride;
      if (!cta.stacks || !commitMemory(cta.stacks, size_t(stride) * kMaxCtaThreads)) {
        return false;
      }
      cta.fresh = true;
    }
  }
  return true;
}

void Worker::configure(Cta &cta) {
  const LaunchRequest &request = launch->request;
  const Extent3 &block = request.block;
  cta.threads = request.loop ? 1 : static_cast<uint32_t>(block.count());
  cta.warpCount = (cta.threads + kWarpLanes - 1) / kWarpLanes;
  uint32_t total = std::min(kArenaBytes, request.staticSharedBytes + request.dynamicSharedBytes);
  const Extent3 &grid = request.grid, &cluster = request.cluster;
  cta.registers = {};
  CtaRegisters &r = cta.registers;
  auto set = [](uint32_t (&to)[3], uint32_t x, uint32_t y, uint32_t z) {
    to[0] = x;
    to[1] = y;
    to[2] = z;
  };
  set(r.ntid, block.x, block.y, block.z);
  set(r.nctaid, grid.x, grid.y, grid.z);
  set(r.nclusterid, grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z);
  set(r.clusterNctaid, cluster.x, cluster.y, cluster.z);
  r.clusterNctarank = launch->unitBlocks;
  r.smid = index;
  r.nsmid = launch->workers;
  r.dynamicSharedBytes = request.dynamicSharedBytes;
  r.totalSharedBytes = total;
  r.gridid = launch->id;
  for (uint32_t i = 0; i < cta.threads; ++i) {
    Lane &lane = cta.lanes[i];
    lane.shared = cta.arena;
    lane.registers = &cta.registers;
    lane.interrupt = &launch->interrupt;
    lane.slots = log ? log->slots() : nullptr;
    lane.tid[0] = i % block.x;
    lane.tid[1] = i / block.x % block.y;
    lane.tid[2] = i / block.x / block.y;
    lane.index = i;
    lane.lane = i % kWarpLanes;
    lane.warp = i / kWarpLanes;
    lane.cta = &cta;
    lane.itsWarp = &cta.warps[lane.warp];
    lane.column = &lane.itsWarp->words[0][lane.lane];
  }
  if (cta.fresh) {
    for (uint32_t i = 0; i < kMaxCtaThreads; ++i) {
      Lane &lane = cta.lanes[i];
      lane.copies.clear();
      lane.copyGroups.clear();
      lane.bulkGroups = lane.bulkStoreGroup = lane.wgmmaGroups = 0;
      uint8_t *top = cta.stacks + size_t(cta.stackStride) * (i + 1) - (i % kStaggerSteps) * kStaggerBytes;
      lane.fiber.prepare(top, laneMain, &lane);
    }
    cta.fresh = false;
  }
  if (request.checks.shared() && !request.loop) {
    if (!cta.checker) {
      cta.checker = std::make_unique<SharedChecker>(cta);
    }
    cta.checker->configure(request.checks, total);
  } else {
    cta.checker.reset();
  }
}

void Worker::begin(Cta &cta, uint64_t unit, uint32_t rank) {
  const Extent3 &grid = launch->request.grid, &cluster = launch->request.cluster;
  CtaRegisters &r = cta.registers;
  uint32_t nx = grid.x / cluster.x, ny = grid.y / cluster.y;
  uint32_t at[3] = {static_cast<uint32_t>(unit % nx), static_cast<uint32_t>(unit / nx % ny),
                    static_cast<uint32_t>(unit / nx / ny)};
  uint32_t in[3] = {rank % cluster.x, rank / cluster.x % cluster.y, rank / cluster.x / cluster.y};
  uint32_t size[3] = {cluster.x, cluster.y, cluster.z};
  for (int i = 0; i < 3; ++i) {
    r.clusterid[i] = at[i];
    r.clusterCtaid[i] = in[i];
    r.ctaid[i] = at[i] * size[i] + in[i];
  }
  r.clusterCtarank = rank;
  cta.linear = r.ctaid[0] + uint64_t(grid.x) * (r.ctaid[1] + uint64_t(grid.y) * r.ctaid[2]);
  cta.alive = cta.threads;
  cta.ready = 0;
  std::memset(cta.barriers, 0, sizeof cta.barriers);
  std::memset(cta.wgmmaArrived, 0, sizeof cta.wgmmaArrived);
  cta.clusterArrived = cta.clusterPhase = 0;
  std::memset(cta.clusterWaits, 0, sizeof cta.clusterWaits);
  std::memset(cta.arena, kPoison, r.totalSharedBytes);
  for (uint32_t i = 0; i < cta.warpCount; ++i) {
    Warp &warp = cta.warps[i];
    uint32_t lanes = std::min(kWarpLanes, cta.threads - i * kWarpLanes);
    warp.index = i;
    warp.alive = lanes == kWarpLanes ? ~0u : (1u << lanes) - 1;
    warp.runnable = 0;
    warp.meetings = 0;
    wake(cta, i, warp.alive);
  }
  if (cta.checker) {
    cta.checker->begin();
  }
  if (log) {
    log->clear();
  }
}

bool Worker::takeUnit(uint64_t &unit) {
  if (chunkNext == chunkEnd) {
    // Blocks of a thread loop are short: several at a time.
    uint64_t most = launch->request.loop ? std::clamp<uint64_t>(launch->units / 16, 1, 64) : 1;
    chunkNext = launch->next.fetch_add(most, std::memory_order_relaxed);
    chunkEnd = std::min(launch->units, chunkNext + most);
    if (chunkNext >= launch->units) {
      chunkNext = chunkEnd = 0;
      return false;
    }
  }
  uint64_t i = chunkNext++;
  unit = static_cast<uint64_t>((static_cast<unsigned __int128>(i) * launch->step + launch->offset) % launch->units);
  if (launch->request.seed) {
    random = mix(launch->request.seed ^ mix(unit)) | 1;
  }
  return true;
}

bool Worker::beginMore() {
  uint32_t size = launch->unitBlocks;
  uint64_t unit = 0;
  if (active + size > kMaxResident || !makeSlots(active + size) || !takeUnit(unit)) {
    return false;
  }
  for (uint32_t rank = 0; rank < size; ++rank) {
    Cta &cta = *ctas[active + rank];
    if (active + rank >= configured) {
      configure(cta);
    }
    begin(cta, unit, rank);
  }
  active += size;
  configured = std::max(configured, active);
  return true;
}

void Worker::runActive() {
  current = &ctas[0]->lanes[0];
  if (random) {
    Cta &cta = *ctas[nextRandom(active)];
    current = &cta.lanes[nextRandom(cta.threads)];
  }
  Fiber::jump(main, current->fiber);
  current = nullptr;
  bool left = std::any_of(ctas.begin(), ctas.begin() + active, [](auto &cta) { return cta->alive != 0; });
  if (left) {
    if (!launch->stopped() && !asserted) {
      report(*this, describeDeadlock(*this));
    }
    abandoned = true;
    launch->stop();
    return;
  }
  while (runBulkCopy(*this)) {
  } // stores that nobody waited for
}

bool Worker::run(Launch &itsLaunch) {
  launch = &itsLaunch;
  random = 0;
  idleTurns = configured = 0;
  counting = launch->request.profile ? std::make_unique<Counting>() : nullptr;
  sharedReads = launch->request.checks.race ? std::make_unique<SharedReads>() : nullptr;
  log = launch->request.accesses.empty() ? nullptr : std::make_unique<AccessLog>(launch->request);
  chunkNext = chunkEnd = 0;
  bool enough = true;
  uint64_t unit = 0;
  while (!launch->stopped() && takeUnit(unit)) {
    if (configured == 0) {
      if (!makeSlots(launch->unitBlocks)) {
        launch->stop();
        enough = false;
        break;
      }
      for (uint32_t i = 0; i < launch->unitBlocks; ++i) {
        configure(*ctas[i]);
      }
      configured = launch->unitBlocks;
    }
    for (uint32_t rank = 0; rank < launch->unitBlocks; ++rank) {
      begin(*ctas[rank], unit, rank);
    }
    active = launch->unitBlocks;
    runActive();
    if (counting) {
      counting->flush();
    }
    if (!reports.empty()) {
      launch->stop();
    }
  }
  if (abandoned) {
    for (auto &cta : ctas) {
      cta->fresh = true;
    }
    bulk.clear();
    mbarrierWaiters.clear();
    abandoned = asserted = false;
  }
  return enough;
}

} // namespace phobos::host
