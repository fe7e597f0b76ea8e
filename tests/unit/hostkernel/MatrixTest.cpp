// Matrix products and the moves of 8x8 matrices, against the fragments that the PTX ISA draws.
#include "Simulated.h"

#include <bit>
#include <cstring>

namespace phobos {
namespace {

struct MmaCase {
  const char *name;
  int k, elementBits;
  const char *operandType, *attributes; // of A and B words; the op's type attributes
  bool wordsAreHalves;                  // operands are vector<2xf16>
  const char *accumulator;              // f32, s32 or f16
  uint32_t (*encode)(int value);
};

uint32_t asHalf(int value) {
  _Float16 x = _Float16(value);
  uint16_t bits;
  std::memcpy(&bits, &x, 2);
  return bits;
}
uint32_t asBFloat(int value) { return std::bit_cast<uint32_t>(float(value)) >> 16; }
uint32_t asTf32(int value) { return std::bit_cast<uint32_t>(float(value)); }
uint32_t asByte(int value) { return uint8_t(value); }

#define PHOBOS_TYPES(t) "multiplicandAPtxType = #nvvm.mma_type<" t ">, multiplicandBPtxType = #nvvm.mma_type<" t ">, "
const MmaCase kMmaCases[] = {
    {"f16 k8", 8, 16, "vector<2xf16>", "", true, "f32", asHalf},
    {"f16 k16", 16, 16, "vector<2xf16>", "", true, "f32", asHalf},
    {"f16 k8 in f16", 8, 16, "vector<2xf16>", "", true, "f16", asHalf},
    {"f16 k16 in f16", 16, 16, "vector<2xf16>", "", true, "f16", asHalf},
    {"bf16 k8", 8, 16, "i32", PHOBOS_TYPES("bf16"), false, "f32", asBFloat},
    {"bf16 k16", 16, 16, "i32", PHOBOS_TYPES("bf16"), false, "f32", asBFloat},
    {"tf32 k4", 4, 32, "i32", PHOBOS_TYPES("tf32"), false, "f32", asTf32},
    {"tf32 k8", 8, 32, "i32", PHOBOS_TYPES("tf32"), false, "f32", asTf32},
    {"s8 k16", 16, 8, "i32", PHOBOS_TYPES("s8") "intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, ", false, "i32",
     asByte},
    {"s8 k32", 32, 8, "i32", PHOBOS_TYPES("s8") "intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, ", false, "i32",
     asByte},
};

std::string list(const std::string &prefix, int from, int count) {
  std::string text;
  for (int i = from; i < from + count; ++i) {
    text += (i > from ? ", " : "") + prefix + std::to_string(i);
  }
  return text;
}

std::string repeat(const std::string &item, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += (i ? ", " : "") + item;
  }
  return text;
}

/// Words of A, B and C of a lane in a row of the array; D goes where C was.
std::string mmaText(const MmaCase &c, int a, int b, int acc) {
  bool halves = std::string(c.accumulator) == "f16";
  std::string accType = halves ? "vector<2xf16>" : c.accumulator, body = R"(
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %n = llvm.mlir.constant()" + std::to_string(a + b + acc) + R"( : i32) : i32
    %row = llvm.mul %lane, %n : i32
    %wide = llvm.zext %row : i32 to i64
    %base = llvm.getelementptr %words[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
)";
  for (int i = 0; i < a + b + acc; ++i) {
    std::string n = std::to_string(i), type = i < a + b ? c.operandType : accType;
    body += "%p" + n + " = llvm.getelementptr %base[" + n + "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32\n%w" + n +
            " = llvm.load %p" + n + " {alignment = 4 : i64} : !llvm.ptr<1> -> " + type + "\n";
  }
  std::string result = "!llvm.struct<(" + repeat(accType, acc) + ")>";
  body += "%d = nvvm.mma.sync A[" + list("%w", 0, a) + "] B[" + list("%w", a, b) + "] C[" + list("%w", a + b, acc) +
          "] {" + c.attributes +
          "layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = " +
          std::to_string(c.k) + ">} : (" + c.operandType + ", " + c.operandType + ", " + accType + ") -> " + result +
          "\n";
  for (int i = 0; i < acc; ++i) {
    std::string n = std::to_string(i), at = std::to_string(a + b + i);
    body += "%d" + n + " = llvm.extractvalue %d[" + n + "] : " + result + "\nllvm.store %d" + n + ", %p" + at +
            " {alignment = 4 : i64} : " + accType + ", !llvm.ptr<1>\n";
  }
  return kernelText("%words: !llvm.ptr<1>", body + "llvm.return");
}

class HostMma : public ::testing::TestWithParam<MmaCase> {};

TEST_P(HostMma, FragmentsAndProduct) {
  const MmaCase &c = GetParam();
  int perWord = 32 / c.elementBits, a = 16 * c.k / 32 / perWord, b = 8 * c.k / 32 / perWord;
  bool halves = std::string(c.accumulator) == "f16", integers = std::string(c.accumulator) == "i32";
  int acc = halves ? 2 : 4, row = a + b + acc;
  // Small integers: every type holds them and their sums exactly.
  std::vector<int> A(16 * c.k), B(c.k * 8), C(16 * 8);
  unsigned seed = 1;
  auto next = [&] { return int((seed = seed * 1664525 + 1013904223) >> 28) - 8; };
  for (auto *matrix : {&A, &B, &C}) {
    for (int &x : *matrix) {
      x = next();
    }
  }
  std::vector<uint32_t> words(32 * row);
  auto accumulatorAt = [&](int lane, int i) { return (lane / 4 + 8 * (i / 2)) * 8 + lane % 4 * 2 + i % 2; };
  auto encodeSum = [&](int lane, int i, int value, std::vector<uint32_t> &into) {
    if (halves) {
      into[lane * row + a + b + i / 2] |= asHalf(value) << 16 * (i % 2);
    } else {
      into[lane * row + a + b + i] = integers ? uint32_t(value) : std::bit_cast<uint32_t>(float(value));
    }
  };
  for (int lane = 0; lane < 32; ++lane) {
    int group = lane / 4, in = lane % 4;
    for (int w = 0; w < a; ++w) {
      for (int j = 0; j < perWord; ++j) {
        int k = in * perWord + j + 4 * perWord * (w / 2);
        words[lane * row + w] |= c.encode(A[(group + 8 * (w % 2)) * c.k + k]) << c.elementBits * j;
      }
    }
    for (int w = 0; w < b; ++w) {
      for (int j = 0; j < perWord; ++j) {
        words[lane * row + a + w] |= c.encode(B[(in * perWord + j + 4 * perWord * w) * 8 + group]) << c.elementBits * j;
      }
    }
  }
  std::vector<uint32_t> want = words;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      int at = accumulatorAt(lane, i), sum = C[at];
      for (int k = 0; k < c.k; ++k) {
        sum += A[at / 8 * c.k + k] * B[k * 8 + at % 8];
      }
      encodeSum(lane, i, C[at], words);
      encodeSum(lane, i, sum, want);
    }
  }
  for (const HostOptions &options : allOptions()) {
    Simulated simulated(mmaText(c, a, b, acc), options);
    ASSERT_TRUE(simulated);
    std::vector<uint32_t> got = words;
    void *address = got.data();
    simulated.run({1, 1, 1}, {32, 1, 1}, {&address});
    EXPECT_EQ(got, want);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, HostMma, ::testing::ValuesIn(kMmaCases), [](const auto &info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST(HostMatrices, ChainedProductsKeepTheirAccumulatorInPlace) {
  // Two products in a row, the second on the first's sum, and the first's sum used as well.
  MmaCase c = kMmaCases[0];
  std::string text = mmaText(c, 2, 1, 4);
  std::string chained = text;
  size_t at = chained.find("%d = nvvm.mma.sync");
  std::string op = chained.substr(at, chained.find('\n', at) - at);
  std::string again = op;
  again.replace(0, 2, "%e");
  size_t sums = again.find("C[");
  again.replace(sums, again.find(']', sums) - sums, "C[%s0, %s1, %s2, %s3");
  std::string between;
  for (int i = 0; i < 4; ++i) {
    std::string n = std::to_string(i);
    between += "\n%s" + n + " = llvm.extractvalue %d[" + n + "] : !llvm.struct<(f32, f32, f32, f32)>";
  }
  chained.insert(at + op.size(), between + "\n" + again);
  // Stores become those of both sums.
  for (int i = 0; i < 4; ++i) {
    std::string n = std::to_string(i),
                from = "%d" + n + " = llvm.extractvalue %d[" + n + "] : !llvm.struct<(f32, f32, f32, f32)>";
    size_t found = chained.find(from);
    chained.replace(found, from.size(),
                    "%x" + n + " = llvm.extractvalue %e[" + n + "] : !llvm.struct<(f32, f32, f32, f32)>\n%d" + n +
                        " = llvm.fadd %x" + n + ", %s" + n + " : f32");
  }
  // A and B of ones: each product adds 8.
  std::vector<uint32_t> words(32 * 7), want;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 3; ++i) {
      words[lane * 7 + i] = asHalf(1) << 16 | asHalf(1);
    }
    for (int i = 3; i < 7; ++i) {
      words[lane * 7 + i] = std::bit_cast<uint32_t>(float(lane));
    }
  }
  want = words;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 3; i < 7; ++i) {
      want[lane * 7 + i] = std::bit_cast<uint32_t>(float(lane + 16) + float(lane + 8));
    }
  }
  for (const HostOptions &options : allOptions()) {
    Simulated simulated(chained, options);
    ASSERT_TRUE(simulated);
    std::vector<uint32_t> got = words;
    void *address = got.data();
    simulated.run({1, 1, 1}, {32, 1, 1}, {&address});
    EXPECT_EQ(got, want);
  }
}

