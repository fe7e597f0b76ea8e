// The process's choice of target, chip and checks.
#include "phobos/runtime/Target.h"

#include "phobos/Driver/Compiler.h"
#include "phobos/runtime/Device.h"
#include "llvm/ADT/STLExtras.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

namespace phobos::runtime {
namespace {

std::string fromEnvironment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

Status readEnvironment(SimulatorSettings &settings) {
  if (Status status = parseChecks(fromEnvironment("PHOBOS_SIM_CHECK"), settings); !status) {
    return status;
  }
  if (std::string seed = fromEnvironment("PHOBOS_SIM_SEED"); !seed.empty()) {
    char *end = nullptr;
    settings.seed = std::strtoull(seed.c_str(), &end, 10);
    if (*end || seed[0] == '-') {
      return Error::launch("error: PHOBOS_SIM_SEED: expected an integer of at least 0, got '" + seed + "'\n");
    }
  }
  if (std::string chip = fromEnvironment("PHOBOS_SIM_ARCH"); !chip.empty()) {
    settings.chip = chip;
    return checkChip(chip);
  }
  return {};
}

struct State {
  std::mutex mutex;
  std::string target;            // as set; "" by default
  std::optional<Target> decided; // by the environment and the machine
  SimulatorSettings settings;
  Status environment; // what is wrong with its part of the settings; empty once they are set
  std::string chip;
  std::optional<bool> debug;
  std::function<bool()> interrupt;
  std::function<bool(std::string_view)> printer;
  std::map<std::string, uint32_t> configurations;
  std::atomic<uint32_t> configuration{0};

