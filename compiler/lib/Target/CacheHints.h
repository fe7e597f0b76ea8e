// How caches are to treat loads.
#pragma once

namespace mlir {
class ModuleOp;
}

namespace phobos::target {

struct Chip;

/// Loads with a hint (kCacheHintAttr) become inline PTX: LLVM's loads have no place for it. Chips before sm_80 know no
/// priorities of eviction.
void writeCacheHints(mlir::ModuleOp module, const Chip &chip);

} // namespace phobos::target
