// Random numbers: Philox 4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3" (SC'11), section 4. Nothing but arith and math ops on tiles, so it fuses with what is
// around it.
#include "Generator.h"

#include <array>

using namespace mlir;

namespace phobos::irgen {

/// The four words for the counter (offset's low word, its high word, 0, 0) and the key (seed's low word, its high
/// word): i32 of offset's shape. What is not used of them, and of the first rounds, LLVM drops.
std::array<Value, 4> Generator::philox(Location loc, Value seed, Value offset) {
  constexpr int64_t kMultipliers[] = {0xd2511f53, 0xcd9e8d57}, kWeyl[] = {0x9e3779b9, 0xbb67ae85};
  constexpr unsigned kRounds = 10;
  Type i32 = builder.getI32Type(), words = withElement(offset.getType(), i32), wide = offset.getType();
  auto low = [&](Value x) -> Value { return arith::TruncIOp::create(builder, loc, withElement(x.getType(), i32), x); };
  auto high = [&](Value x) { return low(arith::ShRUIOp::create(builder, loc, x, integer(loc, x.getType(), 32))); };
  auto mix = [&](Value product, Value counter, Value key) -> Value {
    // The key is a scalar until here: its schedule is the same for every element.
    Value everywhere = isa<RankedTensorType>(words) ? Value(tile::SplatOp::create(builder, loc, words, key)) : key;
    Value keyed = arith::XOrIOp::create(builder, loc, product, everywhere);
    return arith::XOrIOp::create(builder, loc, keyed, counter);
  };

  Value zero = integer(loc, words, 0);
  auto times = [&](Value x, int64_t factor) -> Value { // one instruction: both halves of 32 bits by 32
    return arith::MulIOp::create(builder, loc, arith::ExtUIOp::create(builder, loc, wide, x),
                                 integer(loc, wide, factor));
  };
  Value weyl[] = {integer(loc, i32, kWeyl[0]), integer(loc, i32, kWeyl[1])};
  std::array<Value, 2> key = {low(seed), high(seed)};
  std::array<Value, 4> counter = {low(offset), high(offset), zero, zero};
  for (unsigned round = 0; round < kRounds; ++round) {
    if (round > 0) {
      for (unsigned i = 0; i < 2; ++i) {
        key[i] = arith::AddIOp::create(builder, loc, key[i], weyl[i]);
      }
    }
    Value first = times(counter[0], kMultipliers[0]), second = times(counter[2], kMultipliers[1]);
    counter = {mix(high(second), counter[1], key[0]), low(second), mix(high(first), counter[3], key[1]), low(first)};
  }
  return counter;
}

/// Four neighbouring offsets share a counter, and each takes one of its words: a thread that holds all four computes it
/// once, for LLVM sees that they differ in their last bits alone.
Value Generator::random(const sema::Random *expr) {
  Location loc = at(expr->range);
  Value seed = generate(expr->seed), offset = generate(expr->offset);
  Value counter = arith::ShRUIOp::create(builder, loc, offset, integer(loc, offset.getType(), 2));
  std::array<Value, 4> words = philox(loc, seed, counter);
  Value place = arith::TruncIOp::create(builder, loc, words[0].getType(), offset);
  auto bit = [&](int64_t mask) -> Value {
    Value masked = arith::AndIOp::create(builder, loc, place, integer(loc, place.getType(), mask));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, masked, integer(loc, place.getType(), 0));
  };
  auto either = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(builder, loc, condition, x, y);
  };
  Value odd = bit(1), upper = bit(2), first = either(upper, words[2], words[0]),
        second = either(upper, words[3], words[1]);
  if (expr->op == sema::RandomOp::Bits) {
    return either(odd, second, first);
  }
  Type floats = type(expr->type);
  auto times = [&](Value x, double factor) -> Value {
    return arith::MulFOp::create(builder, loc, x, real(loc, floats, factor));
  };
  if (expr->op == sema::RandomOp::Uniform) {
    // As many bits as an f32 holds, so that neither step rounds and 1 is never reached.
    Value bits = either(odd, second, first);
    Value top = arith::ShRUIOp::create(builder, loc, bits, integer(loc, bits.getType(), 8));
    return times(arith::UIToFPOp::create(builder, loc, floats, top), 0x1p-24);
  }
  // Box and Muller, two numbers of two words: of all 32 bits of the one, so that the least radius term is 2^-33 and the
  // tail goes to 6.76. The angle is in [-pi, pi], where an f32 is finer than in [0, 2 pi]; the sine that an odd offset
  // takes is the cosine a quarter of a turn, 2^30, before it.
  Value uniform = times(arith::UIToFPOp::create(builder, loc, floats, first), 0x1p-32);
  uniform = arith::AddFOp::create(builder, loc, uniform, real(loc, floats, 0x1p-33)); // never 0
  Value turned = arith::SubIOp::create(builder, loc, second, integer(loc, second.getType(), int64_t(1) << 30));
  Value angle =
      times(arith::SIToFPOp::create(builder, loc, floats, either(odd, turned, second)), 0x1.921fb54442d18p+2 * 0x1p-32);
  Value squared = times(math::LogOp::create(builder, loc, uniform), -2);
  Value radius = math::SqrtOp::create(builder, loc, squared);
  return arith::MulFOp::create(builder, loc, radius, math::CosOp::create(builder, loc, angle));
}

} // namespace phobos::irgen
