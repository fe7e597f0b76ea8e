// Implements Driver/Compiler.h with as little as the runtime's tests need: a "cubin" is the text of its constants.
#include "Fakes.h"

#include "phobos/runtime/Arguments.h"
#include "phobos/runtime/Specialise.h"

#include <chrono>
#include <thread>

namespace phobos {
namespace fake {

CompilerState &compiler() {
  static CompilerState state;
  return state;
}

void CompilerState::reset() {
  kernels.clear();
  multiples.clear();
  parameters.clear();
  when = [](const Constants &) { return true; };
  refuse = [](const Constants &) { return std::string(); };
  build = "build-1";
  prepared = compiled = compileMilliseconds = 0;
  noAssembler = false;
  hostKernel = {};
  hostOptions.clear();
}

namespace {
struct Unit final : SourceUnit {
  std::vector<KernelInfo> infos;
  std::string file, none;
  const std::vector<KernelInfo> &kernels() const override { return infos; }
  const std::string &path() const override { return file; }
  const std::string &warnings() const override { return none; }
};

struct Prepared final : PreparedKernel {
  KernelInfo kernel;
  Constants values;
  std::vector<std::vector<int64_t>> multiples_;
  const KernelInfo &info() const override { return kernel; }
  const Constants &constants() const override { return values; }
  std::vector<SourcePlace> stores_;
  const std::vector<std::vector<int64_t>> &multiples() const override { return multiples_; }
  const std::vector<SourcePlace> &stores() const override { return stores_; }
  unsigned threads() const override { return 128; }
};
} // namespace
} // namespace fake

SourceUnit::~SourceUnit() = default;
PreparedKernel::~PreparedKernel() = default;

Expected<std::shared_ptr<const SourceUnit>> parseSource(std::string path, std::string text, bool, const Imports &) {
  if (text.find("syntax error") != std::string::npos) {
    return Failure{Failure::Kind::User, path + ":1:1: error: syntax\n", ""};
  }
  auto unit = std::make_shared<fake::Unit>();
  unit->infos = fake::compiler().kernels;
  unit->file = std::move(path);
  return std::shared_ptr<const SourceUnit>(std::move(unit));
}

Expected<KernelInfo> analyseKernel(const SourceUnit &unit, const std::string &, int, const Constants &) {
  return unit.kernels().front();
}

Expected<std::shared_ptr<const PreparedKernel>> prepareKernel(std::shared_ptr<const SourceUnit> unit,
                                                              const std::string &kernel, int line,
                                                              const Constants &constants, const Constants &captures) {
  ++fake::compiler().prepared;
  auto prepared = std::make_shared<fake::Prepared>();
  for (const KernelInfo &info : unit->kernels()) {
    if (info.name == kernel && info.line == line) {
      prepared->kernel = info;
      prepared->stores_.resize(info.parameters.size());
    }
  }
  prepared->values = constants;
  prepared->values.insert(prepared->values.end(), captures.begin(), captures.end());
  prepared->multiples_ = fake::compiler().multiples;
  return std::shared_ptr<const PreparedKernel>(std::move(prepared));
}

Expected<bool> satisfiesWhen(const SourceUnit &, const std::string &, int, const Constants &constants) {
  return fake::compiler().when(constants);
}

Specialisation genericSpecialisation(const PreparedKernel &) { return {}; }

Expected<Artifact> compileKernel(const PreparedKernel &kernel, const Specialisation &specialisation,
                                 const CompileOptions &options) {
  fake::CompilerState &state = fake::compiler();
  std::this_thread::sleep_for(std::chrono::milliseconds(state.compileMilliseconds));
  if (std::string reason = state.refuse(kernel.constants()); !reason.empty()) {
    return Failure{Failure::Kind::User, reason, ""};
  }
  if (state.noAssembler && options.stopAfter == "cubin") {
    return Failure{Failure::Kind::Tool, "error: no ptxas\n", ""};
  }
  ++state.compiled;
  Artifact artifact;
  std::string text = options.chip;
  for (const auto &[name, value] : kernel.constants()) {
    text += " " + name + "=" + toText(value);
  }
  artifact.contract.entry = kernel.info().name;
  artifact.contract.chip = options.chip;
  artifact.contract.parameters = state.parameters;
  artifact.contract.threads = kernel.threads();
  artifact.contract.specialisation = specialisation;
  artifact.ptx = "ptx " + text;
  if (options.stopAfter == "cubin") {
    artifact.cubin = "cubin " + text;
  }
  return artifact;
}

HostKernel::~HostKernel() = default;

Expected<std::shared_ptr<const HostKernel>> compileForHost(const PreparedKernel &kernel, const Specialisation &,
                                                           const CompileOptions &options, const HostOptions &host,
                                                           const std::vector<host::Symbol> &symbols) {
  fake::CompilerState &state = fake::compiler();
  if (std::string reason = state.refuse(kernel.constants()); !reason.empty()) {
    return Failure{Failure::Kind::User, reason, ""};
  }
  ++state.compiled;
  state.hostOptions.push_back(host);
  auto made = std::make_shared<HostKernel>(state.hostKernel);
  made->contract.entry = kernel.info().name;
  made->contract.chip = options.chip;
  made->contract.parameters = state.parameters;
  made->contract.threads = kernel.threads();
  return std::shared_ptr<const HostKernel>(std::move(made));
}

Expected<std::shared_ptr<const HostKernel>>
compileModuleForHost(const std::string &, const std::string &, const HostOptions &, const std::vector<host::Symbol> &) {
  return Failure{Failure::Kind::User, "error: no modules here\n", ""};
}

// Enough of a contract to launch again: entry, chip, threads and the parameters, as words.
std::string toJson(const KernelContract &contract, const Resources &) {
  std::string text = contract.entry + " " + contract.chip + " " + std::to_string(contract.threads);
  for (const EntryParameter &p : contract.parameters) {
    text += " " + std::to_string(static_cast<int>(p.kind)) + " " + std::to_string(p.index) + " " +
            std::to_string(p.axis) + " " + std::to_string(p.bytes);
  }
  return text;
}

Expected<std::pair<KernelContract, Resources>> contractFromJson(const std::string &text) {
  std::vector<std::string> words{""};
  for (char c : text) {
    if (c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.size() % 4 != 3) {
    return Failure{Failure::Kind::Internal, "bad contract", ""};
  }
  KernelContract contract;
  contract.entry = words[0];
  contract.chip = words[1];
  contract.threads = std::atoi(words[2].c_str());
  for (size_t i = 3; i < words.size(); i += 4) {
    auto at = [&](size_t k) { return static_cast<unsigned>(std::atoi(words[i + k].c_str())); };
    contract.parameters.push_back({static_cast<EntryParameter::Kind>(at(0)), at(1), at(2), at(3)});
  }
  return std::pair(contract, Resources{});
}

std::vector<std::string> supportedChips() { return {"sm_80", "sm_86", "sm_90a"}; }

Expected<std::optional<bool>> debugFromEnvironment() { return std::optional<bool>(); }

const std::string &buildId() { return fake::compiler().build; }

} // namespace phobos
