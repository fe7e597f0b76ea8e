// SIGSEGV, SIGBUS, SIGFPE and SIGILL, on a stack of their own, since that of a fiber may be what overflowed.
#include "Faults.h"

#include <csignal>
#include <cstdio>

namespace phobos::host {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr size_t kStackBytes = 64 * 1024;

thread_local Worker *watched = nullptr;
struct sigaction before[std::size(kSignals)];

std::string describeFault(int signal, const void *address) {
  char text[160];
  switch (signal) {
  case SIGSEGV:
  case SIGBUS:
    std::snprintf(text, sizeof text,
                  "the kernel accessed memory that is not there, at address %p; check=\"bounds\" says where", address);
    return text;
  case SIGFPE:
    return "the kernel did arithmetic that this machine refuses";
  default:
    return "the kernel ran into an instruction that this machine does not have";
  }
}

void handle(int signal, siginfo_t *info, void *) {
  Worker *worker = watched;
  if (!worker || !worker->current) { // not in a kernel: as before
    for (size_t i = 0; i < std::size(kSignals); ++i) {
      if (kSignals[i] == signal) {
        sigaction(signal, &before[i], nullptr);
      }
    }
    return; // the instruction is executed again
  }
  // The code that faulted holds nothing of the runtime's: it is left as any fiber that will never go on.
  fail(*worker->current,
       {Report::Kind::Crash, describeFault(signal, info->si_addr), 0, {{describe(*worker->current)}}});
}

} // namespace

FaultHandler::FaultHandler() {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER; // left by a switch: the signal must not stay blocked
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &action, &before[i]);
  }
}

FaultHandler::~FaultHandler() {
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &before[i], nullptr);
  }
}

void watchFaults(Worker *worker) {
  thread_local std::unique_ptr<std::byte[]> stack;
  if (!stack) {
    stack = std::make_unique<std::byte[]>(kStackBytes);
    stack_t alternate = {};
    alternate.ss_sp = stack.get();
    alternate.ss_size = kStackBytes;
    sigaltstack(&alternate, nullptr);
  }
  watched = worker;
}

} // namespace phobos::host
