// phobosc: one kernel of a Python file, to any phase. A thin shell over Compiler.h: everything it knows of kernels
// comes from there, and errors are printed as they come.
#include "PhoboscArguments.h"
#include "PhoboscConstants.h"

#include "phobos/Driver/Phases.h"
#include "phobos/Driver/Tools.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace phobosc;
using phobos::Phase;

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

int fileError(const char *what, const std::string &path) {
  std::fprintf(stderr, "error: cannot %s %s: %s\n", what, path.c_str(), std::strerror(errno));
  return kUserError;
}

std::optional<std::string> readAll(std::FILE *file) {
  std::string text;
  char buffer[1 << 16];
  while (size_t n = std::fread(buffer, 1, sizeof buffer, file)) {
    text.append(buffer, n);
  }
  return std::ferror(file) ? std::nullopt : std::optional(std::move(text));
}

/// The file's text, or nothing with errno set. A directory opens, but does not read.
std::optional<std::string> readInput(const std::string &path) {
  if (path == "-") {
    return readAll(stdin);
  }
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file) {
    return std::nullopt;
  }
  std::optional<std::string> text = readAll(file);
  int error = errno;
  std::fclose(file);
  errno = error;
  return text;
}

bool writeOutput(const std::string &path, const std::string &contents) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file) {
    return false;
  }
  bool good = std::fwrite(contents.data(), 1, contents.size(), file) == contents.size();
  int error = errno;
  if (std::fclose(file) != 0) {
    return false;
  }
  errno = error;
  return good;
}

std::string signature(const phobos::KernelInfo &kernel) {
  std::vector<std::string> parameters;
  for (const phobos::ParameterInfo &parameter : kernel.parameters) {
    std::string type(phobos::name(parameter.dtype));
    if (parameter.kind == phobos::ParameterInfo::Kind::Constant) {
      type = "const[" + type + "]";
    }
    if (parameter.kind == phobos::ParameterInfo::Kind::Tensor) {
      std::vector<std::string> dims;
      for (const phobos::DimInfo &dim : parameter.dims) {
        bool unknown = dim.name.empty() && dim.extent == phobos::kUnknownExtent;
        dims.push_back(unknown ? "?" : dim.name.empty() ? std::to_string(dim.extent) : dim.name);
      }
      type += "[" + join(dims, ", ") + "]";
    }
    parameters.push_back(parameter.name + ": " + type);
  }
  return kernel.name + "(" + join(parameters, ", ") + ")";
}

int listKernels(const phobos::SourceUnit &unit) {
  for (const phobos::KernelInfo &kernel : unit.kernels()) {
    std::printf("%s:%d: %s\n", unit.path().c_str(), kernel.line, signature(kernel).c_str());
    for (const phobos::TunedConstant &tuned : kernel.space) {
      std::vector<std::string> candidates;
      for (const phobos::ConstantValue &candidate : tuned.candidates) {
        candidates.push_back(phobos::toText(candidate));
      }
      std::printf("    %s = %s\n", tuned.name.c_str(), join(candidates, " | ").c_str());
    }
    if (!kernel.when.empty()) {
      std::printf("    when %s\n", kernel.when.c_str());
    }
  }
  return kSuccess;
}

/// The kernel asked for, or the only one.
const phobos::KernelInfo *pickKernel(const phobos::SourceUnit &unit, const std::string &name, int &status) {
  std::vector<std::string> names;
  const phobos::KernelInfo *found = nullptr;
  for (const phobos::KernelInfo &kernel : unit.kernels()) {
    if (std::find(names.begin(), names.end(), kernel.name) == names.end()) {
      names.push_back(kernel.name);
    }
    if (name.empty() || kernel.name == name) {
      found = &kernel; // the last of one name, as Python has it
    }
  }
  if (names.empty()) {
    std::fprintf(stderr, "error: %s has no kernel\nhint: a kernel is a function under @ph.kernel\n",
                 unit.path().c_str());
    status = kUserError;
    return nullptr;
  }
  if (!found) {
    status = usageError("no kernel '" + name + "' in " + unit.path() + phobos::didYouMean(name, names) +
                        "\nkernels: " + join(names, ", "));
    return nullptr;
  }
  if (name.empty() && names.size() > 1) {
    status = usageError(unit.path() + " has several kernels; choose one with --kernel: " + join(names, ", "));
    return nullptr;
  }
  return found;
}

void printTimings(const std::vector<phobos::PhaseTiming> &timings, double total) {
  std::vector<phobos::PhaseTiming> sums; // a pass that runs twice is one line
  for (const phobos::PhaseTiming &timing : timings) {
    auto same = std::find_if(sums.begin(), sums.end(), [&](const auto &other) { return other.name == timing.name; });
    if (same == sums.end()) {
      sums.push_back(timing);
    } else {
      same->milliseconds += timing.milliseconds;
    }
  }
  for (const phobos::PhaseTiming &timing : sums) {
    std::fprintf(stderr, "%-28s %8.2f ms\n", timing.name.c_str(), timing.milliseconds);
  }
  std::fprintf(stderr, "%-28s %8.2f ms\n", "total", total);
}

