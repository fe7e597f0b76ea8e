// dot-advance-blocks: the next block's first loads, issued in this one's last turns. See Passes.td.
#include "TensorMaps.h"

#include "phobos/Dialect/Dot/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace phobos::dot {

#define GEN_PASS_DEF_ADVANCEBLOCKS
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

namespace {

/// A tile that a block loads for its products' registers: the load, what reshapes it, and the scalars that it needs, in
/// order.
struct First {
  Value tile;
  SmallVector<Operation *> ops;
};

class Advancer {
public:
  Advancer(scf::ForOp blocks, tile::KernelOp kernel) : blocks(blocks), kernel(kernel), rewriter(kernel.getContext()) {}

  void run() {
    SmallVector<First> firsts;
    Operation *holder = nullptr; // what reads the tiles, of the loop's body
    for (auto load : blocks.getBody()->getOps<tile::LoadOp>()) {
      std::optional<First> first = find(load);
      Operation *reader = first ? readerOf(first->tile) : nullptr;
      if (reader && (!holder || holder == reader)) {
        holder = reader;
        firsts.push_back(std::move(*first));
      }
    }
    if (!firsts.empty() && isa<scf::IfOp, scf::ForOp>(holder)) {
      advance(firsts, holder);
    }
  }

private:
  static bool isScalar(Operation *op) {
    return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
           llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  }

  /// Is the load one whose tile products take from registers, of nothing but the block's number and what is outside?
  std::optional<First> find(tile::LoadOp load) {
    bool written = false;
    kernel.walk([&](Operation *op) {
      if (auto store = dyn_cast<tile::StoreOp>(op)) {
        written |= store.getView() == load.getView();
      } else if (auto store = dyn_cast<StoreAsyncOp>(op)) {
        written |= viewOf(store.getMap()) == load.getView();
      } else if (auto atomic = dyn_cast<tile::AtomicOp>(op)) {
        written |= atomic.getView() == load.getView();
      }
    });
    if (written || load.getFill() || !load.getIndices().empty()) {
      return std::nullopt;
    }
    llvm::SetVector<Operation *> needed;
    if (!collect(load, needed)) {
      return std::nullopt;
    }
    First first{load.getResult(), {}};
    for (Operation &op : *blocks.getBody()) {
      if (needed.contains(&op)) {
        first.ops.push_back(&op);
      }
    }
    while (first.tile.hasOneUse()) {
      auto reshape = dyn_cast<tile::ReshapeOp>(*first.tile.user_begin());
      if (!reshape || reshape->getBlock() != blocks.getBody()) {
        break;
      }
      first.ops.push_back(reshape);
      first.tile = reshape.getResult();
    }
    bool multiplied = llvm::any_of(first.tile.getUsers(), [&](Operation *user) {
      auto product = dyn_cast<WgmmaOp>(user);
      return product && product.getA() == first.tile && product->getBlock() != blocks.getBody();
    });
    return multiplied ? std::optional(std::move(first)) : std::nullopt;
  }

