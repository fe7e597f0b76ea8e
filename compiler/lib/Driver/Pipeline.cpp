// The pass pipeline, in order. This is the one place that says what runs when; a pass's own page (Passes.td) says what
// it needs and guarantees.
#include "Pipeline.h"

#include "phobos/Conversion/Passes.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Transforms/Passes.h"

namespace phobos::driver {

llvm::ArrayRef<Phase> loweringPhases() {
  static const Phase kPhases[] = {Phase::tile, Phase::layout, Phase::dot, Phase::pipelined, Phase::nvvm};
  return kPhases;
}

void addPasses(mlir::OpPassManager &module, Phase phase) {
  mlir::OpPassManager &kernel = module.nest<tile::KernelOp>();
  switch (phase) {
  case Phase::tile:
    kernel.addPass(tile::createCheckGridBarriers());
    kernel.addPass(tile::createPersist());
    // What the front end wrote out plainly: constants meet, `acc += dot(a, b)` accumulates in the contraction.
    // Index arithmetic that a loop does not change leaves it, so that the passes see what it is.
    kernel.addPass(mlir::createCanonicalizerPass());
    kernel.addPass(mlir::createCSEPass());
    kernel.addPass(mlir::createLoopInvariantCodeMotionPass());
    kernel.addPass(tile::createUnsignedIndices());
    break;

  case Phase::layout:
    // How deep a turn is decides what is masked, and masks how wide an access may be.
    kernel.addPass(dot::createDeepenTurns());
    kernel.addPass(tile::createSimplifyMasks());
    kernel.addPass(tile::createGuardMasks());
    kernel.addPass(tile::createGuardRows());
    kernel.addPass(mlir::createCanonicalizerPass());
    kernel.addPass(mlir::createCSEPass());
    kernel.addPass(tile::createAssignLayouts());
    kernel.addPass(tile::createSimplifyRelayouts());
    break;

  case Phase::dot:
    // Contractions become instructions on fragments out of staged shared memory, one slot each.
    kernel.addPass(dot::createStageOperands());
    kernel.addPass(tile::createSimplifyRelayouts());
    kernel.addPass(tile::createRelayoutLoads());
    kernel.addPass(dot::createStageStores());
    kernel.addPass(mlir::createCanonicalizerPass());
    kernel.addPass(mlir::createCSEPass());
    break;

  case Phase::pipelined:
    // Loops: what runs ahead, by how much, and the expansion. Three passes with attributes between them.
    kernel.addPass(dot::createOverlapProducts());
    kernel.addPass(dot::createAssignLatency());
    kernel.addPass(dot::createScheduleLoop());
    kernel.addPass(dot::createExpandPipeline());
    kernel.addPass(dot::createPrefetchFragments());
    kernel.addPass(mlir::createCanonicalizerPass());
    kernel.addPass(mlir::createCSEPass());
    kernel.addPass(dot::createAdvanceBlocks());
    kernel.addPass(tile::createAdvanceLoads());
    // Shared memory last, when every lifetime is known, and barriers by what overlaps; then what is stored and read
    // back.
    kernel.addPass(dot::createAllocateShared());
    kernel.addPass(dot::createInsertBarriers());
    kernel.addPass(dot::createOrderGlobal());
    kernel.addPass(dot::createMulticast());
    kernel.addPass(dot::createKeepOperands());
    kernel.addPass(dot::createAwaitPrevious());
    break;

  case Phase::nvvm:
    // Threads appear. LLVM's own passes clean up behind it.
    module.addPass(createTileToLLVM());
    break;

  default:
    llvm_unreachable("not made by passes on MLIR");
  }
}

std::vector<std::string> passNames() {
  std::vector<std::string> names;
  for (Phase phase : loweringPhases()) {
    mlir::OpPassManager passes(mlir::ModuleOp::getOperationName());
    addPasses(passes, phase);
    // Nested managers cannot be walked from outside, but print themselves:
    // builtin.module(tile.kernel(pass{option=x},pass)).
    std::string text;
    llvm::raw_string_ostream os(text);
    passes.printAsTextualPipeline(os);
    std::string word;
    unsigned braces = 0;
    for (char c : text + ",") {
      braces += (c == '{') - (c == '}');
      if (llvm::isAlnum(c) || c == '-' || c == '_' || c == '.') {
        if (braces == 0) {
          word += c;
        }
        continue;
      }
      bool isPass = !word.empty() && !llvm::StringRef(word).contains('.');
      if (isPass && !llvm::is_contained(names, word)) {
        names.push_back(word);
      }
      word.clear();
    }
  }
  return names;
}

} // namespace phobos::driver