/// Four matrices into shared memory by stmatrix and out by ldmatrix, either turned.
std::vector<uint32_t> moved(bool storeTurned, bool loadTurned) {
  auto layout = [](bool turned) { return turned ? "col" : "row"; };
  std::string matrix = "shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>";
  std::string body = R"(
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %base = llvm.mlir.addressof @buffer : !llvm.ptr<3>
    %offset = llvm.shl %lane, %c4 : i32
    %p = llvm.getelementptr %base[%offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %wide = llvm.zext %lane : i32 to i64
    %mine = llvm.getelementptr %out[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<4xi32>
    %in = llvm.load %mine {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xi32>
)";
  for (int i = 0; i < 4; ++i) {
    std::string n = std::to_string(i);
    body += "%i" + n + " = llvm.mlir.constant(" + n + " : i32) : i32\n%s" + n + " = llvm.extractelement %in[%i" + n +
            " : i32] : vector<4xi32>\n";
  }
  body += std::string("nvvm.stmatrix %p, %s0, %s1, %s2, %s3 {layout = #nvvm.mma_layout<") + layout(storeTurned) +
          ">, " + matrix +
          "} : !llvm.ptr<3>, i32, i32, i32, i32\n%all = llvm.mlir.constant(-1 : i32) : i32\nnvvm.bar.warp.sync %all : "
          "i32\n" +
          "%r = nvvm.ldmatrix %p {num = 4 : i32, layout = #nvvm.mma_layout<" + layout(loadTurned) + ">, " + matrix +
          "} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>\n%v0 = llvm.mlir.undef : vector<4xi32>\n";
  for (int i = 0; i < 4; ++i) {
    std::string n = std::to_string(i), m = std::to_string(i + 1);
    body += "%r" + n + " = llvm.extractvalue %r[" + n + "] : !llvm.struct<(i32, i32, i32, i32)>\n%v" + m +
            " = llvm.insertelement %r" + n + ", %v" + n + "[%i" + n + " : i32] : vector<4xi32>\n";
  }
  body += "llvm.store %v4, %mine {alignment = 4 : i64} : vector<4xi32>, !llvm.ptr<1>\nllvm.return";
  Simulated simulated(kernelText(
      "%out: !llvm.ptr<1>", body,
      "llvm.mlir.global external @buffer() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<512 x i8>"));
  std::vector<uint32_t> words(128);
  for (uint32_t i = 0; i < 128; ++i) {
    words[i] = 2 * i | (2 * i + 1) << 16;
  }
  void *address = words.data();
  simulated.run({1, 1, 1}, {32, 1, 1}, {&address});
  return words;
}

TEST(HostMatrices, MovesThroughSharedMemory) {
  std::vector<uint32_t> straight(128), turned(128);
  auto value = [](uint32_t matrix, uint32_t row, uint32_t column) {
    return 2 * (4 * (row * 4 + column / 2) + matrix) + column % 2; // of lane row * 4 + column / 2
  };
  for (uint32_t lane = 0; lane < 32; ++lane) {
    for (uint32_t matrix = 0; matrix < 4; ++matrix) {
      uint32_t row = lane / 4, column = lane % 4 * 2;
      straight[lane * 4 + matrix] = value(matrix, row, column) | value(matrix, row, column + 1) << 16;
      turned[lane * 4 + matrix] = value(matrix, column, row) | value(matrix, column + 1, row) << 16;
    }
  }
  EXPECT_EQ(moved(false, false), straight);
  EXPECT_EQ(moved(false, true), turned);
  EXPECT_EQ(moved(true, false), turned);
  EXPECT_EQ(moved(true, true), straight);
}

} // namespace
} // namespace phobos
