// Ops that a warp does together: what each lane gets, whatever way they were gathered.
#include "Simulated.h"

#include <bit>

namespace phobos {
namespace {

/// 32 lanes, or more; `body` makes %value : i32 of %lane and %input.
std::string ofLanes(const std::string &body) {
  return kernelText("%out: !llvm.ptr<1>", R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %wide = llvm.zext %tid : i32 to i64
    %p = llvm.getelementptr %out[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %input = llvm.load %p : !llvm.ptr<1> -> i32)" +
                                              body + R"(
    llvm.store %value, %p : i32, !llvm.ptr<1>
    llvm.return)");
}

template <typename F> std::vector<uint32_t> lanes(F f, uint32_t count = 32) {
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < count; ++i) {
    all.push_back(f(i));
  }
  return all;
}

TEST(HostWarp, ShufflesByEachKind) {
  struct Case {
    const char *kind;
    uint32_t by;
    uint32_t (*from)(uint32_t lane, uint32_t by);
  };
  const Case cases[] = {
      {"idx", 5, [](uint32_t, uint32_t by) { return by; }},
      {"bfly", 9, [](uint32_t lane, uint32_t by) { return lane ^ by; }},
      {"down", 3, [](uint32_t lane, uint32_t by) { return lane + by < 32 ? lane + by : lane; }},
  };
  for (const Case &c : cases) {
    SCOPED_TRACE(c.kind);
    expectWords(ofLanes("\n%by = llvm.mlir.constant(" + std::to_string(c.by) +
                        " : i32) : i32\n%value = nvvm.shfl.sync " + c.kind + " %all, %tid, %by, %c31 : i32 -> i32"),
                {64, 1, 1}, lanes([&](uint32_t i) { return i / 32 * 32 + c.from(i % 32, c.by); }, 64));
  }
  // Up counts from the other end: its clamp is the lowest lane.
  expectWords(ofLanes(R"(
    %by = llvm.mlir.constant(2 : i32) : i32
    %value = nvvm.shfl.sync up %all, %tid, %by, %c0 : i32 -> i32)"),
              {32, 1, 1}, lanes([](uint32_t i) { return i >= 2 ? i - 2 : i; }));
}

TEST(HostWarp, ShuffleOfASegmentSaysWhetherItWasInRange) {
  // Segments of 8: mask 0x18, clamp 7.
  expectWords(ofLanes(R"(
    %by = llvm.mlir.constant(1 : i32) : i32
    %clamp = llvm.mlir.constant(6151 : i32) : i32
    %f = llvm.bitcast %lane : i32 to f32
    %r = nvvm.shfl.sync down %all, %f, %by, %clamp {return_value_and_is_valid} : f32 -> !llvm.struct<(f32, i1)>
    %x = llvm.extractvalue %r[0] : !llvm.struct<(f32, i1)>
    %valid = llvm.extractvalue %r[1] : !llvm.struct<(f32, i1)>
    %bits = llvm.bitcast %x : f32 to i32
    %flag = llvm.zext %valid : i1 to i32
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %high = llvm.shl %flag, %c8 : i32
    %value = llvm.or %bits, %high : i32)"),
              {32, 1, 1}, lanes([](uint32_t i) { return i % 8 < 7 ? i + 1 + 256 : i; }));
}

TEST(HostWarp, VotesOfEachKind) {
  expectWords(ofLanes(R"(
    %c5 = llvm.mlir.constant(5 : i32) : i32
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %c9 = llvm.mlir.constant(9 : i32) : i32
    %c10 = llvm.mlir.constant(10 : i32) : i32
    %below = llvm.icmp "ult" %lane, %c5 : i32
    %ballot = nvvm.vote.sync ballot %all, %below -> i32
    %any = nvvm.vote.sync any %all, %below -> i1
    %every = nvvm.vote.sync all %all, %below -> i1
    %same = nvvm.vote.sync uni %all, %below -> i1
    %a = llvm.zext %any : i1 to i32
    %b = llvm.zext %every : i1 to i32
    %c = llvm.zext %same : i1 to i32
    %a8 = llvm.shl %a, %c8 : i32
    %b9 = llvm.shl %b, %c9 : i32
    %c10s = llvm.shl %c, %c10 : i32
    %ab = llvm.or %a8, %b9 : i32
    %abc = llvm.or %ab, %c10s : i32
    %value = llvm.or %ballot, %abc : i32)"),
              {32, 1, 1}, lanes([](uint32_t) { return 0x1fu | 0x100u; }));
}

TEST(HostWarp, MatchesOf32And64Bits) {
  expectWords(ofLanes(R"(
    %c7 = llvm.mlir.constant(7 : i32) : i32
    %group = llvm.and %lane, %c7 : i32
    %long = llvm.zext %group : i32 to i64
    %c32 = llvm.mlir.constant(32 : i64) : i64
    %high = llvm.shl %long, %c32 : i64
    %m32 = nvvm.match.sync any %all, %group : i32 -> i32
    %m64 = nvvm.match.sync any %all, %high : i64 -> i32
    %r = nvvm.match.sync all %all, %c7 : i32 -> !llvm.struct<(i32, i1)>
    %m = llvm.extractvalue %r[0] : !llvm.struct<(i32, i1)>
    %is = llvm.extractvalue %r[1] : !llvm.struct<(i32, i1)>
    %not = llvm.xor %m, %all : i32
    %same = llvm.icmp "eq" %m32, %m64 : i32
    %good = llvm.and %same, %is : i1
    %picked = llvm.select %good, %m32, %c0 : i1, i32
    %value = llvm.or %picked, %not : i32)"),
              {32, 1, 1}, lanes([](uint32_t i) { return 0x01010101u << i % 8; }));
}

TEST(HostWarp, ReductionsOfIntegers) {
  struct Case {
    const char *kind;
    uint32_t want;
  };
  // Of -3, -2, … 28 as bits.
  uint32_t sum = 0, all = ~0u, any = 0, odd = 0;
  for (int i = -3; i < 29; ++i) {
    sum += uint32_t(i);
    all &= uint32_t(i);
    any |= uint32_t(i);
    odd ^= uint32_t(i);
  }
  for (const Case &c : std::initializer_list<Case>{{"add", sum},
                                                   {"and", all},
                                                   {"or", any},
                                                   {"xor", odd},
                                                   {"min", uint32_t(-3)},
                                                   {"max", 28},
                                                   {"umin", 0},
                                                   {"umax", uint32_t(-1)}}) {
    SCOPED_TRACE(c.kind);
    expectWords(ofLanes(std::string(R"(
    %c3 = llvm.mlir.constant(3 : i32) : i32
    %x = llvm.sub %lane, %c3 : i32
    %value = nvvm.redux.sync )") +
                        c.kind + " %x, %all : i32 -> i32"),
                {32, 1, 1}, lanes([&](uint32_t) { return c.want; }));
  }
}

TEST(HostWarp, OneLaneIsElected) {
  expectWords(ofLanes(R"(
    %is = nvvm.elect.sync -> i1
    %value = llvm.zext %is : i1 to i32)"),
              {64, 1, 1}, lanes([](uint32_t i) { return i % 32 == 0; }, 64));
}

TEST(HostWarp, SumOfALaneLadderIsTheSameHoweverItIsGathered) {
  // Additions between shuffles go into the program. Values whose sums round, so that another order would show.
  std::string body =
      "\n%x16 = llvm.uitofp %lane : i32 to f32\n%third = llvm.mlir.constant(3.33333343e-01 : f32) : f32\n"
      "%f16 = llvm.fmul %x16, %third : f32\n";
  for (int step : {16, 8, 4, 2, 1}) {
    std::string s = std::to_string(step), next = step == 1 ? "sum" : "f" + std::to_string(step / 2);
    body += "%by" + s + " = llvm.mlir.constant(" + s + " : i32) : i32\n%s" + s + " = nvvm.shfl.sync bfly %all, %f" + s +
            ", %by" + s + ", %c31 : f32 -> f32\n%" + next + " = llvm.fadd %f" + s + ", %s" + s + " : f32\n";
  }
  body += "%value = llvm.bitcast %sum : f32 to i32";
  std::vector<float> values;
  for (int i = 0; i < 32; ++i) {
    values.push_back(float(i) * 3.33333343e-01f);
  }
  for (int step = 16; step; step /= 2) {
    std::vector<float> next = values;
    for (int i = 0; i < 32; ++i) {
      next[i] = values[i] + values[i ^ step];
    }
    values = next;
  }
  expectWords(ofLanes(body), {32, 1, 1}, lanes([&](uint32_t i) { return std::bit_cast<uint32_t>(values[i]); }));
}

TEST(HostWarp, ArgumentOfTheLargestByComparisonsAndSelects) {
  // The pair of value and index travels together; comparisons and selects are pulled in.
  std::string body = R"(
    %c37 = llvm.mlir.constant(37 : i32) : i32
    %c64 = llvm.mlir.constant(63 : i32) : i32
    %product = llvm.mul %lane, %c37 : i32
    %v16 = llvm.and %product, %c64 : i32
    %i16 = llvm.add %lane, %c0 : i32
)";
  for (int step : {16, 8, 4, 2, 1}) {
    std::string s = std::to_string(step), n = std::to_string(step / 2);
    body += "%by" + s + " = llvm.mlir.constant(" + s + " : i32) : i32\n%ov" + s + " = nvvm.shfl.sync bfly %all, %v" +
            s + ", %by" + s + ", %c31 : i32 -> i32\n%oi" + s + " = nvvm.shfl.sync bfly %all, %i" + s + ", %by" + s +
            ", %c31 : i32 -> i32\n%better" + s + " = llvm.icmp \"ugt\" %ov" + s + ", %v" + s + " : i32\n%v" + n +
            " = llvm.select %better" + s + ", %ov" + s + ", %v" + s + " : i1, i32\n%i" + n + " = llvm.select %better" +
            s + ", %oi" + s + ", %i" + s + " : i1, i32\n";
  }
  body += "%value = llvm.add %i0, %c0 : i32";
  uint32_t best = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    best = (i * 37 & 63) > (best * 37 & 63) ? i : best;
  }
  expectWords(ofLanes(body), {32, 1, 1}, lanes([&](uint32_t) { return best; }));
}

