// The switch, for x86-64 and the System V calling convention; and memory for stacks.
#include "Fiber.h"

#include <sys/mman.h>

#ifndef __x86_64__
#error "the simulator's fibers are written for x86-64"
#endif

extern "C" {
void phobos_host_switch(void **save, void *load);
void phobos_host_start();
}

// Leaves by an indirect jump, not `ret`: the return stack would mispredict at each switch, the indirect predictor hits.
asm(R"(
.text
.hidden phobos_host_switch
.globl phobos_host_switch
.type phobos_host_switch,@function
.p2align 4
phobos_host_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmpq *%rcx
.size phobos_host_switch,.-phobos_host_switch

.hidden phobos_host_start
.globl phobos_host_start
.type phobos_host_start,@function
.p2align 4
phobos_host_start:
  movq %r12, %rdi
  jmpq *%r13
.size phobos_host_start,.-phobos_host_start
)");

namespace phobos::host {

void Fiber::prepare(uint8_t *top, Entry entry, void *argument) {
  auto *stack = reinterpret_cast<uint64_t *>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t(15));
  *--stack = 0; // no return address: unwinders stop here, and the stack is aligned as after a call
  *--stack = reinterpret_cast<uint64_t>(phobos_host_start);
  // In the order in which phobos_host_switch takes them back: r15, r14, r13, r12, rbx, rbp.
  stack -= 6;
  stack[0] = stack[1] = stack[4] = stack[5] = 0;
  stack[2] = reinterpret_cast<uint64_t>(entry);
  stack[3] = reinterpret_cast<uint64_t>(argument);
  stackPointer_ = stack;
}

void Fiber::jump(Fiber &from, const Fiber &to) { phobos_host_switch(&from.stackPointer_, to.stackPointer_); }

uint8_t *reserveMemory(size_t bytes, size_t alignment) {
  void *all = mmap(nullptr, bytes + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) {
    return nullptr;
  }
  auto first = reinterpret_cast<uintptr_t>(all), begin = (first + alignment - 1) & ~(alignment - 1);
  if (begin > first) {
    munmap(all, begin - first);
  }
  if (size_t left = first + alignment - begin) {
    munmap(reinterpret_cast<void *>(begin + bytes), left);
  }
  return reinterpret_cast<uint8_t *>(begin);
}

bool commitMemory(uint8_t *begin, size_t bytes) { return mprotect(begin, bytes, PROT_READ | PROT_WRITE) == 0; }

void releaseMemory(uint8_t *begin, size_t bytes) { munmap(begin, bytes); }

} // namespace phobos::host
