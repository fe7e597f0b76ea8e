// Shadow memory, in pages that the system gives when they are touched.
#include "Shadow.h"
#include "Memory.h"

#include <cstdlib>
#include <sys/mman.h>

namespace phobos::host {
namespace {

constexpr size_t kBlocks = kArenaBytes / Shadow::kBlockBytes;

template <typename T> T *pages(size_t count) {
  void *memory =
      mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::abort(); // 10 MB: nothing else could go on either
  }
  return static_cast<T *>(memory);
}

Epoch aged(Epoch epoch) { return epoch.none() ? epoch : Epoch::ancient(); }

} // namespace

Shadow::Shadow()
    : levels(pages<Level>(kBlocks)), wholes(pages<Cell>(kBlocks)), words(pages<Cell>(kBlocks * 4)),
      bytes_(pages<Cell>(kBlocks * kBlockBytes)) {}

Shadow::~Shadow() {
  munmap(levels, kBlocks * sizeof(Level));
  munmap(wholes, kBlocks * sizeof(Cell));
  munmap(words, kBlocks * 4 * sizeof(Cell));
  munmap(bytes_, kBlocks * kBlockBytes * sizeof(Cell));
}

void Shadow::clear(uint32_t bytes) {
  size_t blocks = (bytes + kBlockBytes - 1) / kBlockBytes;
  std::memset(levels, 0, blocks * sizeof(Level));
  std::memset(static_cast<void *>(wholes), 0, blocks * sizeof(Cell));
}

void Shadow::age(uint32_t bytes) {
  auto visit = [](Cell &cell, uint32_t, uint32_t) {
    cell.write = aged(cell.write);
    for (Epoch &read : cell.reads) {
      read = Epoch();
    }
  };
  for (uint32_t offset = 0; offset + kBlockBytes <= bytes; offset += kBlockBytes) {
    access(offset, kBlockBytes, false, visit);
  }
}

void Shadow::split(uint32_t block, Level level) {
  if (levels[block] == Whole) {
    for (uint32_t i = 0; level == Words && i < 4; ++i) {
      words[block * 4 + i] = wholes[block];
    }
    for (uint32_t i = 0; level == Bytes && i < kBlockBytes; ++i) {
      bytes_[block * kBlockBytes + i] = wholes[block];
    }
    levels[block] = level;
  } else if (levels[block] == Words && level == Bytes) {
    for (uint32_t i = 0; i < kBlockBytes; ++i) {
      bytes_[block * kBlockBytes + i] = words[block * 4 + i / 4];
    }
    levels[block] = Bytes;
  }
}

} // namespace phobos::host
