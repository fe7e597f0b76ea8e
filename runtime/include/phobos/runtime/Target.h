// Where launches go, and how the simulator runs them: what the user set, else the environment, else what the machine
// has. One state for the process; thread-safe.
#pragma once

#include "phobos/runtime/Result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace phobos::runtime {

enum class Target : uint8_t { Cuda, Host };

/// How the simulator runs a launch.
struct SimulatorSettings {
  bool bounds = false, race = false, init = false, deadlock = false; // what to check
  bool profile = false;
  uint64_t seed = 0;          // 0: one fixed order of everything that has none
  std::string chip = "sm_80"; // whose code is simulated, unless the chip is overridden
  bool operator==(const SimulatorSettings &) const = default;
};

/// Where launches go now. Decided at first use: by $PHOBOS_TARGET, else CUDA if there is a device; the host, chosen for
/// want of a device, is said in one line on stderr. An error for a value of $PHOBOS_TARGET that means nothing.
Result<Target> currentTarget();
/// "cuda", "host", or "" for the default again.
Status setTarget(const std::string &name);
/// As set; "" by default.
std::string targetName();

/// As set, else by $PHOBOS_SIM_CHECK, $PHOBOS_SIM_SEED, $PHOBOS_SIM_ARCH.
Result<SimulatorSettings> simulatorSettings();
/// Holds until it is set again; names no error of the environment any more.
Status setSimulatorSettings(const SimulatorSettings &settings);
/// "bounds,race", "all", "": which checks those are, in `settings`.
Status parseChecks(const std::string &names, SimulatorSettings &settings);
std::string checkNames(const SimulatorSettings &settings);

/// Is ph.assert_ checked in kernels for this target? As set, else as $PHOBOS_DEBUG says, else on the simulator only. An
/// error for a value of $PHOBOS_DEBUG that means nothing.
Result<bool> checksAssertions(Target target);
/// Nothing: as at first.
void setDebug(std::optional<bool> debug);
/// As set; nothing by default.
std::optional<bool> debugSetting();

/// An error unless the compiler knows the chip.
Status checkChip(const std::string &chip);

/// Compile for this chip instead of the device's own; the driver assembles the PTX. Empty: the device's own.
/// $PHOBOS_ARCH sets it at first use.
Status setChipOverride(const std::string &chip);
std::string chipOverride();

/// A number for all of the above that selects code or a device: equal again whenever all of it is.
uint32_t configuration();

/// Asked now and then on the thread that launches, while the simulator runs: is the launch to end?
void setInterruptCheck(std::function<bool()> check);
bool interruptRequested();

/// Takes what kernels print on the simulator, on the thread that launches; false ends the launch as an interrupt does.
/// Without one it goes to standard output.
void setPrinter(std::function<bool(std::string_view)> printer);
std::function<bool(std::string_view)> printer();

} // namespace phobos::runtime
