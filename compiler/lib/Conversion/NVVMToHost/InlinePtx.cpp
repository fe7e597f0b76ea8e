// Inline PTX: a few texts are known by heart, everything else is refused. PTX is not parsed on the host.
//
//   wgmma.wait_group.sync.aligned N;            with values tied from inputs to outputs, which pass through
//   wgmma.mma_async … with A from registers     the form that the nvvm dialect lacks
//   mov.u32 $0, %tid.x;
//   a use of registers under a condition that never holds (dot.keep)
//   nothing                                     where memory accesses must stay in order: so it is on the host; or of
//   one
//                                               value, whose origin LLVM is not to see
#include "WgmmaOps.h"

#include "phobos/Conversion/InlinePtx.h"

using namespace mlir;

namespace phobos::tohost {
namespace {

/// Takes `prefix` off, and the number behind it.
std::optional<uint64_t> consumeNumber(StringRef &text, StringRef prefix) {
  uint64_t number;
  if (!text.consume_front(prefix) || text.consumeInteger(10, number)) {
    return std::nullopt;
  }
  return number;
}

bool isKept(LLVM::InlineAsmOp op) { return op.getAsmString().starts_with(lowering::kKeepPtx); }

LogicalResult lowerInlineAsm(KernelToHost &k, LLVM::InlineAsmOp op) {
  if (op.getAsmString().empty() && op.getOperands().size() == 1 && op->getNumResults() == 1) {
    op.setConstraints("=r,0"); // the same here: bits whose origin is not to be seen
    return success();
  }
  if (!k.thread()) {
    return k.needThread(op);
  }
  StringRef text = op.getAsmString().trim(), rest = text;
  if ((text.empty() && op.getOperands().empty() && op->getNumResults() == 0) || isKept(op)) {
    op.erase();
    return success();
  }
  auto groups = consumeNumber(rest, "wgmma.wait_group.sync.aligned ");
  if (groups && rest == ";") {
    k.call(HostCall::wgmmaWait, {k.i32c(*groups), k.site(op)});
    if (op->getNumResults() == 0) {
      op.erase();
      return success();
    }
    // The first inputs are tied to the outputs.
    auto type = dyn_cast<LLVM::LLVMStructType>(op->getResult(0).getType());
    if (!type) {
      k.replace(op, op.getOperands()[0]);
      return success();
    }
    Value all = LLVM::UndefOp::create(k.b, k.loc, type);
    for (unsigned i = 0; i < type.getBody().size(); ++i) {
      all = LLVM::InsertValueOp::create(k.b, k.loc, all, op.getOperands()[i], int64_t(i));
    }
    k.replace(op, all);
    return success();
  }
  if (text == "mov.u32 $0, %tid.x;") {
    k.replace(op, k.tid(0));
    return success();
  }
  InFlightDiagnostic error = op.emitError("the host simulator cannot run inline PTX: ") << text;
  error.attachNote() << "hint: compile for a GPU target, or use the ph.* function for it";
  return error;
}

} // namespace

std::optional<Wgmma> parseInlineWgmma(Operation *op) {
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  if (!assembly) {
    return std::nullopt;
  }
  // { .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64nNk16.f32.f16.f16 {…}, {four}, $d, p, 1, 1, 1;
  // }
  StringRef text = assembly.getAsmString().trim();
  auto adds = text.consume_front("{ .reg .pred p; setp.ne.b32 p, ") ? consumeNumber(text, "") : std::nullopt;
  if (!adds || !text.consume_front(", 0; wgmma.mma_async.sync.aligned.")) {
    return std::nullopt;
  }
  auto n = consumeNumber(text, "m64n");
  if (!n || !text.consume_front("k16.f32.")) {
    return std::nullopt;
  }
  host::Element element;
  if (text.consume_front("f16.f16 ")) {
    element = host::Element::f16;
  } else if (text.consume_front("bf16.bf16 ")) {
    element = host::Element::bf16;
  } else {
    return std::nullopt;
  }
  // Outputs, ties, four words of A, a descriptor.
  size_t words = *n / 2, operands = assembly.getOperands().size();
  std::string tail = ", $" + std::to_string(2 * words + 4) + ", p, 1, 1, ";
  size_t at = text.find(tail);
  if (operands != words + 5 || at == StringRef::npos) {
    return std::nullopt;
  }
  StringRef transposed = text.drop_front(at + tail.size());
  if (transposed != "1; }" && transposed != "0; }") {
    return std::nullopt;
  }
  Wgmma known;
  known.op = op;
  known.entry.a = known.entry.b = element;
  known.entry.d = host::Element::f32;
  known.entry.n = *n;
  known.entry.k = 16;
  known.entry.flags = host::kWgmmaRegistersA | (transposed.front() == '1' ? host::kWgmmaTransposeB : 0) |
                      (*adds == 0 ? host::kWgmmaZeroD : 0);
  known.elements.assign(assembly.getOperands().begin(), assembly.getOperands().begin() + words);
  known.a.assign(assembly.getOperands().begin() + words, assembly.getOperands().begin() + words + 4);
  known.b = assembly.getOperands()[words + 4];
  return known;
}

void registerInlinePtx(HandlerTable &table) {
  addPure<LLVM::InlineAsmOp, lowerInlineAsm>(table); // asked without a thread too, to refuse
  table[LLVM::InlineAsmOp::getOperationName()].waits = true;
}

} // namespace phobos::tohost
