// The CUDA driver, opened with dlopen at first use: no CUDA header is needed to build and no libcuda to import.
// CudaApi.def lists what is used. Types are declared here as the driver's ABI has them.
#pragma once

#include "phobos/runtime/Result.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace phobos::runtime::cuda {

using CuResult = int;
using CuDevice = int;
using CuAddress = unsigned long long;
using CuContext = struct CuContextOpaque *;
using CuModule = struct CuModuleOpaque *;
using CuFunction = struct CuFunctionOpaque *;
using CuStream = struct CuStreamOpaque *;
using CuEvent = struct CuEventOpaque *;
using CuGraph = struct CuGraphOpaque *;
using CuGraphExec = struct CuGraphExecOpaque *;

inline constexpr CuResult kSuccess = 0;
inline constexpr CuResult kErrorAssert = 710; // some kernel's assertion failed; the context is lost
// CUdevice_attribute
inline constexpr int kAttributeMultiprocessors = 16;
inline constexpr int kAttributeMajor = 75, kAttributeMinor = 76;
inline constexpr int kAttributeSharedOptIn = 97;
// CUfunction_attribute
inline constexpr int kFunctionMaxDynamicShared = 8;
inline constexpr int kFunctionStaticShared = 1, kFunctionRegisters = 4, kFunctionMaxThreads = 0;
// CUstreamCaptureMode
inline constexpr int kCaptureThreadLocal = 1, kCaptureRelaxed = 2;
// CUjit_option
inline constexpr int kJitErrorLog = 5, kJitErrorLogBytes = 6;
// CUlimit
inline constexpr int kLimitPrintBuffer = 1;
// CUpointer_attribute
inline constexpr int kPointerDeviceOrdinal = 9;

/// CUlaunchAttribute and CUlaunchConfig.
struct CuLaunchAttribute {
  int id;
  alignas(8) int value;
  char rest[60] = {};
};
static_assert(sizeof(CuLaunchAttribute) == 72);
struct CuLaunchConfig {
  unsigned grid[3], block[3], sharedBytes;
  CuStream stream;
  const CuLaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(CuLaunchConfig) == 56);
// CUlaunchAttributeID: the grid may begin when the one before it in the stream says so (griddepcontrol). Graphs record
// it as an edge from CUDA 12.3 on.
inline constexpr int kLaunchDependent = 6;
// All blocks are resident at once, or the launch fails.
inline constexpr int kLaunchCooperative = 2;
inline constexpr int kDriverOfDependentGraphs = 12030;

struct Api {
#define PHOBOS_CUDA(name, symbol, version, ...) CuResult (*name)(__VA_ARGS__) = nullptr;
#include "phobos/runtime/CudaApi.def"
  int driverVersion = 0; // 13000 for 13.0
};

/// The driver, initialised; null if there is none, with the reason in whyNot().
const Api *api();
/// One sentence; empty if api() is there.
const std::string &whyNot();
/// "cuLaunchKernel: CUDA_ERROR_INVALID_VALUE (invalid argument)"; of a failed assertion, with the kernels that can have
/// been at fault.
std::string errorText(const char *function, CuResult result);

} // namespace phobos::runtime::cuda
