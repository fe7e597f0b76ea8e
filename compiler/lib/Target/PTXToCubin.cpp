// Chooses the assembler, reads its log, and keeps everything needed to look at a failure.
#include "phobos/Target/PTXToCubin.h"

#include "Assemblers.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <atomic>

namespace phobos::target {

bool saysTooOld(llvm::StringRef log) {
  return log.contains_insensitive("unsupported .version") ||
         log.contains_insensitive("is not defined for option 'gpu-name'") ||
         log.contains_insensitive("unsupported gpu architecture");
}

namespace {

/// The number before `what` ("8 bytes spill stores") in the last line that has it; the entry's own line comes last.
unsigned numberBefore(llvm::StringRef log, llvm::StringRef what) {
  unsigned value = 0;
  size_t at = log.rfind(what);
  if (at != llvm::StringRef::npos) {
    llvm::StringRef before = log.take_front(at).rtrim();
    before.substr(before.find_last_not_of("0123456789") + 1).getAsInteger(10, value);
  }
  return value;
}

/// Warnings and advisories ("(C7510) Potential Performance Loss"); the rest of a verbose log is in Resources.
std::string notableLines(llvm::StringRef log) {
  llvm::SmallVector<llvm::StringRef> lines;
  log.split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::string text;
  for (llvm::StringRef line : lines) {
    if (line.contains_insensitive("warning") || line.contains("(C7")) {
      text += line.trim().str() + "\n";
    }
  }
  return text;
}

bool writeFile(const llvm::Twine &path, llvm::StringRef contents) {
  std::error_code error;
  llvm::raw_fd_ostream file(path.str(), error);
  if (error) {
    return false;
  }
  file << contents;
  file.close();
  bool good = !file.has_error();
  file.clear_error(); // else the destructor ends the process
  return good;
}

/// Keeps PTX, command and log; the sentence that says where, or empty.
std::string keepEvidence(llvm::StringRef ptx, const AssembleResult &result) {
  llvm::SmallString<128> folder;
  if (llvm::sys::fs::createUniqueDirectory("phobos-assemble", folder)) {
    return {};
  }
  if (!writeFile(folder + "/kernel.ptx", ptx) || !writeFile(folder + "/log", result.log) ||
      !writeFile(folder + "/command", result.command + "\n")) {
    return {};
  }
  return "PTX, command and log are kept in " + folder.str().str() + "\n";
}

llvm::Error refusal(llvm::StringRef ptx, const AssembleResult &result) {
  return toolError(result.tool + " refused the PTX:\n" + llvm::StringRef(result.log).rtrim().str() + "\n" +
                   keepEvidence(ptx, result));
}

/// What was looked for in vain; `only` is PHOBOS_ASSEMBLER's value, or empty.
std::string missing(const std::string &only) {
  std::string text = only.empty() ? "neither libnvJitLink nor ptxas was found"
                                  : std::string(only == "ptxas" ? "ptxas" : "libnvJitLink") +
                                        " was not found, and PHOBOS_ASSEMBLER allows no other";
  std::optional<std::string> named = llvm::sys::Process::GetEnv("PHOBOS_PTXAS");
  if (only != "nvjitlink" && named && !named->empty()) {
    text += " (PHOBOS_PTXAS is '" + *named + "', which cannot be executed)";
  }
  return text;
}

} // namespace

std::future<void> warmAssembler(const Chip &chip) {
  static std::atomic<bool> warmed = false;
  if (warmed.exchange(true) || llvm::sys::Process::GetEnv("PHOBOS_ASSEMBLER").value_or("") == "ptxas") {
    return {};
  }
  return std::async(std::launch::async, [&chip] {
    std::string version = std::to_string(chip.ptxVersion / 10) + "." + std::to_string(chip.ptxVersion % 10);
    assembleWithNvJitLink(".version " + version + "\n.target " + chip.name.str() +
                              "\n.address_size 64\n.visible .entry warm() { ret; }\n",
                          chip);
  });
}

llvm::Expected<Cubin> assemble(llvm::StringRef ptx, const CubinOptions &options) {
  assert(options.chip && "a chip must be chosen");
  std::string only = llvm::sys::Process::GetEnv("PHOBOS_ASSEMBLER").value_or("");
  if (!only.empty() && only != "nvjitlink" && only != "ptxas") {
    return toolError("PHOBOS_ASSEMBLER is '" + only + "'; expected 'nvjitlink' or 'ptxas'");
  }
  AssembleResult result;
  std::string tooOld;
  std::array tools = {std::pair("nvjitlink", &assembleWithNvJitLink), std::pair("ptxas", &assembleWithPtxas)};
  // nvJitLink assembles units to be linked, whose registers cannot be traded: it leaves this out (C7504).
  if (ptx.contains("setmaxnreg")) {
    std::swap(tools[0], tools[1]);
  }
  for (auto [name, tool] : tools) {
    if (!only.empty() && only != name) {
      continue;
    }
    result = tool(ptx, *options.chip);
    if (result.status == AssembleResult::Status::Done) {
      break;
    }
    if (result.status == AssembleResult::Status::Refused) {
      return refusal(ptx, result);
    }
    if (result.status == AssembleResult::Status::TooOld) {
      tooOld += result.tool + " is too old for " + options.chip->name.str() + " (PTX " +
                std::to_string(options.chip->ptxVersion / 10) + "." + std::to_string(options.chip->ptxVersion % 10) +
                "): " + llvm::StringRef(result.log).trim().str() + "\n";
    }
  }
  if (result.status != AssembleResult::Status::Done) {
    return toolError(tooOld + (tooOld.empty() ? missing(only) + "; " : "") +
                     "a cubin needs one of the CUDA toolkit (or of pip's nvidia-nvjitlink, nvidia-cuda-nvcc).\n"
                     "hint: set CUDA_HOME, or PHOBOS_PTXAS to ptxas itself; PTX alone needs neither (--emit ptx)");
  }
  llvm::Expected<Resources> resources = readResources(result.cubin, options.entry, *options.chip);
  if (!resources) {
    return resources.takeError();
  }
  Cubin cubin;
  cubin.resources = *resources;
  cubin.resources.spillStoreBytes = numberBefore(result.log, " bytes spill stores");
  cubin.resources.spillLoadBytes = numberBefore(result.log, " bytes spill loads");
  cubin.log = notableLines(result.log);
  cubin.tool = std::move(result.tool);
  cubin.bytes = std::move(result.cubin);
  return cubin;
}

} // namespace phobos::target
