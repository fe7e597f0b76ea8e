// Loads that say how caches are to treat them, as inline PTX (PTX ISA, "ld"). They stay in order with other accesses.
#include "CacheHints.h"

#include "phobos/Target/CacheHint.h"
#include "phobos/Target/Chip.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace phobos::target {
namespace {

LLVM::InlineAsmOp assembly(OpBuilder &b, Location loc, TypeRange results, Value address, StringRef text,
                           StringRef constraints) {
  return LLVM::InlineAsmOp::create(b, loc, results, ValueRange(address), text, constraints, /*has_side_effects=*/true,
                                   /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr());
}

/// The load of `count` words of `bits` bits, as integers; of 8 bits in a register of 16.
Value load(OpBuilder &b, LLVM::LoadOp op, StringRef hint, unsigned count, unsigned bits) {
  Type word = b.getIntegerType(std::max(bits, 16u));
  StringRef letter = bits <= 16 ? "h" : bits == 32 ? "r" : "l";
  std::string list, constraints;
  for (unsigned i = 0; i < count; ++i) {
    list += (i ? ", $" : "$") + std::to_string(i);
    constraints += ("=" + letter + ",").str();
  }
  std::string vector = count == 1 ? "" : ".v" + std::to_string(count);
  std::string text = ("ld.global" + hint + vector + (bits == 8 ? ".u" : ".b")).str() + std::to_string(bits) + " " +
                     (count == 1 ? list : "{" + list + "}") + ", [$" + std::to_string(count) + "];";
  Type result = word;
  if (count > 1) {
    result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(count, word));
  }
  return assembly(b, op.getLoc(), result, op.getAddr(), text, constraints + "l,~{memory}").getResult(0);
}

void rewrite(LLVM::LoadOp op, StringRef hint) {
  OpBuilder b(op);
  auto vector = dyn_cast<VectorType>(op.getType());
  Type element = getElementTypeOrSelf(op.getType());
  unsigned count = vector ? vector.getNumElements() : 1, bits = element.getIntOrFloatBitWidth();
  Value made = load(b, op, hint, count, bits);
  auto asElement = [&](Value word) -> Value {
    if (bits == 8) {
      word = LLVM::TruncOp::create(b, op.getLoc(), b.getI8Type(), word);
    }
    return word.getType() == element ? word : Value(LLVM::BitcastOp::create(b, op.getLoc(), element, word));
  };
  Value result = vector ? Value(LLVM::UndefOp::create(b, op.getLoc(), vector)) : asElement(made);
  for (unsigned i = 0; vector && i < count; ++i) {
    Value word = asElement(count == 1 ? made : Value(LLVM::ExtractValueOp::create(b, op.getLoc(), made, i)));
    Value place = LLVM::ConstantOp::create(b, op.getLoc(), b.getI32IntegerAttr(i));
    result = LLVM::InsertElementOp::create(b, op.getLoc(), result, word, place);
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

} // namespace

void writeCacheHints(ModuleOp module, const Chip &chip) {
  SmallVector<std::pair<LLVM::LoadOp, StringAttr>> loads;
  module.walk([&](LLVM::LoadOp op) {
    auto hint = op->getAttrOfType<StringAttr>(kCacheHintAttr);
    if (hint && (chip.has(kCpAsync) || !hint.getValue().starts_with(".L1"))) {
      loads.emplace_back(op, hint);
    }
  });
  for (auto [op, hint] : loads) {
    rewrite(op, hint);
  }
  module.walk([](NVVM::PrefetchOp op) {
    if (op.getTensormap()) {
      return;
    }
    OpBuilder b(op);
    assembly(b, op.getLoc(), TypeRange(), op.getAddr(), "prefetch.global.L2 [$0];", "l");
    op.erase();
  });
}

} // namespace phobos::target
