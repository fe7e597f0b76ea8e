// Everything that phobos-opt and the driver's contexts know.
#pragma once

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace phobos::driver {

void registerAllDialects(mlir::DialectRegistry &registry);
void registerAllPasses();

} // namespace phobos::driver
