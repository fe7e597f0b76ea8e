// ptxas as a process: the way where libnvJitLink is missing or too old for the chip.
#include "Assemblers.h"

#include "phobos/Target/ToolPaths.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace phobos::target {
namespace {

std::string readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

} // namespace

AssembleResult assembleWithPtxas(llvm::StringRef ptx, const Chip &chip) {
  AssembleResult result;
  std::string program = findProgram("ptxas");
  if (program.empty()) {
    return result;
  }
  result.tool = program;
  result.command = program + " -arch=" + chip.name.str() + " -O3 -v kernel.ptx -o kernel.cubin";
  result.status = AssembleResult::Status::Refused;

  llvm::SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("phobos-ptxas", folder)) {
    result.log = "cannot make a temporary folder: " + error.message() + "\n";
    return result;
  }
  auto cleanUp = llvm::scope_exit([&] { llvm::sys::fs::remove_directories(folder); });
  std::string input = (folder + "/kernel.ptx").str(), output = (folder + "/kernel.cubin").str(),
              log = (folder + "/log").str();
  {
    std::error_code error;
    llvm::raw_fd_ostream file(input, error);
    if (error) {
      result.log = "cannot write " + input + ": " + error.message() + "\n";
      return result;
    }
    file << ptx;
  }
  std::string arch = "-arch=" + chip.name.str();
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(log), llvm::StringRef(log)};
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(program, {program, arch, "-O3", "-v", input, "-o", output}, std::nullopt,
                                         redirects, /*SecondsToWait=*/0, /*MemoryLimit=*/0, &problem);
  result.log = readFile(log);
  if (status != 0) {
    result.log += problem.empty() ? "" : problem + "\n";
    if (saysTooOld(result.log)) {
      result.status = AssembleResult::Status::TooOld;
    }
    return result;
  }
  result.cubin = readFile(output);
  result.status = AssembleResult::Status::Done;
  return result;
}

} // namespace phobos::target
