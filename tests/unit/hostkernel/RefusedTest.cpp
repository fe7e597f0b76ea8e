// What the simulator does not know is refused, with the op and its place.
#include "Simulated.h"

namespace phobos {
namespace {

void expectRefused(const std::string &body, const std::string &message, const std::string &module = "") {
  std::string error = compileError(kernelText("%out: !llvm.ptr<1>", body + "\nllvm.return", module));
  EXPECT_NE(error.find(message), std::string::npos) << error;
}

TEST(HostRefused, InlinePtxIsNotRead) {
  expectRefused("llvm.inline_asm has_side_effects \"membar.gl;\", \"\" : () -> () loc(\"kernel.py\":4:9)",
                "kernel.py:4:9: error: the host simulator cannot run inline PTX: membar.gl;");
}

TEST(HostRefused, InstructionsWithoutAMeaningHere) {
  expectRefused("%c = llvm.mlir.constant(1 : i32) : i32\n%d = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
                "nvvm.tcgen05.alloc %d, %c : !llvm.ptr<3>, i32 loc(\"kernel.py\":9:1)",
                "the host simulator cannot run nvvm.tcgen05.alloc",
                "llvm.mlir.global external @s() {addr_space = 3 : i32} : !llvm.array<64 x i8>");
}

TEST(HostRefused, FunctionsOfTheDeviceThatNobodyDefines) {
  expectRefused("%x = llvm.mlir.constant(1.0 : f32) : f32\n%y = llvm.call @__nv_fast_sinf(%x) : (f32) -> f32",
                "the host simulator does not know libdevice's function __nv_fast_sinf",
                "llvm.func @__nv_fast_sinf(f32) -> f32");
  expectRefused("llvm.call @mystery() : () -> ()", "@mystery is not defined", "llvm.func @mystery()");
}

TEST(HostRefused, FormsOfKnownInstructions) {
  expectRefused("%x = llvm.mlir.constant(1.0 : f32) : f32\n"
                "%y = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rn>, relu = true}",
                "the host simulator cannot run nvvm.convert.float.to.tf32: saturation and relu");
  expectRefused("%x = llvm.mlir.constant(1.0 : f32) : f32\n"
                "%y = llvm.call_intrinsic \"llvm.nvvm.saturate.f\"(%x) : (f32) -> f32",
                "llvm.nvvm.saturate.f");
}

TEST(HostRefused, TextThatIsNoModule) { EXPECT_NE(compileError("nonsense"), ""); }

} // namespace
} // namespace phobos
