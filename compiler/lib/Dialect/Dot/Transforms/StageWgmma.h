// Contractions for wgmma: bulk copies into slots, and warpgroup products.
#pragma once

#include "TensorMaps.h"
#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/MapVector.h"

namespace phobos::dot {

/// Rewrites contractions that planContraction gave to wgmma; what the copy engine brings in one turn of a loop
/// completes on one barrier. Tensor maps become arguments of the kernel.
class WgmmaStager {
public:
  explicit WgmmaStager(tile::KernelOp kernel) : kernel(kernel) {}
  void stage(ContractOp op, const ContractionPlan &plan);

private:
  struct Turn { // of a loop
    mlir::TypedValue<BarriersType> barriers;
    AwaitOp await;
    llvm::SmallMapVector<std::pair<mlir::Operation *, mlir::Type>, TmaTile, 4> tiles; // by load and what it is read as
    llvm::SmallMapVector<mlir::Operation *, mlir::Value, 2> still; // slots of what all turns have alike, by load
  };
  Turn &turnOf(ContractOp op);
  mlir::Value bringStill(Turn &turn, tile::LoadOp load);
  const TmaTile &bring(Turn &turn, tile::LoadOp load, mlir::Type read);

  tile::KernelOp kernel;
  llvm::DenseMap<mlir::Operation *, Turn> turns;
};

/// Remarks on a tile that cannot reach the chip's rate. `rowBytes`: of the shortest rows in shared memory.
void adviseTile(ContractOp op, int64_t rowBytes);

} // namespace phobos::dot
