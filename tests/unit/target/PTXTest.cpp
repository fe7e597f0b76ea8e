// The nvvm phase to PTX: what the text must say, libdevice when and only when used, failures as errors and not as
// exits.
#include "phobos/Target/LLVMToPTX.h"
#include "phobos/Target/ToolPaths.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace phobos::target;

namespace {

class PTXTest : public testing::Test {
protected:
  PTXTest() : context_(registry(), mlir::MLIRContext::Threading::DISABLED) { context_.loadAllAvailableDialects(); }

  llvm::Expected<PTX> translate(llvm::StringRef body, llvm::StringRef chip = "sm_80") {
    module_ = mlir::parseSourceString<mlir::ModuleOp>(body, &context_);
    assert(module_ && "the test's IR must parse");
    PTXOptions options;
    options.chip = findChip(chip);
    options.keepLLVM = true;
    return translateToPTX(*module_, options);
  }

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registry.insert<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>();
    registerTranslations(registry);
    return registry;
  }
  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

const char *const kStore = R"(
  llvm.func @store(%p: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %a = llvm.getelementptr %p[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %x, %a : f32, !llvm.ptr<1>
    llvm.return
  })";

const char *const kSine = R"(
  llvm.func @__nv_sinf(f32) -> f32
  llvm.func @sine(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.call @__nv_sinf(%x) : (f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    llvm.return
  })";

bool contains(const std::string &text, llvm::StringRef what) { return llvm::StringRef(text).contains(what); }

} // namespace

TEST_F(PTXTest, EveryChipSaysItsTarget) {
  for (const Chip &chip : chips()) {
    llvm::Expected<PTX> ptx = translate(kStore, chip.name);
    ASSERT_TRUE(bool(ptx)) << chip.name.str() << llvm::toString(ptx.takeError());
    EXPECT_TRUE(contains(ptx->text, (".target " + chip.name).str())) << ptx->text;
    std::string version = std::to_string(chip.ptxVersion / 10) + "." + std::to_string(chip.ptxVersion % 10);
    EXPECT_TRUE(contains(ptx->text, ".version " + version)) << ptx->text;
    EXPECT_TRUE(contains(ptx->text, ".visible .entry store("));
    EXPECT_TRUE(contains(ptx->text, ".maxntid 128, 1, 1"));
    EXPECT_TRUE(contains(ptx->text, "st.global.b32"));
    EXPECT_TRUE(contains(ptx->llvm, "target triple = \"nvptx64-nvidia-cuda\""));
    EXPECT_FALSE(ptx->usedLibdevice);
  }
}

TEST_F(PTXTest, LibdeviceIsLinkedInlinedAndInternal) {
  std::vector<std::string> tried;
  if (findToolkitFile({"nvvm/libdevice/libdevice.10.bc"}, tried).empty()) {
    GTEST_SKIP() << "no libdevice on this machine";
  }
  llvm::Expected<PTX> ptx = translate(kSine);
  ASSERT_TRUE(bool(ptx)) << llvm::toString(ptx.takeError());
  EXPECT_TRUE(ptx->usedLibdevice);
  EXPECT_FALSE(contains(ptx->text, ".func")) << ptx->text;
  EXPECT_FALSE(contains(ptx->text, "__nvvm_reflect"));
  EXPECT_FALSE(contains(ptx->text, "__nv_")) << ptx->text;
}

TEST_F(PTXTest, UnknownLibdeviceFunctionIsAnError) {
  llvm::Expected<PTX> ptx = translate(R"(
    llvm.func @__nv_frobnicate(f32) -> f32
    llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %x = llvm.load %p : !llvm.ptr<1> -> f32
      %y = llvm.call @__nv_frobnicate(%x) : (f32) -> f32
      llvm.store %y, %p : f32, !llvm.ptr<1>
      llvm.return
    })");
  ASSERT_FALSE(bool(ptx));
  std::string text = llvm::toString(ptx.takeError());
  EXPECT_TRUE(contains(text, "'__nv_frobnicate'") || contains(text, "libdevice.10.bc was not found")) << text;
}

TEST_F(PTXTest, WhatTheBackEndCannotSelectIsAnErrorAndTheThreadGoesOn) {
  // There are no clusters before sm_90.
  llvm::Expected<PTX> ptx = translate(R"(
    llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
      nvvm.cluster.arrive
      llvm.return
    })",
                                      "sm_75");
  ASSERT_FALSE(bool(ptx));
  std::string text;
  llvm::handleAllErrors(ptx.takeError(), [&](const TargetError &error) {
    EXPECT_EQ(error.kind(), TargetError::Kind::Internal);
    text = error.text();
  });
  EXPECT_TRUE(contains(text, "Cannot select")) << text;
  llvm::Expected<PTX> after = translate(kStore, "sm_75");
  EXPECT_TRUE(bool(after)) << llvm::toString(after.takeError());
}