TEST(HostWarp, HalvesOfAWarpInDifferentBranches) {
  // Disjoint masks, different numbers of meetings, then all together.
  expectWords(kernelText("%out: !llvm.ptr<1>", R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %low = llvm.mlir.constant(65535 : i32) : i32
    %high = llvm.mlir.constant(-65536 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c5 = llvm.mlir.constant(5 : i32) : i32
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %isLow = llvm.icmp "ult" %lane, %c16 : i32
    llvm.cond_br %isLow, ^a(%c0, %tid : i32, i32), ^b
  ^a(%i: i32, %x: i32):
    %s = nvvm.shfl.sync bfly %low, %x, %c8, %c31 : i32 -> i32
    %y = llvm.add %s, %c1 : i32
    %n = llvm.add %i, %c1 : i32
    %more = llvm.icmp "ult" %n, %c5 : i32
    llvm.cond_br %more, ^a(%n, %y : i32, i32), ^join(%y : i32)
  ^b:
    %t = nvvm.shfl.sync idx %high, %tid, %c16, %c31 : i32 -> i32
    llvm.br ^join(%t : i32)
  ^join(%r: i32):
    %ballot = nvvm.vote.sync ballot %all, %isLow -> i32
    %shifted = llvm.shl %ballot, %c8 : i32
    %value = llvm.add %r, %shifted : i32
    %wide = llvm.zext %tid : i32 to i64
    %p = llvm.getelementptr %out[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %value, %p : i32, !llvm.ptr<1>
    llvm.return)"),
              {64, 1, 1},
              lanes([](uint32_t i) { return (i % 32 < 16 ? (i ^ 8) + 5 : i / 32 * 32 + 16) + (0xffffu << 8); }, 64));
}

TEST(HostWarp, PairsOfHalvesShuffleAsWords) {
  expectWords(ofLanes(R"(
    %pair = llvm.bitcast %tid : i32 to vector<2xf16>
    %word = llvm.bitcast %pair : vector<2xf16> to i32
    %by = llvm.mlir.constant(1 : i32) : i32
    %other = nvvm.shfl.sync bfly %all, %word, %by, %c31 : i32 -> i32
    %back = llvm.bitcast %other : i32 to vector<2xf16>
    %value = llvm.bitcast %back : vector<2xf16> to i32)"),
              {32, 1, 1}, lanes([](uint32_t i) { return i ^ 1; }));
}

} // namespace
} // namespace phobos
