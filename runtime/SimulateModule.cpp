// Text of a module to an outcome.
#include "phobos/runtime/SimulateModule.h"

#include "phobos/Driver/HostKernel.h"

#include <algorithm>

namespace phobos::runtime {
namespace {

std::string placeText(const HostKernel &kernel, uint32_t site) {
  if (!site || site >= kernel.sites.size() || kernel.sites[site].file.empty()) {
    return "";
  }
  const HostSite &place = kernel.sites[site];
  return place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
}

} // namespace

Status simulateModule(const ModuleLaunch &launch) {
  HostOptions options;
  options.checkGlobal = launch.settings.bounds || launch.settings.race;
  options.checkShared = options.checkGlobal || launch.settings.init;
  auto calls = host::callSymbols();
  auto compiled = compileModuleForHost(launch.mlir, launch.entry, options, {calls.begin(), calls.end()});
  if (!compiled) {
    return Error{Error::Kind::Compile, compiled.failure().text, compiled.failure().reproducer};
  }
  const HostKernel &kernel = **compiled;
  const std::vector<unsigned> &sizes = kernel.info.parameterBytes;
  if (launch.parameters.size() != sizes.size()) {
    return Error::launch("error: the kernel has " + std::to_string(sizes.size()) + " parameters, got " +
                         std::to_string(launch.parameters.size()) + "\n");
  }
  std::vector<std::vector<unsigned char>> values = launch.parameters;
  std::vector<void *> pointers;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i].resize(std::max<size_t>(sizes[i], values[i].size()));
    pointers.push_back(values[i].data());
  }
  host::LaunchRequest request;
  request.fiber = kernel.fiber;
  request.loop = kernel.loop;
  request.grid = launch.grid;
  request.block = launch.block;
  request.cluster = {kernel.info.cluster[0], kernel.info.cluster[1], kernel.info.cluster[2]};
  request.staticSharedBytes = kernel.info.dynamicSharedOffset;
  request.dynamicSharedBytes = launch.dynamicSharedBytes;
  request.stackBytes = static_cast<uint32_t>(kernel.stackBytes);
  request.argv = pointers.data();
  request.checks = {launch.settings.bounds, launch.settings.race, launch.settings.init, launch.settings.deadlock};
  request.seed = launch.settings.seed;
  request.tensors = launch.tensors;
  request.accesses = kernel.info.accesses;
  request.ordersBlocks = kernel.info.ordersBlocks;
  request.dependent = kernel.info.dependent;
  request.interrupted = interruptRequested;
  request.write = printer();
  host::Outcome outcome = host::simulate(request);
  if (outcome.interrupted) {
    return Error{Error::Kind::Interrupt, "interrupted\n", {}};
  }
  if (!outcome.error.empty()) {
    return Error::launch("error: the simulator has no " + outcome.error + "\n");
  }
  if (outcome.reports.empty()) {
    return {};
  }
  Error error{Error::Kind::Simulation, "", {}};
  for (const host::Report &report : outcome.reports) {
    error.text += placeText(kernel, report.site) + "error: " + report.message + "\n";
    for (const host::Report::Note &note : report.notes) {
      error.text += placeText(kernel, note.site) + "note: " + note.message + "\n";
    }
  }
  return error;
}

} // namespace phobos::runtime
