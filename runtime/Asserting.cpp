// A short list, the latest last.
#include "Asserting.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace phobos::runtime {
namespace {

constexpr size_t kMostNamed = 4;

struct Launched {
  std::mutex mutex;
  std::vector<const std::string *> kernels;
};

Launched &launched() {
  static Launched &instance = *new Launched;
  return instance;
}

} // namespace

void noteAsserting(const std::string *kernel) {
  Launched &list = launched();
  std::lock_guard lock(list.mutex);
  if (!list.kernels.empty() && list.kernels.back() == kernel) {
    return;
  }
  std::erase(list.kernels, kernel);
  list.kernels.push_back(kernel);
}

std::string assertingKernels() {
  Launched &list = launched();
  std::lock_guard lock(list.mutex);
  std::string text;
  size_t named = 0;
  for (auto kernel = list.kernels.rbegin(); kernel != list.kernels.rend() && named < kMostNamed; ++kernel, ++named) {
    text += (text.empty() ? "" : " or ") + **kernel;
  }
  return text + (list.kernels.size() > kMostNamed ? " or one launched before" : "");
}

} // namespace phobos::runtime
