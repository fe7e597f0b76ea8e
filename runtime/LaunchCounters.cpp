// Counters by stream, cut from pieces of device memory that are cleared when they are made.
#include "LaunchCounters.h"

namespace phobos::runtime::cuda {
namespace {

constexpr CuAddress kStride = 32; // a sector each: the atomics of two launches do not wait for each other
constexpr CuAddress kPieceBytes = 16 * 1024;
constexpr unsigned kNonBlocking = 1; // CU_STREAM_NON_BLOCKING

Error failure(const char *function, CuResult result) { return Error::launch(errorText(function, result)); }

} // namespace

/// On a stream of its own, which no recording of another and no work of the default stream's has to do with.
Status LaunchCounters::grow(const Api &api) {
  int mode = kCaptureRelaxed;
  api.threadExchangeCaptureMode(&mode);
  CuAddress piece = 0;
  CuStream stream = nullptr;
  const char *function = "cuMemAlloc";
  CuResult result = api.memAlloc(&piece, kPieceBytes);
  if (result == kSuccess) {
    function = "cuStreamCreate";
    result = api.streamCreate(&stream, kNonBlocking);
  }
  if (result == kSuccess) {
    function = "cuMemsetD32Async";
    result = api.memsetAsync(piece, 0, kPieceBytes / sizeof(unsigned), stream);
  }
  if (result == kSuccess) {
    function = "cuStreamSynchronize";
    result = api.streamSynchronize(stream);
  }
  if (stream) {
    api.streamDestroy(stream);
  }
  api.threadExchangeCaptureMode(&mode);
  if (result != kSuccess) {
    if (piece) {
      api.memFree(piece);
    }
    return failure(function, result);
  }
  next = piece;
  end = piece + kPieceBytes;
  return {};
}

Result<void *> LaunchCounters::of(const Api &api, CuStream stream) {
  int recording = 0;
  unsigned long long graph = 0, number = 0;
  CuResult result = api.streamGetCaptureInfo(stream, &recording, &graph, nullptr, nullptr, nullptr);
  if (result != kSuccess) {
    return failure("cuStreamGetCaptureInfo", result);
  }
  if (!recording) { // while it records a stream does not tell its number
    if (result = api.streamGetId(stream, &number); result != kSuccess) {
      return failure("cuStreamGetId", result);
    }
  }
  std::lock_guard lock(mutex);
  CuAddress recorded = 0;
  CuAddress &counter = recording ? recorded : counters[number];
  if (!counter) {
    if (next == end) {
      if (Status status = grow(api); !status) {
        return status.error();
      }
    }
    counter = std::exchange(next, next + kStride);
  }
  return reinterpret_cast<void *>(counter);
}

} // namespace phobos::runtime::cuda
