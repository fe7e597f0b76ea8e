// ldmatrix and stmatrix: 8 x 8 matrices of 16 bits, a row in the words of four lanes.
#include "Counting.h"
#include "Races.h"
#include "Warp.h"

#include <cstring>

namespace phobos::host {
namespace {

constexpr uint32_t kRows = 8, kRowBytes = 16;

uint8_t *rowAddress(Cta &cta, uint32_t address) {
  uintptr_t window = reinterpret_cast<uintptr_t>(cta.arena) & ~(kWindowBytes - 1);
  return reinterpret_cast<uint8_t *>(window | address);
}

} // namespace

void loadMatrices(Cta &cta, Warp &warp, const WarpOp &op) {
  Counting *counting = cta.worker->counting.get();
  for (uint32_t m = 0; m < op.num; ++m) {
    auto *out = reinterpret_cast<uint16_t *>(warp.words[op.out[m]]); // [row][column], as the lanes hold it
    uint16_t matrix[kRows][kRows];
    const uint8_t *rows[kRows];
    for (uint32_t r = 0; r < kRows; ++r) {
      uint32_t lane = m * kRows + r;
      const uint8_t *row = rowAddress(cta, warp.words[op.in[0]][lane]);
      rows[r] = row;
      if (cta.checker) {
        cta.checker->load(cta.lanes[warp.index * kWarpLanes + lane], row, kRowBytes, op.site);
      }
      std::memcpy(matrix[r], row, kRowBytes);
    }
    if (counting) {
      counting->rows(rows, op.site);
    }
    if (!(op.flags & kTransposed)) {
      std::memcpy(out, matrix, sizeof matrix);
      continue;
    }
    for (uint32_t r = 0; r < kRows; ++r) {
      for (uint32_t c = 0; c < kRows; ++c) {
        out[c * kRows + r] = matrix[r][c];
      }
    }
  }
}

void storeMatrices(Cta &cta, Warp &warp, const WarpOp &op) {
  Counting *counting = cta.worker->counting.get();
  for (uint32_t m = 0; m < op.num; ++m) {
    auto *in = reinterpret_cast<const uint16_t *>(warp.words[op.in[1 + m]]);
    const uint8_t *rows[kRows];
    for (uint32_t r = 0; r < kRows; ++r) {
      uint16_t values[kRows];
      for (uint32_t c = 0; c < kRows; ++c) {
        values[c] = op.flags & kTransposed ? in[c * kRows + r] : in[r * kRows + c];
      }
      uint32_t lane = m * kRows + r;
      uint8_t *row = rowAddress(cta, warp.words[op.in[0]][lane]);
      if (cta.checker) {
        cta.checker->store(cta.lanes[warp.index * kWarpLanes + lane], row, values, kRowBytes, op.site);
      }
      std::memcpy(row, values, kRowBytes);
      rows[r] = row;
    }
    if (counting) {
      counting->rows(rows, op.site);
    }
  }
}

} // namespace phobos::host