  bool collect(Operation *op, llvm::SetVector<Operation *> &needed) {
    needed.insert(op);
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      Operation *maker = operand.getDefiningOp();
      if (!maker || maker->getBlock() != blocks.getBody()) {
        return maker || operand == blocks.getInductionVar() ||
               cast<BlockArgument>(operand).getOwner() != blocks.getBody();
      }
      return needed.contains(maker) || (isScalar(maker) && collect(maker, needed));
    });
  }

  /// The one op of the loop's body that reads the tile.
  Operation *readerOf(Value tile) {
    Operation *reader = nullptr;
    for (Operation *user : tile.getUsers()) {
      Operation *own = blocks.getBody()->findAncestorOpInBlock(*user);
      if (reader && own != reader) {
        return nullptr;
      }
      reader = own;
    }
    return reader;
  }

  /// The tiles of another block.
  SmallVector<Value> load(ArrayRef<First> firsts, Value block) {
    IRMapping mapping;
    mapping.map(blocks.getInductionVar(), block);
    SmallVector<Value> tiles;
    for (const First &first : firsts) {
      for (Operation *op : first.ops) {
        if (!mapping.contains(op->getResult(0))) {
          rewriter.clone(*op, mapping);
        }
      }
      tiles.push_back(mapping.lookup(first.tile));
    }
    return tiles;
  }

  void advance(ArrayRef<First> firsts, Operation *holder) {
    rewriter.setInsertionPoint(blocks);
    SmallVector<Value> inits = load(firsts, blocks.getLowerBound());
    auto keep = [](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
      return SmallVector<Value>(carried.begin(), carried.end());
    };
    // What is found in the body stays there: only the loop around it is made anew.
    auto wider = blocks.replaceWithAdditionalYields(rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, keep);
    blocks = cast<scf::ForOp>(wider->getOperation());
    auto carried = blocks.getRegionIterArgs().take_back(inits.size());
    for (auto [first, tile] : llvm::zip(firsts, carried)) {
      rewriter.replaceAllUsesWith(first.tile, tile);
    }
    drawn = blocks.getStep().getDefiningOp<tile::QueueOp>() != nullptr;

    SmallVector<Value> following;
    if (auto branch = dyn_cast<scf::IfOp>(holder)) {
      following = advanceIn(branch, firsts, carried);
    } else {
      rewriter.setInsertionPointAfter(holder);
      following = next(firsts);
    }
    Operation *yield = blocks.getBody()->getTerminator();
    if (drawn) {
      rewriter.setInsertionPoint(yield);
      tile::GoOnOp::create(rewriter, blocks.getLoc(), following.back());
      following.pop_back();
    }
    yield->setOperands(yield->getNumOperands() - following.size(), following.size(), following);
    for (const First &first : firsts) {
      for (Operation *op : llvm::reverse(first.ops)) {
        if (isa<tile::LoadOp, tile::ReshapeOp>(op) && op->use_empty()) {
          rewriter.eraseOp(op);
        }
      }
    }
  }

  /// The next block's tiles, and, where it is drawn, its number.
  SmallVector<Value> next(ArrayRef<First> firsts, bool withoutWork = false) {
    Location loc = blocks.getLoc();
    Value block = drawn ? Value(tile::NextBlockOp::create(rewriter, loc, withoutWork))
                        : Value(arith::AddIOp::create(rewriter, loc, blocks.getInductionVar(), blocks.getStep()));
    SmallVector<Value> values = load(firsts, block);
    if (drawn) {
      values.push_back(block);
    }
    return values;
  }

  /// In both branches, behind the last reader.
  SmallVector<Value> advanceIn(scf::IfOp branch, ArrayRef<First> firsts, ValueRange tiles) {
    SmallVector<Type> types(branch.getResultTypes());
    llvm::append_range(types, tiles.getTypes());
    if (drawn) {
      types.push_back(rewriter.getIndexType());
    }
    rewriter.setInsertionPoint(branch);
    auto wider = scf::IfOp::create(rewriter, branch.getLoc(), types, branch.getCondition(), /*withElseRegion=*/true);
    for (auto [from, to] : {std::pair(&branch.getThenRegion(), &wider.getThenRegion()),
                            std::pair(&branch.getElseRegion(), &wider.getElseRegion())}) {
      to->takeBody(*from);
      Block &block = to->front();
      Operation *last = nullptr;
      for (Operation &op : block) {
        bool reads = false;
        op.walk([&](Operation *inner) {
          reads |=
              llvm::any_of(inner->getOperands(), [&](Value operand) { return llvm::is_contained(tiles, operand); });
        });
        last = reads ? &op : last;
      }
      if (last) {
        rewriter.setInsertionPointAfter(last);
      } else {
        rewriter.setInsertionPointToStart(&block);
      }
      SmallVector<Value> more = next(firsts, /*withoutWork=*/!last);
      Operation *yield = block.getTerminator();
      yield->insertOperands(yield->getNumOperands(), more);
    }
    unsigned own = branch.getNumResults();
    rewriter.replaceOp(branch, wider.getResults().take_front(own));
    return SmallVector<Value>(wider.getResults().drop_front(own));
  }

  scf::ForOp blocks;
  tile::KernelOp kernel;
  IRRewriter rewriter;
  bool drawn = false;
};

struct AdvanceBlocks final : impl::AdvanceBlocksBase<AdvanceBlocks> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](SpecializeOp roles) {
      for (auto loop : roles.getConsumer().front().getOps<scf::ForOp>()) {
        loops.push_back(loop);
      }
    });
    for (scf::ForOp loop : loops) {
      Advancer(loop, getOperation()).run();
    }
  }
};

} // namespace
} // namespace phobos::dot
