// Compiling and running for the tests of host kernels.
#include "Simulated.h"

namespace phobos {

std::string kernelText(const std::string &parameters, const std::string &body, const std::string &module,
                       const std::string &attributes) {
  return "module {\n" + module + "\n llvm.func @k(" + parameters + ") attributes {" + attributes + "} {\n" + body +
         "\n }\n}\n";
}

static std::vector<host::Symbol> symbols() {
  auto all = host::callSymbols();
  return {all.begin(), all.end()};
}

Simulated::Simulated(const std::string &text, const HostOptions &options) {
  auto made = compileModuleForHost(text, "k", options, symbols());
  if (!made) {
    ADD_FAILURE() << made.failure().text;
    return;
  }
  kernel_ = *made;
  request.fiber = kernel_->fiber;
  request.loop = kernel_->loop;
  request.staticSharedBytes = kernel_->info.staticSharedBytes;
  request.stackBytes = uint32_t(kernel_->stackBytes);
  request.cluster = {kernel_->info.cluster[0], kernel_->info.cluster[1], kernel_->info.cluster[2]};
  if (options.checkShared) {
    request.checks = {.bounds = true, .race = true, .init = true, .deadlock = true};
  }
}

host::Outcome Simulated::outcome(host::Extent3 grid, host::Extent3 block, std::vector<void *> parameters) {
  request.grid = grid;
  request.block = block;
  request.argv = parameters.data();
  return host::simulate(request);
}

void Simulated::run(host::Extent3 grid, host::Extent3 block, std::vector<void *> parameters) {
  host::Outcome got = outcome(grid, block, std::move(parameters));
  EXPECT_EQ(got.error, "");
  EXPECT_FALSE(got.interrupted);
  for (const host::Report &report : got.reports) {
    ADD_FAILURE() << report.message << " at line " << kernel_->sites[report.site].line;
  }
}

std::string compileError(const std::string &text) {
  auto made = compileModuleForHost(text, "k", {}, symbols());
  return made ? "" : made.failure().text;
}

std::vector<HostOptions> allOptions() {
  std::vector<HostOptions> all(6);
  all[0].optimise = 0;
  all[1].optimise = 1;
  all[2].optimise = 2;
  all[3].batch = false;
  all[4].pull = false;
  all[5].threadLoop = false;
  return all;
}

} // namespace phobos
