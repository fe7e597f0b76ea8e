// The lowering of a kernel to one thread's program in the llvm and nvvm dialects: what every op's lowering shares.
//
// One walk over the kernel, region by region, building the llvm.func as it goes; no pattern driver. A tile becomes a
// list of *words*, one thread's registers in the order of its layout's register bits: elements of 16 bits travel in
// pairs (vector<2xT>), of 8 bits in fours, others alone. Every op has one handler, registered by op name; an op without
// one is an internal error that names it. A handler that fails has emitted the diagnostic.
#pragma once

#include "phobos/Dialect/Dot/IR/Dot.h"
#include "phobos/Dialect/Tile/IR/LayoutBridge.h"
#include "phobos/Dialect/Tile/IR/Tile.h"
#include "phobos/Layout/Address.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringMap.h"

#include <array>

namespace phobos::target {
struct Chip;
}

namespace phobos::lowering {

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::Block;
using mlir::Location;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Type;
using mlir::Value;

/// A view's pieces, as scalars of the thread.
struct View {
  tile::ViewType type;
  Value base;                    // !llvm.ptr<1>
  SmallVector<Value, 5> extents; // index type
  SmallVector<Value, 5> strides; // i64, in elements
};

/// Address spaces of NVPTX.
inline constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3, kClusterSharedSpace = 7;
/// Of a CUtensorMap.
inline constexpr unsigned kTensorMapBytes = 128;
/// The symbol of the CTA's dynamic shared memory.
inline constexpr llvm::StringLiteral kSharedSymbol = "phobos_shared";

class WordOrder;
struct QueueTurn;

class Lowering {
public:
  Lowering(tile::KernelOp kernel, const target::Chip &chip);
  /// Builds the function beside the kernel and returns it; null after an error.
  mlir::LLVM::LLVMFuncOp run();

  // --- what is being lowered
  tile::KernelOp kernel;
  const target::Chip &chip;
  mlir::OpBuilder b; // handlers leave it where the next op goes
  Location loc;      // of the op being lowered

  /// Who runs the code being built (dot.specialize).
  enum class Role { All, Producer, Consumer };
  Role role = Role::All;
  WordOrder *wordOrder = nullptr; // of the block being lowered
  QueueTurn *queueTurn = nullptr; // of the loop over blocks being lowered, if it draws them

  // --- values
  /// The lowered scalar of a scalar (index, integer, float, i1).
  Value scalar(Value value) const;
  void setScalar(Value value, Value lowered) { words_[value] = {lowered}; }
  /// A tile's registers, packed; and one by one (a new extraction at each call: LLVM folds what is packed again).
  ArrayRef<Value> words(Value tile) const;
  void setWords(Value tile, ArrayRef<Value> words);
  SmallVector<Value> elements(Value tile);
  void setElements(Value tile, ArrayRef<Value> elements);
  const View &view(Value value) const;
  /// Elements in one word of a tile of this type: 1, 2 or 4.
  unsigned pack(RankedTensorType type) const;
  Type wordType(RankedTensorType type) const;
  unsigned numWords(RankedTensorType type) const;
  SmallVector<Value> packElements(RankedTensorType type, ArrayRef<Value> elements);
  SmallVector<Value> unpackWords(RankedTensorType type, ArrayRef<Value> words);

  // --- types
  /// index by index_bits, 8-bit floats as i8, everything else as it is.
  Type scalarType(Type type) const;
  Type indexType() const { return indexType_; }
  Type i1() const { return i1_; }
  Type i32() const { return i32_; }
  Type i64() const { return i64_; }
  mlir::LLVM::LLVMPointerType pointer(unsigned space) const;

  // --- thread numbers, i32
  Value lane() const { return lane_; }
  Value warp() const { return warp_; }
  Value thread() const { return thread_; }

  /// Blocks along an axis of the grid that was asked for, of a persistent kernel; null in any other.
  Value grid(tile::Axis axis) const { return grid_[unsigned(axis)]; }

  /// The address of the launch's counters, of a kernel that needs them.
  Value counters() const { return counters_; }

