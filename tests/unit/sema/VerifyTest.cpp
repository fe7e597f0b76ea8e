// The verifier of typed trees sees what is broken: each test breaks one promise of a good tree.
#include "Verify.h"
#include "SemaTesting.h"
#include "gtest/gtest.h"

namespace phobos::sema::testing {
namespace {

constexpr const char *kKernel = R"(import phobos.lang as ph
@ph.kernel
def k(X: ph.tensor[ph.f32][N], n: ph.i32):
    acc = 0.0
    for i in range(n):
        acc += X[i]
    if n > 3:
        acc = 1.0
    X[0] = acc
)";

struct Tree : Parsed {
  Tree() : Parsed(kKernel) { typed = checkKernel(*module, *kernel, {}, {}, diagnostics); }
  template <typename T> T &statement(size_t at) { return *llvm::cast<T>(typed->body[at]); }
  std::unique_ptr<TypedKernel> typed;
};

TEST(Verify, AcceptsWhatSemaMakes) {
  Tree tree;
  ASSERT_TRUE(tree.typed);
  EXPECT_EQ(whyBroken(*tree.typed), "");
}

TEST(Verify, SeesALoopThatDoesNotCarry) {
  Tree tree;
  tree.statement<For>(1).carried = {};
  EXPECT_EQ(whyBroken(*tree.typed), "a loop that changes `acc` and does not carry it");
}

TEST(Verify, SeesABranchThatDoesNotYield) {
  Tree tree;
  tree.statement<If>(2).yields = {};
  EXPECT_EQ(whyBroken(*tree.typed), "an if that changes `acc` and does not yield it");
}

TEST(Verify, SeesAReadOfWhatIsNotSet) {
  Tree tree;
  tree.typed->body = tree.typed->body.drop_front();
  EXPECT_EQ(whyBroken(*tree.typed), "`acc` read before it is set");
}

TEST(Verify, SeesAnAssignmentOfAnotherType) {
  Tree tree;
  tree.statement<Assign>(0).variable->type = tree.typed->types.get(DType::f16);
  EXPECT_EQ(whyBroken(*tree.typed), "`acc` assigned a value of another type");
}

TEST(Verify, SeesAStoreOfAnotherType) {
  Tree tree;
  auto &store = tree.statement<Store>(3);
  store.value->type = tree.typed->types.get(DType::f16);
  EXPECT_EQ(whyBroken(*tree.typed), "a stored value of another type than its slice");
}

TEST(Verify, SeesOperandsOfTwoTypes) {
  Tree tree;
  auto *sum = llvm::cast<Binary>(llvm::cast<Assign>(tree.statement<For>(1).body[0])->value);
  sum->rhs->type = tree.typed->types.get(DType::f16);
  EXPECT_EQ(whyBroken(*tree.typed), "operands of two types");
}

TEST(Verify, SeesAConditionThatIsNoBool) {
  Tree tree;
  tree.statement<If>(2).condition->type = tree.typed->types.index();
  EXPECT_EQ(whyBroken(*tree.typed), "a comparison that is no bool of its operands' shape");
}

} // namespace
} // namespace phobos::sema::testing
