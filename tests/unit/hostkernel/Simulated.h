// Small kernels in the nvvm dialect, compiled for the host and run by the simulator.
#pragma once

#include "phobos/Driver/HostKernel.h"
#include "phobos/host/Simulator.h"

#include <gtest/gtest.h>

namespace phobos {

/// A kernel @k whose parameters are `parameters` and whose body is `body`; `module` holds other definitions.
std::string kernelText(const std::string &parameters, const std::string &body, const std::string &module = "",
                       const std::string &attributes = "nvvm.kernel");

class Simulated {
public:
  /// Compiles; a failure fails the test.
  explicit Simulated(const std::string &text, const HostOptions &options = {});

  const HostKernel &kernel() const { return *kernel_; }
  explicit operator bool() const { return bool(kernel_); }

  /// Runs with these parameters, each the address of a value; whatever the simulator reports fails the test.
  void run(host::Extent3 grid, host::Extent3 block, std::vector<void *> parameters);
  /// The same, giving the outcome.
  host::Outcome outcome(host::Extent3 grid, host::Extent3 block, std::vector<void *> parameters);

  host::LaunchRequest request; // what run() leaves alone

private:
  std::shared_ptr<const HostKernel> kernel_;
};

/// The text of the failure; empty if it compiles.
std::string compileError(const std::string &text);

/// Levels of optimisation and ways of lowering that must all give the same.
std::vector<HostOptions> allOptions();

/// Runs @k on one array of `count` words, each preset to `preset`, under every one of allOptions().
template <typename T = uint32_t>
void expectWords(const std::string &text, host::Extent3 block, const std::vector<T> &want, T preset = T(0)) {
  for (const HostOptions &options : allOptions()) {
    Simulated simulated(text, options);
    ASSERT_TRUE(simulated);
    std::vector<T> words(want.size(), preset);
    void *address = words.data();
    simulated.run({1, 1, 1}, block, {&address});
    EXPECT_EQ(words, want) << "optimise " << options.optimise << ", batch " << options.batch << ", pull "
                           << options.pull << ", thread loop " << options.threadLoop << ", checks "
                           << options.checkShared;
  }
}

} // namespace phobos
