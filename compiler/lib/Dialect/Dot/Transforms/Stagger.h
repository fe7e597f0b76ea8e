// A product that is put off: made from a turn's other products, it starts beside the next turn's first.
#pragma once

#include "phobos/Dialect/Dot/IR/Dot.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace phobos::dot {

/// A turn `s = a b; p = narrow(f(s)); o = (o factor) + p c` whose last product waits for all that is computed on the
/// first's sums, while the tensor cores have nothing to do. Put off by one turn it runs beside the next turn's first
/// product and under what is computed on that one's sums:
///
///     s = a b;  o += p c;  wait for s;  e = f(s);  wait for o;  p = narrow(e);  o = o factor
struct Stagger {
  WgmmaOp first;                // of the turn
  WgmmaOp product;              // the last, from registers
  WgmmaWaitOp wait;             // for it; yielded
  mlir::arith::TruncFOp narrow; // makes the registers
  mlir::arith::MulFOp scale;    // of what is carried, if it is scaled before the product adds to it
  mlir::Value factor;           // of the scaling
  unsigned carried;             // number of the value that the loop carries
};

/// Nothing, where the loop has no such product.
std::optional<Stagger> findStagger(mlir::scf::ForOp loop);

} // namespace phobos::dot
