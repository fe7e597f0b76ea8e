// Kernels for tests: C++ functions that make the calls which generated code makes.
#pragma once

#include "phobos/host/Simulator.h"

#include <gtest/gtest.h>

namespace phobos::host::test {

inline LaunchRequest requestFor(FiberEntry kernel, uint32_t blocks, uint32_t threads, void **argv) {
  LaunchRequest request;
  request.fiber = kernel;
  request.grid = {blocks, 1, 1};
  request.block = {threads, 1, 1};
  request.argv = argv;
  return request;
}

inline void expectClean(const Outcome &outcome) {
  EXPECT_EQ(outcome.error, "");
  for (const Report &report : outcome.reports) {
    ADD_FAILURE() << report.message << " (" << (report.notes.empty() ? "" : report.notes[0].message) << ")";
  }
}

/// argv[i] as a pointer to T.
template <typename T> T *pointer(void **argv, int i) { return *static_cast<T **>(argv[i]); }

} // namespace phobos::host::test
