// Dialects and passes, ours and the few of MLIR's that the pipeline uses.
#include "Registration.h"

#include "Pipeline.h"

#include "phobos/Conversion/Passes.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Dialect/Tile/Transforms/Passes.h"
#include "phobos/Target/LLVMToPTX.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Transforms/Passes.h"

namespace phobos::driver {

void registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::ub::UBDialect,
                  mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect, tile::TileDialect, dot::DotDialect>();
  target::registerTranslations(registry);
}

const mlir::DialectRegistry &dialects() {
  static const mlir::DialectRegistry registry = [] {
    mlir::DialectRegistry all;
    registerAllDialects(all);
    return all;
  }();
  return registry;
}

void registerAllPasses() {
  tile::registerTilePasses();
  dot::registerDotPasses();
  registerConversionPasses();
  mlir::registerTransformsPasses();
  mlir::registerPass([] { return mlir::createConvertNVVMToLLVMPass(); });
  // --to-dot and so on: the driver's own pipeline from the tile phase as generated to the end of a phase.
  for (Phase last : loweringPhases()) {
    std::string name = std::string("to-") + phaseInfo(last).name;
    mlir::PassPipelineRegistration<>(name, phaseInfo(last).sentence, [last](mlir::OpPassManager &passes) {
      for (Phase phase : loweringPhases()) {
        if (phase <= last) {
          addPasses(passes, phase);
        }
      }
    });
  }
}

} // namespace phobos::driver