void printResources(const phobos::Artifact &artifact) {
  const phobos::Resources &needs = artifact.resources;
  std::fprintf(stderr,
               "%s on %s: %u threads, %u registers, %u bytes of shared memory, %u bytes spilled, %u bytes of stack\n",
               artifact.contract.entry.c_str(), artifact.contract.chip.c_str(), artifact.contract.threads,
               needs.registers, needs.staticSharedBytes + needs.dynamicSharedBytes,
               needs.spillStoreBytes + needs.spillLoadBytes, needs.stackBytes);
}

int writePhases(const phobos::Artifact &artifact, const Arguments &arguments) {
  for (Phase phase : arguments.emit) {
    const phobos::PhaseInfo &info = phobos::phaseInfo(phase);
    const std::string &text = artifact.phases.at(info.name);
    if (!arguments.output.empty()) {
      bool several = arguments.emit.size() > 1;
      std::string path = several ? arguments.output + "." + info.suffix : arguments.output;
      if (!writeOutput(path, text)) {
        return fileError("write", path);
      }
      continue;
    }
    if (arguments.emit.size() > 1) {
      std::printf("// ---- %s\n", info.name);
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  if (std::fflush(stdout) != 0) {
    return fileError("write", "standard output");
  }
  return kSuccess;
}

int compile(const Arguments &arguments) {
  bool cubin = std::find(arguments.emit.begin(), arguments.emit.end(), Phase::cubin) != arguments.emit.end();
  if (cubin && arguments.output.empty() && (arguments.emit.size() > 1 || isatty(STDOUT_FILENO))) {
    return usageError("a cubin is not text: name a file with -o");
  }
  auto begin = Clock::now();
  std::optional<std::string> text = readInput(arguments.file);
  if (!text) {
    return fileError("read", arguments.file);
  }
  auto start = Clock::now();
  phobos::Imports imports;
  if (arguments.file != "-") {
    imports = phobos::findImports(arguments.file, *text);
  }
  imports.library = !arguments.noStd;
  auto unit = phobos::parseSource(arguments.file == "-" ? "<stdin>" : arguments.file, std::move(*text),
                                  /*standsAlone=*/true, imports);
  if (!unit) {
    return report(unit.failure());
  }
  std::fputs((*unit)->warnings().c_str(), stderr);
  std::vector<phobos::PhaseTiming> timings = {{"parse", since(start)}};
  if (arguments.list) {
    return listKernels(**unit);
  }
  int status = kSuccess;
  const phobos::KernelInfo *kernel = pickKernel(**unit, arguments.kernel, status);
  if (!kernel) {
    return status;
  }
  start = Clock::now();
  Choice choice = chooseConstants(**unit, *kernel, arguments);
  if (!choice.chosen) {
    return choice.status;
  }
  auto prepared =
      phobos::prepareKernel(*unit, kernel->name, kernel->line, choice.chosen->constants, choice.chosen->captures);
  if (!prepared) {
    return report(prepared.failure());
  }
  timings.push_back({"sema", since(start)});

  phobos::CompileOptions options;
  options.chip = arguments.chip;
  Phase last = arguments.resources ? Phase::cubin : Phase::ast;
  for (Phase phase : arguments.emit) {
    last = phase == Phase::host ? last : std::max(last, phase); // the host's is beside the way
    options.keep.push_back(phobos::phaseInfo(phase).name);
  }
  options.stopAfter = phobos::phaseInfo(last).name;
  options.printAfter = arguments.printAfter;
  options.assertions = arguments.debug;
  options.verifyEach = arguments.verify;
  options.remarks = arguments.remarks;
  options.timing = arguments.timePasses;
  auto artifact = phobos::compileKernel(**prepared, phobos::genericSpecialisation(**prepared), options);
  if (!artifact) {
    return report(artifact.failure());
  }
  double total = since(begin);
  std::fputs(artifact->log.c_str(), stderr);
  for (const std::string &remark : artifact->remarks) {
    std::fputs(remark.c_str(), stderr);
  }
  if (arguments.timePasses) {
    timings.insert(timings.end(), artifact->timings.begin(), artifact->timings.end());
    printTimings(timings, total);
  }
  if (arguments.resources) {
    printResources(*artifact);
  }
  return writePhases(*artifact, arguments);
}

} // namespace

int main(int argc, char **argv) {
  Parsed parsed = parseArguments(argc, argv);
  return parsed.arguments ? compile(*parsed.arguments) : parsed.status;
}
