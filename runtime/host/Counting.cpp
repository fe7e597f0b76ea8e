// Sectors, wavefronts, and the calls that count.
#include "Counting.h"

#include <algorithm>

namespace phobos::host {
namespace {

constexpr uintptr_t kSectorBytes = 32, kBankBytes = 4, kBanks = 32;

/// Numbers, each once.
template <size_t kMost> class Distinct {
public:
  void insert(uintptr_t value) {
    if (std::find(values.begin(), values.begin() + count, value) == values.begin() + count && count < kMost) {
      values[count++] = value;
    }
  }
  size_t size() const { return count; }
  const uintptr_t *begin() const { return values.data(); }
  const uintptr_t *end() const { return values.data() + count; }

private:
  std::array<uintptr_t, kMost> values;
  size_t count = 0;
};

uint64_t ceilDivide(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

} // namespace

SiteCounts &SiteCounts::operator+=(const SiteCounts &other) {
  globalAccesses += other.globalAccesses;
  sectors += other.sectors;
  idealSectors += other.idealSectors;
  sharedAccesses += other.sharedAccesses;
  wavefronts += other.wavefronts;
  idealWavefronts += other.idealWavefronts;
  barriers += other.barriers;
  for (size_t i = 0; i < instructions.size(); ++i) {
    instructions[i] += other.instructions[i];
  }
  return *this;
}

SiteCounts &Counting::at(uint32_t site) {
  if (sites.size() <= site) {
    sites.resize(site + 1);
  }
  return sites[site];
}

void Counting::count(const Access &access, uint32_t site, bool isShared) {
  SiteCounts &counts = at(site);
  if (!isShared) {
    Distinct<2 * kWarpLanes> sectors, addresses;
    for (uint32_t lanes = access.lanes; lanes; lanes &= lanes - 1) {
      uintptr_t address = access.addresses[__builtin_ctz(lanes)];
      addresses.insert(address);
      for (uintptr_t at = address / kSectorBytes; at <= (address + access.bytes - 1) / kSectorBytes; ++at) {
        sectors.insert(at);
      }
    }
    ++counts.globalAccesses;
    counts.sectors += sectors.size();
    counts.idealSectors += ceilDivide(addresses.size() * access.bytes, kSectorBytes);
    return;
  }
  // Lanes of 8 and of 16 bytes go in halves and quarters of a warp; in each, a bank gives one word a cycle.
  uint32_t words = std::max<uint32_t>(1, access.bytes / kBankBytes), together = kWarpLanes / words;
  ++counts.sharedAccesses;
  for (uint32_t first = 0; first < kWarpLanes; first += together) {
    Distinct<4 * kWarpLanes> used;
    for (uint32_t lane = first; lane < first + together; ++lane) {
      for (uint32_t word = 0; access.lanes >> lane & 1 && word < words; ++word) {
        used.insert(access.addresses[lane] / kBankBytes + word);
      }
    }
    std::array<uint8_t, kBanks> perBank{};
    uint8_t most = 0;
    for (uintptr_t word : used) {
      most = std::max(most, ++perBank[word % kBanks]);
    }
    counts.wavefronts += most;
    counts.idealWavefronts += ceilDivide(used.size(), kBanks);
  }
}

void Counting::add(Places &places, const Lane &lane, const void *address, uint32_t bytes, uint32_t site,
                   bool isShared) {
  Pending &pending = places[uint64_t(lane.cta->slot * (kMaxCtaThreads / kWarpLanes) + lane.warp) << 32 | site];
  uint64_t number = pending.done[lane.lane]++;
  while (pending.first + pending.accesses.size() <= number) {
    pending.accesses.push_back({0, bytes, {}});
  }
  Access &access = pending.accesses[number - pending.first];
  access.lanes |= laneBit(lane);
  access.addresses[lane.lane] = reinterpret_cast<uintptr_t>(address);
  // Complete ones go; there are as many more as a lane runs ahead of the last.
  size_t complete = 0;
  while (complete < pending.accesses.size() && pending.accesses[complete].lanes == lane.itsWarp->alive) {
    count(pending.accesses[complete++], site, isShared);
  }
  pending.accesses.erase(pending.accesses.begin(), pending.accesses.begin() + static_cast<ptrdiff_t>(complete));
  pending.first += complete;
}

void Counting::global(const Lane &lane, const void *address, uint32_t bytes, uint32_t site) {
  // Arrays of a GPU begin at whole sectors, those of this machine's libraries at 16 bytes: places count from the
  // array's beginning.
  auto *at = static_cast<const uint8_t *>(address);
  for (const TensorRange &tensor : lane.cta->worker->launch->request.tensors) {
    int64_t last = 1;
    for (uint32_t dim = 0; dim < tensor.rank; ++dim) {
      last += (tensor.extents[dim] - 1) * tensor.strides[dim];
    }
    if (at >= tensor.base && at < tensor.base + last * tensor.elementBytes) {
      at -= reinterpret_cast<uintptr_t>(tensor.base) % kSectorBytes;
      break;
    }
  }
  add(globals, lane, at, bytes, site, false);
}

void Counting::shared(const Lane &lane, const void *address, uint32_t bytes, uint32_t site) {
  add(shareds, lane, address, bytes, site, true);
}

void Counting::rows(const uint8_t *const (&addresses)[8], uint32_t site) {
  Access access{0xff, 16, {}};
  for (uint32_t i = 0; i < 8; ++i) {
    access.addresses[i] = reinterpret_cast<uintptr_t>(addresses[i]);
  }
  count(access, site, true);
}

void Counting::block(uint32_t number) {
  if (blocks.size() <= number) {
    blocks.resize(number + 1);
  }
  ++blocks[number];
}

void Counting::program(const WarpOp *ops, uint32_t count, uint32_t lanes) {
  for (const WarpOp *op = ops; op != ops + count; ++op) {
    InstructionClass kind = InstructionClass::Warp;
    switch (op->kind) {
#define PHOBOS_WARP_MMA(name, k, element, accumulator, sentence) case WarpKind::name:
#include "phobos/host/HostCalls.def"
      kind = InstructionClass::Mma;
      break;
    case WarpKind::LdMatrix:
    case WarpKind::StMatrix:
      kind = InstructionClass::Shared;
      break;
    case WarpKind::Nop:
      continue;
    case WarpKind::SyncWarp:
      kind = InstructionClass::Barrier;
      break;
    default:
      if (op->kind >= WarpKind::IAdd) {
        kind = InstructionClass::Integer;
      } else if (op->kind >= WarpKind::FAdd) {
        kind = InstructionClass::Float;
      }
    }
    instruction(op->site, kind, lanes);
  }
}

void Counting::barrier(const Lane &lane, uint32_t site) {
  instruction(site, InstructionClass::Barrier, 1);
  at(site).barriers += lane.lane == static_cast<uint32_t>(__builtin_ctz(lane.itsWarp->alive));
}

void Counting::flush() {
  for (Places *places : {&globals, &shareds}) {
    for (auto &[key, pending] : *places) {
      for (const Access &access : pending.accesses) {
        count(access, static_cast<uint32_t>(key), places == &shareds);
      }
    }
    places->clear();
  }
}

void Counting::addTo(Profile &profile) {
  profile.sites.resize(std::max(profile.sites.size(), sites.size()));
  for (size_t i = 0; i < sites.size(); ++i) {
    profile.sites[i] += sites[i];
  }
  profile.blocks.resize(std::max(profile.blocks.size(), blocks.size()));
  for (size_t i = 0; i < blocks.size(); ++i) {
    profile.blocks[i] += blocks[i];
  }
}

namespace calls {

void profileGlobal(ThreadContext *thread, const void *address, uint32_t bytes, Access, uint32_t site) {
  Lane &lane = laneOf(thread);
  if (Counting *counting = lane.cta->worker->counting.get()) {
    counting->global(lane, address, bytes, site);
  }
}
void profileShared(ThreadContext *thread, const void *address, uint32_t bytes, Access, uint32_t site) {
  Lane &lane = laneOf(thread);
  if (Counting *counting = lane.cta->worker->counting.get()) {
    counting->shared(lane, address, bytes, site);
  }
}
void profileBlock(ThreadContext *thread, uint32_t block) {
  if (Counting *counting = laneOf(thread).cta->worker->counting.get()) {
    counting->block(block);
  }
}

} // namespace calls
} // namespace phobos::host
