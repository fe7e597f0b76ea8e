// One op applied to every register: what arithmetic, conversions and mathematics share.
#pragma once

#include "phobos/Conversion/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace phobos::lowering {

/// May a rule be applied to whole words (vectors of 2 or 4), where operands and result are packed alike?
enum class Packing { Words, Elements };

/// From the operands, scalars or words, to a result of type `result`.
using Rule = llvm::function_ref<Value(ArrayRef<Value> operands, Type result)>;

/// Applies `rule` to the registers of op's one result; operands are tiles of the result's layout, or scalars.
void mapRegisters(Lowering &lowering, Operation *op, Packing packing, Rule rule);

/// As LLVM spells them, and `extra`.
mlir::LLVM::FastmathFlags fastMath(Operation *op, mlir::LLVM::FastmathFlags extra = mlir::LLVM::FastmathFlags::none);

/// The element type of a tile, or a scalar's type.
Type elementType(Value value);

/// The value of `attr`, a number or a splat, in a register of type `type` (as Lowering::scalarType or wordType gives
/// it).
Value constantOf(Lowering &lowering, mlir::Attribute attr, Type type);

/// x - y * trunc(x / y), exactly; f32 or f64.
Value emitFmod(Lowering &lowering, Value x, Value y);

/// The code of an 8-bit float of type `type` to f16, exactly.
Value widenFloat8(Lowering &lowering, Value code, Type type);

/// f16 and bf16, scalars or words, computed in f32 and rounded once; f32 and f64 as they are. `rule` sees scalars.
Value inF32OrF64(Lowering &lowering, ArrayRef<Value> operands, Type result,
                 llvm::function_ref<Value(ArrayRef<Value>)> rule);

void registerConvert(Lowering::HandlerTable &table); // arith's casts
void registerMath(Lowering::HandlerTable &table);    // the math dialect

} // namespace phobos::lowering
