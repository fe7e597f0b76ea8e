// A launch: its blocks over the workers. Workers keep their memory from launch to launch; blocks are counted, not
// listed, so a grid of any size takes the same memory.
#include "Counting.h"
#include "Cta.h"
#include "Faults.h"
#include "Global.h"
#include "Memory.h"
#include "Pool.h"
#include "Races.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <numeric>

namespace phobos::host {
namespace {

/// What a launch asks for and no block can have; empty if there is nothing.
std::string whyNot(const LaunchRequest &request) {
  const Extent3 &grid = request.grid, &cluster = request.cluster;
  uint64_t threads = request.block.count(), shared = uint64_t(request.staticSharedBytes) + request.dynamicSharedBytes;
  if (threads == 0 || threads > kMaxCtaThreads) {
    return std::to_string(threads) + " threads a block; expected 1 to " + std::to_string(kMaxCtaThreads);
  }
  if (shared > kArenaBytes) {
    return std::to_string(shared) + " bytes of shared memory a block; expected at most " + std::to_string(kArenaBytes);
  }
  if (cluster.count() == 0 || cluster.count() > kMaxClusterBlocks) {
    return std::to_string(cluster.count()) + " blocks a cluster; expected 1 to " + std::to_string(kMaxClusterBlocks);
  }
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z) {
    return "a grid that is not whole clusters";
  }
  return {};
}

/// A random order of units: i * step + offset modulo their number, step having no factor in common with it.
void shuffle(Launch &launch) {
  uint64_t random = launch.request.seed * 0x9e3779b97f4a7c15 + 1;
  launch.step = (random >> 11) % launch.units;
  while (std::gcd(launch.step, launch.units) != 1) {
    launch.step = (launch.step + 1) % launch.units;
  }
  launch.offset = (random >> 7) % launch.units;
}

} // namespace

Launch::Launch(const LaunchRequest &request) : request(request) {}
Launch::~Launch() = default;

Counters &Counters::operator+=(const Counters &other) {
  switches += other.switches;
  programs += other.programs;
  warpOps += other.warpOps;
  barriers += other.barriers;
  copies += other.copies;
  return *this;
}

/// The launch itself; what it printed last is left in `printed`.
static Outcome run(const LaunchRequest &request, const std::function<bool(std::string_view)> &write,
                   std::string &printed) {
  Outcome outcome;
  outcome.error = whyNot(request);
  uint64_t blocks = request.grid.count();
  if (!outcome.error.empty() || blocks == 0) {
    return outcome;
  }
  static std::mutex mutex; // one launch at a time has the cores
  static std::vector<std::unique_ptr<Worker>> &workers = *new std::vector<std::unique_ptr<Worker>>;
  static uint64_t launches = 0;
  std::lock_guard lock(mutex);

  Launch launch(request);
  launch.id = ++launches;
  launch.unitBlocks = static_cast<uint32_t>(request.cluster.count());
  launch.units = blocks / launch.unitBlocks;
  if (request.seed && launch.units > 1) {
    shuffle(launch);
  }
  launch.workers = static_cast<unsigned>(std::min<uint64_t>(workerCount(), launch.units));
  if (request.checks.bounds || request.checks.race) {
    launch.global = std::make_unique<GlobalChecker>(request);
  }
  while (workers.size() < launch.workers) {
    workers.push_back(std::make_unique<Worker>());
    workers.back()->index = static_cast<unsigned>(workers.size() - 1);
  }
  std::atomic<bool> enough{true};
  FaultHandler faults;
  bool interrupted = false;
  runOnPool(
      launch.workers,
      [&](unsigned index) {
        watchFaults(workers[index].get());
        if (!workers[index]->run(launch)) {
          enough = false;
        }
        watchFaults(nullptr);
      },
      [&] {
        if (!interrupted && request.interrupted && request.interrupted()) {
          interrupted = true;
          launch.stop();
        }
        if (!interrupted && launch.console.isFull() && !write(launch.console.take())) {
          interrupted = true;
          launch.stop();
        }
      });
  printed = launch.console.take();
  outcome.interrupted = interrupted;
  if (!enough) {
    outcome.error = "address space for the blocks' memory: the system gave none";
  }
  for (unsigned i = 0; i < launch.workers; ++i) {
    Worker &worker = *workers[i];
    outcome.counters += worker.counters;
    worker.counters = {};
    if (worker.counting) {
      worker.counting->addTo(*request.profile);
      worker.counting.reset();
    }
    for (Report &report : worker.reports) {
      addReport(outcome.reports, std::move(report));
    }
    worker.reports.clear();
    worker.launch = nullptr;
  }
  return outcome;
}

Outcome simulate(const LaunchRequest &request) {
  auto toStandardOutput = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return std::fflush(stdout) == 0;
  };
  std::function<bool(std::string_view)> write = request.write ? request.write : toStandardOutput;
  std::string printed;
  Outcome outcome = run(request, write, printed);
  if (!printed.empty() && !write(printed)) { // other launches may go on meanwhile
    outcome.interrupted = true;
  }
  return outcome;
}

std::span<const Symbol> callSymbols() {
  static const Symbol kSymbols[] = {
#define PHOBOS_HOST_CALL(name, result, parameters, sentence) {"host." #name, reinterpret_cast<void *>(&calls::name)},
#include "phobos/host/HostCalls.def"
  };
  return kSymbols;
}

} // namespace phobos::host
