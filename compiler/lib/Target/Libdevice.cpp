// Finds libdevice.10.bc, keeps its bytes for the life of the process, and links the few functions asked for: the file
// is read lazily, so a kernel that uses one function does not pay for the other 350.
#include "Libdevice.h"

#include "phobos/Target/TargetError.h"
#include "phobos/Target/ToolPaths.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <mutex>

namespace phobos::target {
namespace {

/// The file, found and read at the first use; a failure is looked for again, since the user may set CUDA_HOME.
llvm::Expected<llvm::MemoryBufferRef> libdeviceBytes() {
  static std::mutex mutex;
  static std::unique_ptr<llvm::MemoryBuffer> bytes;
  std::lock_guard<std::mutex> lock(mutex);
  if (bytes) {
    return bytes->getMemBufferRef();
  }
  std::vector<std::string> tried;
  std::string path = findToolkitFile({"nvvm/libdevice/libdevice.10.bc", "libdevice/libdevice.10.bc"}, tried);
  if (path.empty()) {
    return toolError("this kernel uses a libdevice function, and libdevice.10.bc was not found.\n"
                     "hint: install the CUDA toolkit (or pip's nvidia-cuda-nvcc) or set CUDA_HOME; looked in:\n" +
                     joinLines(tried));
  }
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    return toolError("cannot read " + path + ": " + buffer.getError().message());
  }
  bytes = std::move(*buffer);
  return bytes->getMemBufferRef();
}

bool callsLibdevice(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return function.isDeclaration() && function.getName().starts_with("__nv_") && !function.use_empty();
  });
}

} // namespace

llvm::Expected<bool> linkLibdevice(llvm::Module &module) {
  if (!callsLibdevice(module)) {
    return false;
  }
  llvm::Expected<llvm::MemoryBufferRef> bytes = libdeviceBytes();
  if (!bytes) {
    return bytes.takeError();
  }
  llvm::Expected<std::unique_ptr<llvm::Module>> library =
      llvm::getLazyBitcodeModule(*bytes, module.getContext(), /*ShouldLazyLoadMetadata=*/true);
  if (!library) {
    return toolError("libdevice.10.bc is not usable: " + llvm::toString(library.takeError()));
  }
  // The library is older than this LLVM's data layout string; both mean the same memory.
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  llvm::StringSet<> ours;
  for (const llvm::GlobalValue &value : module.global_values()) {
    if (!value.isDeclaration()) {
      ours.insert(value.getName());
    }
  }
  bool failed = llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::Flags::LinkOnlyNeeded);
  if (failed) {
    return internalError("linking libdevice failed");
  }
  llvm::internalizeModule(module, [&](const llvm::GlobalValue &value) { return ours.contains(value.getName()); });
  for (const llvm::Function &function : module) {
    if (function.isDeclaration() && function.getName().starts_with("__nv_") && !function.use_empty() &&
        function.getName() != "__nvvm_reflect") {
      return internalError("libdevice has no function '" + function.getName().str() + "'");
    }
  }
  return true;
}

} // namespace phobos::target
