// Loops that wait, loops that do not end, kernels that give up.
#include "Simulated.h"

#include <atomic>
#include <chrono>

namespace phobos {
namespace {

TEST(HostProgress, BlocksThatWaitForEachOtherAllRun) {
  // A barrier of the grid: every block counts itself, then spins until all have. More blocks than workers.
  Simulated simulated(kernelText("%counter: !llvm.ptr<1>", R"(
    %one = llvm.mlir.constant(1 : i32) : i32
    %all = nvvm.read.ptx.sreg.nctaid.x : i32
    %old = llvm.atomicrmw add %counter, %one syncscope("device") acq_rel : !llvm.ptr<1>, i32
    llvm.br ^spin
  ^spin:
    %now = llvm.load volatile %counter : !llvm.ptr<1> -> i32
    %waits = llvm.icmp "ult" %now, %all : i32
    llvm.cond_br %waits, ^spin, ^done
  ^done:
    llvm.return)"));
  ASSERT_TRUE(simulated);
  EXPECT_TRUE(simulated.kernel().info.spins);
  EXPECT_FALSE(simulated.kernel().info.loop);
  uint32_t counter = 0;
  void *address = &counter;
  simulated.run({12, 1, 1}, {1, 1, 1}, {&address});
  EXPECT_EQ(counter, 12u);
}

TEST(HostProgress, ALockOfTheThreadsOfAWarp) {
  // Each thread takes the lock by compare and exchange, adds without an atomic, and gives it back.
  Simulated simulated(kernelText("%state: !llvm.ptr<1>", R"(
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %sum = llvm.getelementptr %state[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.br ^try
  ^try:
    %r = llvm.cmpxchg %state, %zero, %one acq_rel monotonic : !llvm.ptr<1>, i32
    %got = llvm.extractvalue %r[1] : !llvm.struct<(i32, i1)>
    llvm.cond_br %got, ^inside, ^try
  ^inside:
    %x = llvm.load volatile %sum : !llvm.ptr<1> -> i32
    %y = llvm.add %x, %one : i32
    llvm.store volatile %y, %sum : i32, !llvm.ptr<1>
    %back = llvm.atomicrmw xchg %state, %zero release : !llvm.ptr<1>, i32
    llvm.return)"));
  ASSERT_TRUE(simulated);
  EXPECT_TRUE(simulated.kernel().info.spins);
  uint32_t state[2] = {0, 0};
  void *address = state;
  simulated.run({4, 1, 1}, {64, 1, 1}, {&address});
  EXPECT_EQ(state[1], 256u);
}

TEST(HostProgress, AnEndlessLoopCanBeStopped) {
  for (bool loop : {true, false}) {
    HostOptions options;
    options.threadLoop = loop;
    Simulated simulated(kernelText("%out: !llvm.ptr<1>", R"(
    %one = llvm.mlir.constant(1 : i32) : i32
    %three = llvm.mlir.constant(3 : i32) : i32
    llvm.br ^turn(%one : i32)
  ^turn(%x: i32):
    %y = llvm.mul %x, %three : i32
    %never = llvm.mlir.constant(0 : i32) : i32
    %done = llvm.icmp "eq" %y, %never : i32
    llvm.cond_br %done, ^end, ^turn(%y : i32)
  ^end:
    llvm.store %y, %out : i32, !llvm.ptr<1>
    llvm.return)"),
                        options);
    ASSERT_TRUE(simulated);
    EXPECT_EQ(simulated.kernel().info.loop, loop);
    auto start = std::chrono::steady_clock::now();
    simulated.request.interrupted = [&] {
      return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(50);
    };
    uint32_t word = 0;
    void *address = &word;
    EXPECT_TRUE(simulated.outcome({4, 1, 1}, {32, 1, 1}, {&address}).interrupted);
  }
}

TEST(HostProgress, ATrapIsToldWithItsLine) {
  Simulated simulated(kernelText("%out: !llvm.ptr<1>", R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c3 = llvm.mlir.constant(3 : i32) : i32
    %bad = llvm.icmp "eq" %tid, %c3 : i32
    llvm.cond_br %bad, ^trap, ^end
  ^trap:
    "llvm.intr.trap"() : () -> () loc("kernel.py":17:5)
    llvm.br ^end
  ^end:
    llvm.return)"));
  ASSERT_TRUE(simulated);
  uint32_t word = 0;
  void *address = &word;
  host::Outcome outcome = simulated.outcome({1, 1, 1}, {32, 1, 1}, {&address});
  ASSERT_EQ(outcome.reports.size(), 1u);
  EXPECT_EQ(outcome.reports[0].kind, host::Report::Kind::Trap);
  const HostSite &site = simulated.kernel().sites[outcome.reports[0].site];
  EXPECT_EQ(site, (HostSite{"kernel.py", 17, 5, "llvm.intr.trap"}));
}

TEST(HostProgress, KernelsAreFreedAndLoadedAgain) {
  std::string text = kernelText("%out: !llvm.ptr<1>", R"(
    %c7 = llvm.mlir.constant(7 : i32) : i32
    llvm.store %c7, %out : i32, !llvm.ptr<1>
    llvm.return)");
  HostOptions fast;
  fast.optimise = 0;
  for (int i = 0; i < 50; ++i) {
    Simulated simulated(text, fast);
    ASSERT_TRUE(simulated);
    uint32_t word = 0;
    void *address = &word;
    simulated.run({1, 1, 1}, {1, 1, 1}, {&address});
    EXPECT_EQ(word, 7u);
  }
}

} // namespace
} // namespace phobos