  // --- small builders
  Value constant(Type type, int64_t value); // integers
  Value constantF(Type type, double value);
  Value i32c(int64_t value) { return constant(i32_, value); }
  Value i64c(int64_t value) { return constant(i64_, value); }
  Value indexc(int64_t value) { return constant(indexType_, value); }
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value bitXor(Value x, Value y);
  Value bitAnd(Value x, int64_t mask);
  Value shl(Value x, unsigned by);
  Value lshr(Value x, unsigned by);
  Value add(Value x, int64_t y); // folds y = 0
  Value mul(Value x, int64_t y); // folds 0, 1; shifts for powers of two
  Value select(Value condition, Value x, Value y);
  Value icmp(mlir::LLVM::ICmpPredicate predicate, Value x, Value y);
  Value logicalAnd(Value x, Value y); // a null operand is true
  Value toI32(Value x);               // an index or integer, truncated or sign-extended
  Value toI64(Value x);               // sign-extended
  Value toIndex(Value x);
  Value bitcast(Type type, Value x);
  /// `terms` of the thread's numbers, an i32; `warp` may stand in for the warp's number.
  Value evaluate(const layout::TermList &terms, Value warp = {});
  /// base + offset bytes.
  Value byteOffset(Value base, Value offset);
  Value byteOffset(Value base, int64_t offset);
  /// Address of byte `offset` (i32 value, or constant) of the CTA's shared memory.
  Value sharedAddress(Value offset);
  Value sharedBase();
  /// Meets the threads that run this code: the CTA's, or the consumers alone in their role.
  void ctaBarrier();
  /// Is this the thread that acts for all of them? Null: no other runs this code.
  Value isLeader();
  void warpSync();
  /// PTX in place of an op; without `effects` one whose results nobody uses goes away.
  mlir::LLVM::InlineAsmOp inlineAsm(mlir::TypeRange results, mlir::ValueRange operands, StringRef text,
                                    StringRef constraints, bool effects = true);
  /// LLVM moves no access of memory across this; it is no instruction.
  void pinMemory();
  /// Of the threads that hold replicas of one element under `layout`, is this the one that writes? Null: there are
  /// none. Each warp has its own writer unless `acrossWarps`.
  Value isWriter(const layout::LinearLayout &layout, bool acrossWarps = true);
  /// Runs `body` only where `condition` holds (null: everywhere); no results.
  void guarded(Value condition, llvm::function_ref<void()> body);
  /// The same with a result; undefined elsewhere.
  Value guardedValue(Value condition, llvm::function_ref<Value()> body);

  // --- structure
  /// Lowers the ops of a block, without its terminator, at the insertion point.
  LogicalResult lowerBlock(Block &block);
  /// Lowers a combining region (tile.reduce) on scalars: binds its arguments, returns its results.
  mlir::FailureOr<SmallVector<Value>> inlineRegion(mlir::Region &region, ArrayRef<Value> arguments);
  /// Words of each value one after the other, and back: what block arguments carry.
  SmallVector<Value> flatten(mlir::ValueRange values);
  void bindFlat(mlir::ValueRange values, mlir::ValueRange flat);
  SmallVector<Type> flatTypes(mlir::TypeRange types) const;

  /// Layouts are looked up often: cached by type.
  const layout::LinearLayout &layoutOf(RankedTensorType type);
  const layout::LinearLayout &layoutOf(Value tile) { return layoutOf(mlir::cast<RankedTensorType>(tile.getType())); }

  using Handler = LogicalResult (*)(Lowering &, Operation *);
  using HandlerTable = llvm::StringMap<Handler>;
  template <typename OpT, LogicalResult (*handler)(Lowering &, OpT)> static void add(HandlerTable &table) {
    table[OpT::getOperationName()] = [](Lowering &lowering, Operation *op) {
      return handler(lowering, mlir::cast<OpT>(op));
    };
  }

private:
  void buildSignature();
  void prefetchMaps();

  mlir::LLVM::LLVMFuncOp function_;
  const HandlerTable &handlers_;
  llvm::DenseMap<Value, SmallVector<Value>> words_;
  llvm::DenseMap<Value, View> views_;
  llvm::DenseMap<Type, std::unique_ptr<layout::LinearLayout>> layouts_; // what is handed out stays where it is
  Type indexType_, i1_, i32_, i64_;
  Value thread_, lane_, warp_, sharedBase_;
  std::array<Value, 3> grid_;
  Value counters_;
};

// One registration function a family of ops, each in the file of its name.
void registerControlFlow(Lowering::HandlerTable &table); // scf.for, scf.if, scf.while
void registerElementwise(Lowering::HandlerTable &table); // arith and math, on scalars and tiles
void registerPart(Lowering::HandlerTable &table);        // part
void registerShape(Lowering::HandlerTable &table);       // constant, splat, iota, expand_dims, broadcast, transpose, …
void registerMemory(Lowering::HandlerTable &table);      // tile.load, tile.store, extents, strides, launch indices
void registerAtomic(Lowering::HandlerTable &table);      // tile.atomic
void registerRelayout(Lowering::HandlerTable &table);    // tile.relayout
void registerReduce(Lowering::HandlerTable &table);      // tile.reduce
void registerScan(Lowering::HandlerTable &table);        // tile.scan
void registerDebug(Lowering::HandlerTable &table);       // tile.print, tile.assert
void registerStage(Lowering::HandlerTable &table);       // dot.alloc, put, barrier, wait, commit
void registerCpAsync(Lowering::HandlerTable &table);     // dot.copy_async
void registerFragment(Lowering::HandlerTable &table);    // dot.fragment
void registerMma(Lowering::HandlerTable &table);         // dot.mma
void registerFma(Lowering::HandlerTable &table);         // dot.fma, split_tf32, round_tf32
void registerTma(Lowering::HandlerTable &table);         // dot.alloc_barriers, tma_load, await, release
void registerWgmma(Lowering::HandlerTable &table);       // dot.wgmma, wgmma_wait
void registerStoreAsync(Lowering::HandlerTable &table);  // dot.store_async, store_wait
void registerRoles(Lowering::HandlerTable &table);       // dot.specialize
void registerQueue(Lowering::HandlerTable &table);       // tile.queue
void registerGridBarrier(Lowering::HandlerTable &table); // tile.grid_barrier

} // namespace phobos::lowering
