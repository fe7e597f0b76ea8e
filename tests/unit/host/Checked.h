// Checked accesses as generated code makes them, and what tests of the checkers expect.
#pragma once

#include "Kernels.h"

namespace phobos::host::test {

inline constexpr Checks kAll{true, true, true, true};
inline constexpr uint32_t kThreads = 128;

// Shared memory, by offset.
template <typename T> T load(ThreadContext *t, uint32_t offset, uint32_t site) {
  auto *address = reinterpret_cast<T *>(t->shared + offset);
  calls::checkSharedLoad(t, address, sizeof(T), site);
  return *address;
}
template <typename T> void store(ThreadContext *t, uint32_t offset, T value, uint32_t site) {
  auto *address = reinterpret_cast<T *>(t->shared + offset);
  calls::checkSharedStore(t, address, &value, sizeof(T), site);
  *address = value;
}

template <typename T> T loadGlobal(ThreadContext *t, const T *address, uint32_t site) {
  calls::checkGlobalLoad(t, address, sizeof(T), site);
  return *address;
}
template <typename T> void storeGlobal(ThreadContext *t, T *address, std::type_identity_t<T> value, uint32_t site) {
  calls::checkGlobalStore(t, address, &value, sizeof(T), site);
  *address = value;
}

// Atomics of any memory; `flags` of AtomicFlags say what they acquire and release, and their scope.
template <typename T>
T atomicAdd(ThreadContext *t, T *address, std::type_identity_t<T> value, uint32_t flags, uint32_t site) {
  flags |= kAtomicReads | kAtomicWrites;
  calls::atomicBegin(t, address, sizeof(T), flags, site);
  T before = __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST);
  calls::atomicEnd(t, address, flags, 1);
  return before;
}
template <typename T> T atomicLoad(ThreadContext *t, const T *address, uint32_t flags, uint32_t site) {
  calls::atomicBegin(t, address, sizeof(T), flags | kAtomicReads, site);
  T value = __atomic_load_n(address, __ATOMIC_SEQ_CST);
  calls::atomicEnd(t, address, flags | kAtomicReads, 1);
  return value;
}
template <typename T>
void atomicStore(ThreadContext *t, T *address, std::type_identity_t<T> value, uint32_t flags, uint32_t site) {
  calls::atomicBegin(t, address, sizeof(T), flags | kAtomicWrites, site);
  __atomic_store_n(address, value, __ATOMIC_SEQ_CST);
  calls::atomicEnd(t, address, flags | kAtomicWrites, 1);
}
/// Was the value as expected, and is now `desired`?
template <typename T>
bool atomicExchange(ThreadContext *t, T *address, std::type_identity_t<T> expected, std::type_identity_t<T> desired,
                    uint32_t flags, uint32_t site) {
  flags |= kAtomicReads | kAtomicWrites;
  calls::atomicBegin(t, address, sizeof(T), flags, site);
  bool did = __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  calls::atomicEnd(t, address, flags, did);
  return did;
}

/// All reports are of this kind, and one is of these places; 0: any.
inline void expectOnly(const Outcome &outcome, Report::Kind kind, uint32_t site, uint32_t otherSite) {
  ASSERT_FALSE(outcome.reports.empty());
  bool found = false;
  std::string all;
  for (const Report &report : outcome.reports) {
    EXPECT_EQ(report.kind, kind) << report.message;
    uint32_t other = report.notes.empty() ? 0 : report.notes.back().site;
    all += report.message + " at " + std::to_string(report.site) + ", " + std::to_string(other) + "\n";
    found |= (site == 0 || report.site == site) && (otherSite == 0 || other == otherSite);
  }
  EXPECT_TRUE(found) << all;
}

/// In the fixed order, and under seeds.
class Seeded : public testing::TestWithParam<uint64_t> {};

} // namespace phobos::host::test
