// Runs the disassembler on a temporary file.
#include "phobos/Target/Disassemble.h"

#include "phobos/Target/ToolPaths.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace phobos::target {

llvm::Expected<std::string> disassemble(llvm::StringRef cubin) {
  std::string nvdisasm = findProgram("nvdisasm"), cuobjdump = nvdisasm.empty() ? findProgram("cuobjdump") : "";
  if (nvdisasm.empty() && cuobjdump.empty()) {
    return toolError(
        "machine code as text needs nvdisasm or cuobjdump, and neither was found\n"
        "hint: both are in the CUDA toolkit and in pip's nvidia-cuda-nvdisasm and nvidia-cuda-cuobjdump; set "
        "PHOBOS_NVDISASM or PHOBOS_CUOBJDUMP, or CUDA_HOME");
  }
  llvm::SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("phobos-sass", folder)) {
    return toolError("cannot make a temporary folder: " + error.message());
  }
  auto cleanUp = llvm::scope_exit([&] { llvm::sys::fs::remove_directories(folder); });
  std::string input = (folder + "/kernel.cubin").str(), output = (folder + "/sass").str(),
              log = (folder + "/log").str();
  {
    std::error_code error;
    llvm::raw_fd_ostream file(input, error);
    if (error) {
      return toolError("cannot write " + input + ": " + error.message());
    }
    file << cubin;
  }
  std::string program = nvdisasm.empty() ? cuobjdump : nvdisasm;
  llvm::SmallVector<llvm::StringRef> command = {program};
  if (nvdisasm.empty()) {
    command.append({"-sass", input});
  } else {
    command.append({"-c", input}); // code sections only
  }
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(output), llvm::StringRef(log)};
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(program, command, std::nullopt, redirects, 0, 0, &problem);
  auto readFile = [](const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  };
  if (status != 0) {
    return toolError(program + " failed: " + problem + readFile(log));
  }
  return readFile(output);
}

} // namespace phobos::target
