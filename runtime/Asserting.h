// Kernels with assertions that were launched on a GPU. A launch is not waited for, and an assertion that fails takes
// the context with it: the driver says so with whatever is called next, which has nothing to do with it.
#pragma once

#include <string>

namespace phobos::runtime {

/// `kernel`, words that say which it is, was launched; it must live as long as the process.
void noteAsserting(const std::string *kernel);

/// Whose assertion can have failed: the kernels launched, the latest first, joined by "or". Empty: none was.
std::string assertingKernels();

} // namespace phobos::runtime
