// Kernels that are right: their typed trees, in full.
#include "SemaTesting.h"
#include "gtest/gtest.h"

namespace phobos::sema::testing {
namespace {

TEST(TypedTree, MatmulOfTheSeed) {
  std::string text = R"(import phobos.lang as ph

@ph.kernel
@ph.autotune(TILE_M=[64], TILE_N=[64], TILE_K=[32])
@ph.launch(256)
@ph.tensorcore
@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")
def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    pm: ph.let = ph.ctx.block.x
    pn: ph.let = ph.ctx.block.y
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for kt in range(0, K, TILE_K):
        a: ph.var = A[pm * TILE_M:+TILE_M, kt:+TILE_K]
        b: ph.var = B[kt:+TILE_K, pn * TILE_N:+TILE_N]
        acc += ph.dot(a, b)
    C[pm * TILE_M:+TILE_M, pn * TILE_N:+TILE_N] = acc
)";
  EXPECT_EQ(checked(text), "");
}

} // namespace
} // namespace phobos::sema::testing
