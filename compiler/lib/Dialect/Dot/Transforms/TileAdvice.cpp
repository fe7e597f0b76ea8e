// A remark where the tile of a warpgroup product keeps the chip waiting, with one that does not.
#include "StageWgmma.h"

#include "phobos/Dialect/Tile/IR/LayoutBridge.h"

using namespace mlir;

namespace phobos::dot {
namespace {

// Of one multiprocessor, a cycle: operations on 16-bit operands, and bytes that arrive from L2 while all of them ask.
// The latter fits what was measured on an H200: tiles of 64 x 64, 128 x 128 and 128 x 256 reach 0.5, 0.9 and 1.0 of
// cuBLAS.
constexpr double kOperations = 4096, kBytesFromL2 = 64;
// Below this share of the chip's rate something is said.
constexpr double kWorthSaying = 0.75;

/// Of rows of this many bytes, as wgmma reads them.
double rowFactor(int64_t bytes) { return bytes >= 128 ? 1 : bytes >= 64 ? 0.8 : 0.4; }

} // namespace

void adviseTile(ContractOp op, int64_t rowBytes) {
  auto a = cast<RankedTensorType>(op.getA().getType());
  int64_t m = op.m(), n = op.n(), bytes = tile::elementBits(a.getElementType()) / 8;
  double operations = kOperations * 2 / bytes;
  double needed = double(m + n) * bytes * operations / (2.0 * m * n);
  double share = std::min(1.0, kBytesFromL2 / needed) * rowFactor(rowBytes);
  if (share >= kWorthSaying) {
    return;
  }
  op.emitRemark() << "a tile of " << m << " x " << n << " x " << op.k() << " reaches about " << int(share * 100)
                  << " % of the chip's rate: "
                  << (rowFactor(rowBytes) < 1 ? "rows of shared memory are shorter than 128 bytes"
                                              : "each element is used too few times")
                  << "; where the matrices are large 128 x 256 x " << 128 / bytes
                  << " with 256 threads is not held back";
}

} // namespace phobos::dot