  State() {
    const char *named = std::getenv("PHOBOS_ARCH");
    chip = named ? named : "";
    environment = readEnvironment(settings);
    number();
  }
  /// `configuration` of what is set now.
  void number() {
    std::string key = target + '\n' + chip + '\n' + settings.chip + '\n' + checkNames(settings) +
                      (settings.profile ? " profile" : "") +
                      (!debug   ? ""
                       : *debug ? " debug"
                                : " no debug");
    uint32_t next = static_cast<uint32_t>(configurations.size());
    configuration.store(configurations.try_emplace(key, next).first->second, std::memory_order_relaxed);
  }
};

State &state() {
  static State &value = *new State;
  return value;
}

Result<Target> parseTarget(const std::string &name, const std::string &where) {
  if (name == "cuda") {
    return Target::Cuda;
  }
  if (name == "host") {
    return Target::Host;
  }
  return Error::launch("error: unknown target '" + name + "'" + where + "; expected cuda or host\n");
}

Result<Target> decide(const std::string &chip) {
  if (std::string name = fromEnvironment("PHOBOS_TARGET"); !name.empty()) {
    return parseTarget(name, " in PHOBOS_TARGET");
  }
  std::string reason = whyNoCuda();
  if (reason.empty()) {
    return Target::Cuda;
  }
  std::fprintf(stderr,
               "phobos: no GPU (%s); kernels run on the host simulator, as for %s. PHOBOS_TARGET=host says so without "
               "this line\n",
               reason.c_str(), chip.c_str());
  return Target::Host;
}

} // namespace

Status checkChip(const std::string &chip) {
  std::vector<std::string> chips = supportedChips();
  if (llvm::is_contained(chips, chip)) {
    return {};
  }
  std::string list;
  for (const std::string &name : chips) {
    list += (list.empty() ? "" : ", ") + name;
  }
  return Error::launch("error: unknown chip '" + chip + "'; expected one of " + list + "\n");
}

Result<Target> currentTarget() {
  State &s = state();
  std::string set;
  {
    std::lock_guard lock(s.mutex);
    set = s.target;
    if (set.empty() && s.decided) {
      return *s.decided;
    }
  }
  if (!set.empty()) {
    return set == "host" ? Target::Host : Target::Cuda;
  }
  static std::mutex deciding; // the driver is asked, and the line is said, once
  std::lock_guard only(deciding);
  {
    std::lock_guard lock(s.mutex);
    if (s.decided) {
      return *s.decided;
    }
  }
  std::string forced = chipOverride();
  auto settings = simulatorSettings();
  auto target = decide(!forced.empty() || !settings ? forced : settings->chip);
  if (target) {
    std::lock_guard lock(s.mutex);
    s.decided = *target;
  }
  return target;
}

Status setTarget(const std::string &name) {
  if (!name.empty()) {
    if (auto target = parseTarget(name, ""); !target) {
      return target.error();
    }
  }
  State &s = state();
  std::lock_guard lock(s.mutex);
  s.target = name;
  s.number();
  return {};
}

std::string targetName() {
  State &s = state();
  std::lock_guard lock(s.mutex);
  return s.target;
}

Status parseChecks(const std::string &names, SimulatorSettings &settings) {
  struct Row {
    const char *name;
    bool SimulatorSettings::*check;
  };
  static constexpr Row kRows[] = {{"bounds", &SimulatorSettings::bounds},
                                  {"race", &SimulatorSettings::race},
                                  {"init", &SimulatorSettings::init},
                                  {"deadlock", &SimulatorSettings::deadlock}};
  for (const Row &row : kRows) {
    settings.*row.check = false;
  }
  for (size_t begin = 0; begin < names.size();) {
    size_t end = std::min(names.find(',', begin), names.size());
    std::string name = names.substr(begin, end - begin);
    bool known = name.empty() || name == "all";
    for (const Row &row : kRows) {
      if (name == "all" || name == row.name) {
        settings.*row.check = known = true;
      }
    }
    if (!known) {
      return Error::launch("error: unknown check '" + name + "'; expected bounds, race, init, deadlock or all\n");
    }
    begin = end + 1;
  }
  return {};
}

std::string checkNames(const SimulatorSettings &settings) {
  std::string names;
  auto add = [&](bool on, const char *name) { names += on ? (names.empty() ? "" : ",") + std::string(name) : ""; };
  add(settings.bounds, "bounds");
  add(settings.race, "race");
  add(settings.init, "init");
  add(settings.deadlock, "deadlock");
  return names;
}

Result<SimulatorSettings> simulatorSettings() {
  State &s = state();
  std::lock_guard lock(s.mutex);
  if (!s.environment) {
    return s.environment.error();
  }
  return s.settings;
}

Status setSimulatorSettings(const SimulatorSettings &settings) {
  if (Status status = checkChip(settings.chip); !status) {
    return status;
  }
  State &s = state();
  std::lock_guard lock(s.mutex);
  s.settings = settings;
  s.environment = {};
  s.number();
  return {};
}

Status setChipOverride(const std::string &chip) {
  if (!chip.empty()) {
    if (Status status = checkChip(chip); !status) {
      return status;
    }
  }
  State &s = state();
  std::lock_guard lock(s.mutex);
  s.chip = chip;
  s.number();
  return {};
}

std::string chipOverride() {
  State &s = state();
  std::lock_guard lock(s.mutex);
  return s.chip;
}

Result<bool> checksAssertions(Target target) {
  if (std::optional<bool> set = debugSetting()) {
    return *set;
  }
  auto environment = debugFromEnvironment();
  if (!environment) {
    return Error::launch(environment.failure().text);
  }
  return environment->value_or(target == Target::Host);
}

void setDebug(std::optional<bool> debug) {
  State &s = state();
  std::lock_guard lock(s.mutex);
  s.debug = debug;
  s.number();
}

std::optional<bool> debugSetting() {
  State &s = state();
  std::lock_guard lock(s.mutex);
  return s.debug;
}

uint32_t configuration() { return state().configuration.load(std::memory_order_relaxed); }

void setInterruptCheck(std::function<bool()> check) {
  State &s = state();
  std::lock_guard lock(s.mutex);
  s.interrupt = std::move(check);
}

void setPrinter(std::function<bool(std::string_view)> printer) {
  State &s = state();
  std::lock_guard lock(s.mutex);
  s.printer = std::move(printer);
}

std::function<bool(std::string_view)> printer() {
  State &s = state();
  std::lock_guard lock(s.mutex);
  return s.printer;
}

bool interruptRequested() {
  std::function<bool()> check;
  {
    State &s = state();
    std::lock_guard lock(s.mutex);
    check = s.interrupt;
  }
  return check && check();
}

} // namespace phobos::runtime
