// Trees to IR: control flow carries what sema lists, slices keep the view's rank, calls keep their places, and what the
// tile dialect cannot say is an error at its place in the source.
#include "TreeMaker.h"

#include "phobos/Support/SourceFile.h"
#include <gtest/gtest.h>

using namespace phobos;
using namespace phobos::irgen;

namespace {

TEST(Control, LoopCarriesItsVariables) {
  TreeMaker tree;
  const sema::Type *tile = tree.type(DType::f32, {64});
  sema::Variable *sum = tree.variable("sum", tile), *i = tree.variable("i", tree.kernel.types.index());
  unsigned a = tree.tensor(DType::f32, {0});
  auto *step = tree.assign(sum, tree.binary(sema::BinaryOp::Add, tree.read(sum), tree.load(tree.slice(a, {64}))));
  auto *loop = tree.make<sema::For>(SourceRange(), i, tree.index(0), tree.index(8), tree.index(2),
                                    tree.list<sema::Stmt *>({step}), tree.list<sema::Variable *>({sum}));
  auto module = tree.generate(
      {tree.assign(sum, tree.load(tree.slice(a, {64}))), loop, tree.store(tree.slice(a, {64}), tree.read(sum))});
  ASSERT_TRUE(module);
  module->walk([](mlir::scf::ForOp op) {
    EXPECT_EQ(op.getInitArgs().size(), 1u);
    EXPECT_TRUE(llvm::isa<tile::StoreOp>(*op.getResult(0).user_begin()));
  });
  EXPECT_EQ(count<mlir::scf::ForOp>(*module), 1u);
}

/// The else arm reads what was set before the if, not what the then arm set.
TEST(Control, ArmsDoNotSeeEachOther) {
  TreeMaker tree;
  sema::Variable *x = tree.variable("x", tree.type(DType::f32)), *y = tree.variable("y", tree.type(DType::f32));
  unsigned a = tree.tensor(DType::f32, {});
  sema::Expr *condition =
      tree.make<sema::Compare>(SourceRange(), tree.kernel.types.boolean(), sema::ComparePredicate::Lt,
                               tree.load(tree.slice(a, {})), tree.real(DType::f32, 0.0));
  auto *branch = tree.make<sema::If>(
      SourceRange(), condition,
      tree.list<sema::Stmt *>({tree.assign(x, tree.real(DType::f32, 5.0)), tree.assign(y, tree.read(x))}),
      tree.list<sema::Stmt *>({tree.assign(y, tree.read(x))}), tree.list<sema::Variable *>({y}));
  auto module =
      tree.generate({tree.assign(x, tree.real(DType::f32, 3.0)), branch, tree.store(tree.slice(a, {}), tree.read(y))},
                    /*canonicalise=*/true);
  ASSERT_TRUE(module);
  module->walk([](mlir::arith::SelectOp op) {
    mlir::FloatAttr thenValue, elseValue;
    ASSERT_TRUE(matchPattern(op.getTrueValue(), mlir::m_Constant(&thenValue)));
    ASSERT_TRUE(matchPattern(op.getFalseValue(), mlir::m_Constant(&elseValue)));
    EXPECT_EQ(thenValue.getValueAsDouble(), 5.0);
    EXPECT_EQ(elseValue.getValueAsDouble(), 3.0);
  });
  EXPECT_EQ(count<mlir::arith::SelectOp>(*module), 1u);
}

TEST(Control, WhileTestsWhatItCarries) {
  TreeMaker tree;
  sema::Variable *n = tree.variable("n", tree.kernel.types.index());
  unsigned a = tree.tensor(DType::i32, {});
  auto *condition = tree.make<sema::Compare>(SourceRange(), tree.kernel.types.boolean(), sema::ComparePredicate::Gt,
                                             tree.read(n), tree.index(1));
  auto *halve = tree.assign(n, tree.binary(sema::BinaryOp::FloorDiv, tree.read(n), tree.index(2)));
  auto *loop = tree.make<sema::While>(SourceRange(), condition, tree.list<sema::Stmt *>({halve}),
                                      tree.list<sema::Variable *>({n}));
  sema::Expr *start = tree.convert(tree.load(tree.slice(a, {})), sema::Element::index());
  auto module = tree.generate(
      {tree.assign(n, start), loop, tree.store(tree.slice(a, {}), tree.convert(tree.read(n), DType::i32))});
  ASSERT_TRUE(module);
  module->walk([](mlir::scf::WhileOp op) {
    EXPECT_EQ(op.getConditionOp().getArgs().size(), 1u);
    EXPECT_TRUE(op.getConditionOp().getCondition().getDefiningOp<mlir::arith::CmpIOp>());
  });
  EXPECT_EQ(count<mlir::scf::WhileOp>(*module), 1u);
}

TEST(Logical, BranchesOnlyForWhatMayNotRun) {
  for (bool mayFault : {false, true}) {
    TreeMaker tree;
    unsigned a = tree.tensor(DType::i32, {});
    sema::Expr *divisor = tree.load(tree.slice(a, {}));
    sema::Variable *n = tree.variable("n", divisor->type);
    auto compare = [&](sema::Expr *value) {
      return tree.make<sema::Compare>(SourceRange(), tree.kernel.types.boolean(), sema::ComparePredicate::Ne, value,
                                      tree.number(DType::i32, 0));
    };
    sema::Expr *rest =
        tree.binary(mayFault ? sema::BinaryOp::Mod : sema::BinaryOp::And, tree.number(DType::i32, 12), tree.read(n));
    sema::Expr *both = tree.make<sema::Logical>(SourceRange(), true, compare(tree.read(n)), compare(rest));
    unsigned out = tree.tensor(DType::boolean, {});
    auto module = tree.generate({tree.assign(n, divisor), tree.store(tree.slice(out, {}), both)});
    ASSERT_TRUE(module);
    EXPECT_EQ(count<mlir::scf::IfOp>(*module), mayFault ? 1u : 0u);
  }
}

TEST(Slice, PointsKeepTheViewsRank) {
  TreeMaker tree;
  unsigned a = tree.tensor(DType::f16, {0, 0, 0});
  const sema::Slice *row = tree.slice(a, {0, 64, 0});
  auto module = tree.generate({tree.store(row, tree.load(row))});
  ASSERT_TRUE(module);
  module->walk([](tile::LoadOp op) {
    EXPECT_EQ(llvm::cast<mlir::RankedTensorType>(op.getType()).getShape(), llvm::ArrayRef<int64_t>({1, 64, 1}));
  });
  module->walk([](tile::StoreOp op) {
    EXPECT_EQ(llvm::cast<mlir::RankedTensorType>(op.getValue().getType()).getShape(),
              llvm::ArrayRef<int64_t>({1, 64, 1}));
  });
  EXPECT_EQ(count<tile::ReshapeOp>(*module), 2u);
}

TEST(Slice, BoolIsAByteInMemory) {
  TreeMaker tree;
  unsigned a = tree.tensor(DType::boolean, {0});
  auto module =
      tree.generate({tree.store(tree.slice(a, {32}), tree.load(tree.slice(a, {32}), tree.number(DType::boolean, 1)))});
  ASSERT_TRUE(module);
  module->walk([](tile::LoadOp op) {
    EXPECT_TRUE(llvm::cast<mlir::RankedTensorType>(op.getType()).getElementType().isInteger(8));
    EXPECT_TRUE(op.getFill().getType().isInteger(8));
  });
}

TEST(Signature, FactsOfTheArguments) {
  TreeMaker tree;
  tree.tensor(DType::f16, {0, 0});
  ParameterInfo scale;
  scale.kind = ParameterInfo::Kind::Scalar;
  scale.name = "scale";
  scale.dtype = DType::f32;
  tree.kernel.info.parameters.push_back(scale);
  tree.tensor(DType::f32, {0, 16});
  tree.kernel.multiples = {{4, 64}, {32}, {}};
  tree.kernel.promised = {6, 1, 1};
  tree.specialisation.wholeMultiples = {0b10, 0b1, 0};
  tree.specialisation.tensors = {{/*unit*/ 0b10, 0, /*aligned*/ 0b01, true}, {0, /*zero*/ 0b10, 0, false}};
  auto module = tree.generate({});
  ASSERT_TRUE(module);
  module->walk([](tile::KernelOp op) {
    ASSERT_EQ(op.getNumArguments(), 3u);
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleaveComma(op.getArgumentTypes(), os);
    EXPECT_EQ(
        text,
        "!tile.view<?x?xf16, strides = [8*?, 1], align = 16>, !tile.view<?x16xf32, strides = [?, 0], align = 4>, f32");
    EXPECT_EQ(op.extentDivisor(op.getArgument(0), 0), 192); // of 6 and 64
    EXPECT_EQ(op.extentDivisor(op.getArgument(0), 1), 32);
    EXPECT_EQ(op.extentDivisor(op.getArgument(1), 0), 1);
  });
}

// Every tile divides an extent of 0: as a promise it would take away the masks of a tensor in which nothing is.
TEST(Signature, EmptyDimsAreSaid) {
  TreeMaker tree;
  tree.tensor(DType::f16, {0, 0});
  tree.kernel.promised = {64, 64};
  tree.specialisation.emptyDims = 0b10;
  auto module = tree.generate({});
  ASSERT_TRUE(module);
  module->walk([](tile::KernelOp op) {
    auto view = llvm::cast<tile::ViewType>(op.getArgument(0).getType());
    EXPECT_EQ(view.getShape(), (llvm::ArrayRef<int64_t>{mlir::ShapedType::kDynamic, 0}));
  });
}

TEST(Call, PlacesNameTheCaller) {
  SourceFile file("k.py", "def f(x):\n  return -x\n\n  out = f(a)\n");
  TreeMaker tree;
  unsigned a = tree.tensor(DType::f32, {});
  sema::Variable *x = tree.variable("x", tree.type(DType::f32)), *result = tree.variable("<result>", x->type);
  auto *function = tree.make<sema::Function>();
  function->name = "f";
  function->params = tree.list<sema::Variable *>({x});
  auto *negative = tree.make<sema::Unary>(SourceRange(&file, 19, 21), sema::UnaryOp::Negate, tree.read(x));
  function->body = tree.list<sema::Stmt *>({tree.assign(result, negative)});
  function->results = tree.list<sema::Variable *>({result});
  auto *call = tree.make<sema::Call>(SourceRange(&file, 31, 35), x->type, function,
                                     tree.list<sema::Expr *>({tree.load(tree.slice(a, {}))}));
  auto module = tree.generate({tree.store(tree.slice(a, {}), call)});
  ASSERT_TRUE(module);
  module->walk([](mlir::arith::NegFOp op) {
    auto loc = llvm::dyn_cast<mlir::CallSiteLoc>(op.getLoc());
    ASSERT_TRUE(loc);
    auto callee = llvm::cast<mlir::FileLineColLoc>(loc.getCallee()),
         caller = llvm::cast<mlir::FileLineColLoc>(loc.getCaller());
    EXPECT_EQ(callee.getFilename(), "k.py");
    EXPECT_EQ(callee.getLine(), 2u);
    EXPECT_EQ(callee.getColumn(), 10u);
    EXPECT_EQ(caller.getLine(), 4u);
    EXPECT_EQ(caller.getColumn(), 9u);
  });
  EXPECT_EQ(count<mlir::arith::NegFOp>(*module), 1u);
}

TEST(Reshape, OddExtentsAreAnErrorAtTheirPlace) {
  SourceFile file("k.py", "x = a.reshape(8, 3)\n");
  TreeMaker tree;
  unsigned a = tree.tensor(DType::f32, {0});
  auto *reshape = tree.make<sema::Reshape>(SourceRange(&file, 4, 19), tree.type(DType::f32, {8, 3}),
                                           tree.load(tree.slice(a, {24})), /*expandsOnly=*/false);
  unsigned out = tree.tensor(DType::f32, {0, 0});
  EXPECT_FALSE(tree.generate({tree.store(tree.slice(out, {8, 3}), reshape)}));
  EXPECT_NE(tree.diagnostics.render().find(
                "k.py:1:5: error: expected extents that are powers of two behind the first that changes, in a "
                "reshape from [24] to [8, 3]"),
            std::string::npos)
      << tree.diagnostics.render();
}

/// Every reduction, over every axis, on every class of element: they verify and keep the type sema gave them.
TEST(Reduce, EveryKindVerifies) {
  using sema::ReduceOp;
  for (ReduceOp op : {ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Min, ReduceOp::Max, ReduceOp::Any, ReduceOp::All,
                      ReduceOp::ArgMin, ReduceOp::ArgMax}) {
    bool isLogical = op == ReduceOp::Any || op == ReduceOp::All;
    bool isPlace = op == ReduceOp::ArgMin || op == ReduceOp::ArgMax;
    for (DType dtype : {DType::f32, DType::i32, DType::u8, DType::boolean}) {
      if (isLogical != (dtype == DType::boolean)) {
        continue;
      }
      TreeMaker tree;
      unsigned a = tree.tensor(dtype, {0, 0}), out = tree.tensor(isPlace ? DType::i32 : dtype, {});
      sema::Expr *value = tree.load(tree.slice(a, {16, 32}));
      if (isPlace) {
        auto *row = tree.make<sema::Reduce>(SourceRange(), tree.type(sema::Element::index(), {16}), op, value,
                                            tree.list<int64_t>({1}));
        value = tree.make<sema::Reduce>(SourceRange(), tree.type(sema::Element::index()), ReduceOp::Max, row,
                                        tree.list<int64_t>({0}));
        value = tree.convert(value, DType::i32);
      } else {
        value = tree.make<sema::Reduce>(SourceRange(), tree.type(dtype), op, value, tree.list<int64_t>({0, 1}));
      }
      auto module = tree.generate({tree.store(tree.slice(out, {}), value)});
      ASSERT_TRUE(module) << int(op);
      EXPECT_EQ(count<tile::ReduceOp>(*module), 2u);
    }
  }
}

TEST(Dot, OperandsThatContractHasNoWordFor) {
  for (auto [a, b, element] :
       {std::tuple(DType::u8, DType::u8, DType::i32), std::tuple(DType::f8e4m3, DType::f8e5m2, DType::f32),
        std::tuple(DType::f8e4m3, DType::f8e4m3, DType::f32), std::tuple(DType::i8, DType::i8, DType::i32)}) {
    TreeMaker tree;
    sema::Expr *lhs = tree.load(tree.slice(tree.tensor(a, {0, 0}), {16, 32}));
    sema::Expr *rhs = tree.load(tree.slice(tree.tensor(b, {0, 0}), {8, 32}));
    auto *product = tree.make<sema::Dot>(SourceRange(), tree.type(element, {16, 8}), lhs, rhs, nullptr, true);
    auto module = tree.generate({tree.store(tree.slice(tree.tensor(element, {0, 0}), {16, 8}), product)});
    ASSERT_TRUE(module);
    module->walk([a = a, b = b](dot::ContractOp op) {
      mlir::Type operand = op.getA().getType().getElementType();
      EXPECT_TRUE(op.getTransB());
      EXPECT_EQ(operand.isInteger(32), a == DType::u8);
      EXPECT_EQ(operand.isF16(), a != b);
    });
  }
}

} // namespace
