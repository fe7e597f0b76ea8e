// A walk that keeps the set of variables with a value and compares types at every node.
#include "Verify.h"
#include "Scope.h"
#include "TreeBuilder.h"

namespace phobos::sema {
namespace {

class Verifier {
public:
  explicit Verifier(const TypedKernel &kernel) : kernel(kernel) {}

  std::string run();

private:
  using Set = llvm::SmallPtrSet<const Variable *, 16>;

  void require(bool holds, llvm::StringRef what) {
    if (!holds && problem.empty()) {
      problem = what.str();
    }
  }
  void block(Block block);
  void statement(const Stmt &stmt);
  void print(const Print &stmt);
  void blockNumbers(llvm::ArrayRef<Expr *> block);
  void branch(const If &stmt);
  void loop(Block body, llvm::ArrayRef<Variable *> carried, const Variable *induction, const Expr *condition);
  void slice(const Slice &slice);
  void expr(const Expr *expr);
  void operands(const Expr &expr);
  void call(const Call &call);
  void fold(const Call &call);
  bool isScalarBool(const Expr *expr) const { return expr->type && expr->type->isScalarBool(); }

  const TypedKernel &kernel;
  Set set;
  std::string problem;
};

void Verifier::slice(const Slice &slice) {
  const ParameterInfo &tensor = kernel.info.parameters[slice.tensor];
  require(tensor.kind == ParameterInfo::Kind::Tensor, "a slice of a parameter that is no tensor");
  require(slice.axes.size() == tensor.dims.size(), "a slice with another rank than its tensor");
  llvm::SmallVector<int64_t, 5> shape;
  bool isFirst = true; // of those with places
  for (const SliceAxis &axis : slice.axes) {
    expr(axis.start);
    require(axis.start->type->isScalar() && axis.start->type->element().isIndex(), "a start that is no index");
    if (axis.places) {
      expr(axis.places);
      Element element = axis.places->type->element();
      require(element == Element(DType::i32) || element == Element(DType::i64), "places that are no i32 or i64");
      require(axis.places->type->shape() == slice.gathered, "places of another shape than their slice's");
      if (std::exchange(isFirst, false)) {
        shape.append(slice.gathered.begin(), slice.gathered.end());
      }
    } else if (!axis.isPoint()) {
      shape.push_back(axis.length);
    }
  }
  require(slice.type->element() == Element(tensor.dtype) && slice.type->shape() == llvm::ArrayRef<int64_t>(shape),
          "a slice of another type than its axes");
}

void Verifier::fold(const Call &call) {
  size_t n = call.args.size();
  require(call.function->params.size() == 2 * n && call.function->results.size() == n && call.fold->results.size() == n,
          "a function that does not combine its tiles");
  for (size_t i = 0; i < n && problem.empty(); ++i) {
    expr(call.args[i]);
    const Type *tile = call.args[i]->type;
    require(tile->shape() == call.args[0]->type->shape() && tile->isTile(), "tiles of two shapes combined");
    for (const Variable *number : {call.function->params[i], call.function->params[n + i], call.function->results[i]}) {
      require(number->type->isScalar() && number->type->element() == tile->element(),
              "a number of another type than its tile's elements");
    }
    require(call.fold->results[i]->element() == tile->element(), "a combination of another element type");
  }
}

void Verifier::call(const Call &call) {
  bool single = call.numResults() == 1;
  require(single ? call.type == call.resultType(0) : !call.type, "a call of another type than its result");
  if (call.fold) {
    return fold(call);
  }
  require(call.args.size() == call.function->params.size(), "a call with another number of arguments");
  for (size_t i = 0; i < call.args.size() && problem.empty(); ++i) {
    expr(call.args[i]);
    require(call.args[i]->type == call.function->params[i]->type, "an argument of another type than its parameter");
  }
}

void Verifier::operands(const Expr &expr) {
  auto same = [&](const Expr *a, const Expr *b) { require(a->type == b->type, "operands of two types"); };
  switch (expr.kind) {
  case Expr::Kind::Binary: {
    const auto &binary = llvm::cast<Binary>(expr);
    this->expr(binary.lhs);
    this->expr(binary.rhs);
    same(binary.lhs, binary.rhs);
    bool floats = binary.op == BinaryOp::Div || binary.op == BinaryOp::Pow;
    bool bits = binary.op == BinaryOp::And || binary.op == BinaryOp::Or || binary.op == BinaryOp::Xor;
    bool shifts = binary.op == BinaryOp::Shl || binary.op == BinaryOp::Shr;
    Element element = binary.type->element();
    require(!floats || element.isFloat(), "a float operator on integers");
    require(!(bits || shifts) || !element.isFloat(), "a bit operator on floats");
    require(bits || !element.isBool(), "arithmetic on bools");
    return require(!element.isFloat8(), "arithmetic on f8");
  }
  case Expr::Kind::Compare: {
    const auto &compare = llvm::cast<Compare>(expr);
    this->expr(compare.lhs);
    this->expr(compare.rhs);
    same(compare.lhs, compare.rhs);
    return require(compare.type->element().isBool() && compare.type->shape() == compare.lhs->type->shape(),
                   "a comparison that is no bool of its operands' shape");
  }
  case Expr::Kind::Logical: {
    const auto &logical = llvm::cast<Logical>(expr);
    this->expr(logical.lhs);
    this->expr(logical.rhs);
    return require(isScalarBool(logical.lhs) && isScalarBool(logical.rhs), "a logical operand that is no scalar bool");
  }
  case Expr::Kind::Conditional: {
    const auto &conditional = llvm::cast<Conditional>(expr);
    this->expr(conditional.condition);
    this->expr(conditional.thenValue);
    this->expr(conditional.elseValue);
    same(conditional.thenValue, conditional.elseValue);
    return require(isScalarBool(conditional.condition), "a condition that is no scalar bool");
  }
  case Expr::Kind::Select: {
    const auto &select = llvm::cast<Select>(expr);
    this->expr(select.condition);
    this->expr(select.thenValue);
    this->expr(select.elseValue);
    same(select.thenValue, select.elseValue);
    return require(select.condition->type->element().isBool() &&
                       select.condition->type->shape() == select.type->shape(),
                   "a mask of another shape than its arms");
  }
  case Expr::Kind::Broadcast: {
    const Expr *operand = llvm::cast<Broadcast>(expr).operand;
    this->expr(operand);
    bool sameRank = operand->type->isScalar() || operand->type->rank() == expr.type->rank();
    return require(sameRank && broadcastsTo(operand->type->shape(), expr.type->shape()) &&
                       operand->type->element() == expr.type->element(),
                   "a broadcast of unfit shapes");
  }
  case Expr::Kind::Reshape: {
    const Expr *operand = llvm::cast<Reshape>(expr).operand;
    this->expr(operand);
    return require(operand->type->isTile() && operand->type->elementCount() == expr.type->elementCount(),
                   "a reshape to another size");
  }
  case Expr::Kind::Math: {
    for (const Expr *operand : llvm::cast<Math>(expr).operands) {
      this->expr(operand);
      same(operand, llvm::cast<Math>(expr).operands[0]);
    }
    return;
  }
  case Expr::Kind::Ptx:
    for (const Expr *operand : llvm::cast<Ptx>(expr).operands) {
      this->expr(operand);
      require(operand->type->shape() == expr.type->shape(), "an operand of PTX of another shape");
    }
    return;
  case Expr::Kind::Libdevice:
    for (const Expr *operand : llvm::cast<Libdevice>(expr).operands) {
      this->expr(operand);
      require(operand->type->shape() == expr.type->shape(), "operands of two shapes");
    }
    return;
  case Expr::Kind::Random: {
    const auto &random = llvm::cast<Random>(expr);
    this->expr(random.seed);
    this->expr(random.offset);
    DType result = random.op == RandomOp::Bits ? DType::u32 : DType::f32;
    require(random.seed->type->isScalar() && random.seed->type->element() == DType::i64 &&
                random.offset->type->element() == DType::i64,
            "a seed or an offset that is no i64");
    return require(expr.type->element() == result && expr.type->shape() == random.offset->type->shape(),
                   "random numbers of another type than their offsets ask for");
  }
  case Expr::Kind::Dot: {
    const auto &dot = llvm::cast<Dot>(expr);
    this->expr(dot.a);
    this->expr(dot.b);
    if (dot.accumulator) {
      this->expr(dot.accumulator);
      require(dot.accumulator->type == dot.type, "an accumulator of another type than its dot");
    }
    llvm::ArrayRef<int64_t> a = dot.a->type->shape(), b = dot.b->type->shape();
    return require(a[1] == b[dot.transposeB ? 1 : 0] && dot.type->shape()[0] == a[0] &&
                       dot.type->shape()[1] == b[dot.transposeB ? 0 : 1],
                   "a dot of unfit shapes");
  }
  default:
    return;
  }
}

void Verifier::expr(const Expr *expr) {
  if (!problem.empty()) {
    return;
  }
  require(expr->range.isValid(), "a node without a place in the source");
  require(expr->type || llvm::isa<Call>(expr), "an expression without a type");
  switch (expr->kind) {
  case Expr::Kind::Read:
    return require(set.contains(llvm::cast<Read>(expr)->variable),
                   "`" + llvm::cast<Read>(expr)->variable->name.str() + "` read before it is set");
  case Expr::Kind::Load:
    slice(*llvm::cast<Load>(expr)->slice);
    if (const Expr *fill = llvm::cast<Load>(expr)->fill) {
      this->expr(fill);
      require(fill->type->isScalar() && fill->type->element() == expr->type->element(), "a fill of another type");
    }
    return;
  case Expr::Kind::Atomic: {
    const auto &atomic = llvm::cast<Atomic>(*expr);
    slice(*atomic.slice);
    this->expr(atomic.value);
    require(atomic.value->type == atomic.slice->type, "an atomic operand of another type than its slice");
    require(bool(atomic.compare) == (atomic.op == AtomicKind::CompareExchange), "a comparison of no exchange");
    if (atomic.compare) {
      this->expr(atomic.compare);
      require(atomic.compare->type == atomic.slice->type, "an atomic operand of another type than its slice");
    }
    return;
  }
  case Expr::Kind::Unary:
    return this->expr(llvm::cast<Unary>(expr)->operand);
  case Expr::Kind::Convert:
    this->expr(llvm::cast<Convert>(expr)->operand);
    return require(llvm::cast<Convert>(expr)->operand->type->shape() == expr->type->shape(),
                   "a conversion that changes the shape");
  case Expr::Kind::Bitcast:
    return this->expr(llvm::cast<Bitcast>(expr)->operand);
  case Expr::Kind::Transpose:
    return this->expr(llvm::cast<Transpose>(expr)->operand);
  case Expr::Kind::Part: {
    const auto &part = *llvm::cast<Part>(expr);
    this->expr(part.operand);
    require(part.starts.size() == part.operand->type->shape().size() &&
                part.starts.size() == part.type->shape().size() &&
                part.operand->type->element() == part.type->element(),
            "a part of another rank or element than its tile");
    for (const Expr *start : part.starts) {
      this->expr(start);
      require(start->type->isScalar() && start->type->element().isIndex(), "a start that is no index");
    }
    if (part.other) {
      this->expr(part.other);
      require(part.other->type == part.type, "a part replaced in another type");
    }
    return;
  }
  case Expr::Kind::Reduce:
    return this->expr(llvm::cast<Reduce>(expr)->operand);
  case Expr::Kind::Call:
    return call(*llvm::cast<Call>(expr));
  default:
    return operands(*expr);
  }
}

void Verifier::branch(const If &stmt) {
  expr(stmt.condition);
  require(isScalarBool(stmt.condition), "a condition that is no scalar bool");
  Set before = set;
  block(stmt.thenBlock);
  Set afterThen = std::exchange(set, before);
  block(stmt.elseBlock);
  Set afterElse = std::exchange(set, before);
  for (Block arm : {stmt.thenBlock, stmt.elseBlock}) {
    for (const Variable *variable : assignedIn(arm)) {
      require(!before.contains(variable) || llvm::is_contained(stmt.yields, variable),
              "an if that changes `" + variable->name.str() + "` and does not yield it");
    }
  }
  for (const Variable *variable : stmt.yields) {
    require(afterThen.contains(variable) && afterElse.contains(variable),
            "`" + variable->name.str() + "` yielded and not set in both arms");
    set.insert(variable);
  }
}

void Verifier::loop(Block body, llvm::ArrayRef<Variable *> carried, const Variable *induction, const Expr *condition) {
  Set before = set;
  if (condition) {
    expr(condition);
    require(isScalarBool(condition), "a condition that is no scalar bool");
  }
  if (induction) {
    set.insert(induction);
  }
  block(body);
  set = before;
  for (const Variable *variable : carried) {
    require(set.contains(variable), "`" + variable->name.str() + "` carried and not set before the loop");
  }
  for (const Variable *variable : assignedIn(body)) {
    require(!before.contains(variable) || llvm::is_contained(carried, variable),
            "a loop that changes `" + variable->name.str() + "` and does not carry it");
  }
}

void Verifier::blockNumbers(llvm::ArrayRef<Expr *> block) {
  require(block.size() == 3, "a block of another number of axes than three");
  for (const Expr *number : block) {
    expr(number);
    require(number->type->isScalar() && number->type->element().isIndex(), "a block number that is no index");
  }
}

void Verifier::print(const Print &stmt) {
  const Type *tile = nullptr;
  for (const Expr *value : stmt.values) {
    expr(value);
    if (value->type->isTile()) {
      require(!tile || tile->shape() == value->type->shape(), "tiles of two shapes printed side by side");
      tile = value->type;
    }
  }
  blockNumbers(stmt.block);
}

void Verifier::statement(const Stmt &stmt) {
  require(stmt.range.isValid(), "a statement without a place in the source");
  switch (stmt.kind) {
  case Stmt::Kind::Assign: {
    const auto &assign = llvm::cast<Assign>(stmt);
    expr(assign.value);
    require(assign.value->type == assign.variable->type,
            "`" + assign.variable->name.str() + "` assigned a value of another type");
    set.insert(assign.variable);
    return;
  }
  case Stmt::Kind::Unpack: {
    const auto &unpack = llvm::cast<Unpack>(stmt);
    call(*unpack.call);
    require(unpack.variables.size() == unpack.call->function->results.size(), "an unpacking of another number");
    for (size_t i = 0; i < unpack.variables.size() && problem.empty(); ++i) {
      require(unpack.variables[i]->type == unpack.call->resultType(i), "an unpacking of another type");
      set.insert(unpack.variables[i]);
    }
    return;
  }
  case Stmt::Kind::Store: {
    const auto &store = llvm::cast<Store>(stmt);
    slice(*store.slice);
    expr(store.value);
    return require(store.value->type == store.slice->type, "a stored value of another type than its slice");
  }
  case Stmt::Kind::Evaluate:
    return expr(llvm::cast<Evaluate>(stmt).value);
  case Stmt::Kind::Print:
    return print(llvm::cast<Print>(stmt));
  case Stmt::Kind::Prefetch:
    return slice(*llvm::cast<Prefetch>(stmt).slice);
  case Stmt::Kind::GridBarrier:
    return;
  case Stmt::Kind::Assert: {
    const auto &assertion = llvm::cast<Assert>(stmt);
    expr(assertion.condition);
    require(assertion.condition->type->element().isBool(), "an assertion of what is no bool");
    return blockNumbers(assertion.block);
  }
  case Stmt::Kind::If:
    return branch(llvm::cast<If>(stmt));
  case Stmt::Kind::For: {
    const auto &each = llvm::cast<For>(stmt);
    for (const Expr *bound : {each.lower, each.upper, each.step}) {
      expr(bound);
      require(bound->type == each.variable->type, "a bound of another type than the loop variable");
    }
    return loop(each.body, each.carried, each.variable, nullptr);
  }
  case Stmt::Kind::While:
    return loop(llvm::cast<While>(stmt).body, llvm::cast<While>(stmt).carried, nullptr,
                llvm::cast<While>(stmt).condition);
  }
}

void Verifier::block(Block block) {
  for (const Stmt *stmt : block) {
    if (problem.empty()) {
      statement(*stmt);
    }
  }
}

std::string Verifier::run() {
  // Functions may read what the kernel sets first of all: the block ids of @ph.swizzle.
  Set prologue;
  for (const Stmt *stmt : kernel.body) {
    const auto *assign = llvm::dyn_cast<Assign>(stmt);
    if (!assign || !assign->variable->name.starts_with("<")) {
      break;
    }
    prologue.insert(assign->variable);
  }
  for (const Function *function : kernel.functions) {
    set = prologue;
    set.insert_range(function->params);
    block(function->body);
    for (const Variable *result : function->results) {
      require(set.contains(result), "a result of `" + function->name.str() + "` that is not set");
    }
  }
  set.clear();
  block(kernel.body);
  return problem;
}

} // namespace

std::string whyBroken(const TypedKernel &kernel) { return Verifier(kernel).run(); }

} // namespace phobos::sema
