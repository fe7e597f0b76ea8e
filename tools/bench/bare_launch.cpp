// The loop that a launch from Python is compared with: cuLaunchKernel and nothing else. Compiled by launch.py, which
// passes the driver's function by address, so that no CUDA header or library is needed.
#include <chrono>

using LaunchKernel = int (*)(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                             unsigned blockY, unsigned blockZ, unsigned sharedBytes, void *stream, void **parameters,
                             void **extra);

/// Microseconds for one of `count` launches of one block, enqueued without waiting; negative if the driver refuses.
extern "C" double bareLaunchMicroseconds(LaunchKernel launch, void *function, unsigned threads, void *stream,
                                         void **parameters, int count) {
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    if (launch(function, 1, 1, 1, threads, 1, 1, 0, stream, parameters, nullptr)) {
      return -1.0;
    }
  }
  std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / count;
}
