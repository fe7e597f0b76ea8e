// Threads parked on a condition variable. A child made by fork() has none of them: it starts a pool of its own.
#include "Pool.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace phobos::host {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(50);
constexpr unsigned kMaxWorkers = 256;

unsigned countWorkers() {
  if (const char *text = std::getenv("PHOBOS_SIM_WORKERS")) {
    int asked = std::atoi(text);
    if (asked > 0) {
      return asked < static_cast<int>(kMaxWorkers) ? asked : kMaxWorkers;
    }
  }
  cpu_set_t set;
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return count < 1 ? 1 : count < static_cast<int>(kMaxWorkers) ? count : kMaxWorkers;
}

class Pool {
public:
  void run(unsigned workers, const std::function<void(unsigned)> &work, const std::function<void()> &poll) {
    std::unique_lock lock(mutex);
    while (threads < workers) {
      std::thread([this, index = threads] { loop(index); }).detach(); // lives as long as the process
      ++threads;
    }
    job = &work;
    wanted = left = workers;
    ++generation;
    wake.notify_all();
    while (left) {
      if (done.wait_for(lock, kPollInterval) == std::cv_status::timeout && left) {
        lock.unlock();
        poll();
        lock.lock();
      }
    }
    job = nullptr;
  }

private:
  void loop(unsigned index) {
    pthread_setname_np(pthread_self(), "phobos-sim");
    std::unique_lock lock(mutex);
    for (uint64_t seen = 0;;) {
      wake.wait(lock, [&] { return generation != seen; });
      seen = generation;
      if (index >= wanted) {
        continue;
      }
      const auto *mine = job;
      lock.unlock();
      (*mine)(index);
      lock.lock();
      if (--left == 0) {
        done.notify_one();
      }
    }
  }

  std::mutex mutex;
  std::condition_variable wake, done;
  const std::function<void(unsigned)> *job = nullptr;
  unsigned threads = 0, wanted = 0, left = 0;
  uint64_t generation = 0;
};

} // namespace

unsigned workerCount() {
  static const unsigned count = countWorkers();
  return count;
}

void runOnPool(unsigned workers, const std::function<void(unsigned)> &work, const std::function<void()> &poll) {
  static Pool *pool = nullptr; // never destroyed: its threads are waiting in it
  static pid_t owner = 0;
  if (owner != getpid()) {
    owner = getpid();
    pool = new Pool;
  }
  pool->run(workers, work, poll);
}

} // namespace phobos::host
