// Everything that phobos-opt and the driver's contexts know.
#pragma once

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace phobos::driver {

void registerAllDialects(mlir::DialectRegistry &registry);
/// The registry with all of them, made once.
const mlir::DialectRegistry &dialects();
void registerAllPasses();

} // namespace phobos::driver
