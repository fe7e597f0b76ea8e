// The typed tree as text.
#include "ConstEval.h"
#include "phobos/Sema/Sema.h"
#include "llvm/Support/raw_ostream.h"

namespace phobos::sema {
namespace {

llvm::StringRef spell(BinaryOp op) {
  static constexpr llvm::StringLiteral kNames[] = {"add", "sub", "mul", "div", "floordiv", "mod", "pow",
                                                   "min", "max", "and", "or",  "xor",      "shl", "shr"};
  return kNames[static_cast<size_t>(op)];
}
llvm::StringRef spell(ComparePredicate predicate) {
  static constexpr llvm::StringLiteral kNames[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  return kNames[static_cast<size_t>(predicate)];
}
llvm::StringRef spell(ReduceOp op) {
  static constexpr llvm::StringLiteral kNames[] = {"sum", "prod", "min", "max", "any", "all", "argmin", "argmax"};
  return kNames[static_cast<size_t>(op)];
}
llvm::StringRef spell(RandomOp op) {
  static constexpr llvm::StringLiteral kNames[] = {"randint", "rand", "randn"};
  return kNames[static_cast<size_t>(op)];
}

class Dumper {
public:
  Dumper(const TypedKernel &kernel, llvm::raw_ostream &os) : kernel(kernel), os(os) {}

  void run();

private:
  void block(Block block, unsigned depth);
  void statement(const Stmt &stmt, unsigned depth);
  void slice(const Slice &slice);
  void expr(const Expr &expr);
  void call(llvm::StringRef name, llvm::ArrayRef<const Expr *> operands, const Type *type = nullptr);
  void variables(llvm::ArrayRef<Variable *> list);
  void quoted(llvm::StringRef text) { (os << '"').write_escaped(text) << '"'; }
  void name(const Variable &variable) { os << variable.name << '#' << variable.id; }

  const TypedKernel &kernel;
  llvm::raw_ostream &os;
};

void Dumper::call(llvm::StringRef name, llvm::ArrayRef<const Expr *> operands, const Type *type) {
  os << name << '(';
  for (size_t i = 0; i < operands.size(); ++i) {
    os << (i ? ", " : "");
    expr(*operands[i]);
  }
  os << ')';
  if (type) {
    os << ':' << type->str();
  }
}

void Dumper::variables(llvm::ArrayRef<Variable *> list) {
  for (size_t i = 0; i < list.size(); ++i) {
    os << (i ? ", " : "");
    name(*list[i]);
  }
}

void Dumper::slice(const Slice &slice) {
  os << kernel.info.parameters[slice.tensor].name << '[';
  for (size_t i = 0; i < slice.axes.size(); ++i) {
    const SliceAxis &axis = slice.axes[i];
    os << (i ? ", " : "");
    expr(axis.places ? *axis.places : *axis.start);
    if (axis.places) {
      continue;
    }
    if (!axis.isPoint()) {
      os << ":+" << axis.length;
    }
    if (axis.startMultiple != 1) {
      os << " {" << axis.startMultiple << '}';
    }
  }
  os << "]:" << slice.type->str();
}

void Dumper::expr(const Expr &expr) {
  static constexpr llvm::StringLiteral kAxes = "xyz";
  switch (expr.kind) {
  case Expr::Kind::Constant: {
    const auto &constant = llvm::cast<Constant>(expr);
    Element element = constant.type->element();
    os << (element.isFloat()  ? toText(ConstantValue::ofFloat(constant.real))
           : element.isBool() ? toText(ConstantValue::ofBool(constant.integer))
                              : std::to_string(constant.integer));
    if (!element.isIndex() && !element.isBool()) {
      os << ':' << constant.type->str();
    }
    return;
  }
  case Expr::Kind::Read:
    return name(*llvm::cast<Read>(expr).variable);
  case Expr::Kind::Parameter:
    os << kernel.info.parameters[llvm::cast<Parameter>(expr).index].name;
    return;
  case Expr::Kind::Extent:
    os << kernel.info.dims[llvm::cast<Extent>(expr).dim];
    return;
  case Expr::Kind::Stride:
    os << kernel.info.parameters[llvm::cast<Stride>(expr).tensor].name << ".stride[" << llvm::cast<Stride>(expr).axis
       << ']';
    return;
  case Expr::Kind::BlockId:
    os << "block." << kAxes[llvm::cast<BlockId>(expr).axis];
    return;
  case Expr::Kind::GridSize:
    os << "grid." << kAxes[llvm::cast<GridSize>(expr).axis];
    return;
  case Expr::Kind::Load: {
    const auto &load = llvm::cast<Load>(expr);
    os << "load ";
    slice(*load.slice);
    if (load.fill) {
      os << " other ";
      this->expr(*load.fill);
    }
    return;
  }
  case Expr::Kind::Atomic: {
    const auto &atomic = llvm::cast<Atomic>(expr);
    os << "atomic " << spelling(atomic.op) << ' ' << spelling(atomic.scope) << ' ' << spelling(atomic.order) << ' ';
    slice(*atomic.slice);
    if (atomic.compare) {
      os << " compare ";
      this->expr(*atomic.compare);
    }
    os << " with ";
    this->expr(*atomic.value);
    return;
  }
  case Expr::Kind::Unary: {
    static constexpr llvm::StringLiteral kNames[] = {"neg", "not", "abs"};
    const auto &unary = llvm::cast<Unary>(expr);
    return call(kNames[static_cast<size_t>(unary.op)], {unary.operand});
  }
  case Expr::Kind::Binary: {
    const auto &binary = llvm::cast<Binary>(expr);
    return call(spell(binary.op), {binary.lhs, binary.rhs});
  }
  case Expr::Kind::Compare: {
    const auto &compare = llvm::cast<Compare>(expr);
    return call(spell(compare.predicate), {compare.lhs, compare.rhs});
  }
  case Expr::Kind::Logical: {
    const auto &logical = llvm::cast<Logical>(expr);
    return call(logical.isAnd ? "both" : "either", {logical.lhs, logical.rhs});
  }
  case Expr::Kind::Conditional: {
    const auto &conditional = llvm::cast<Conditional>(expr);
    return call("if", {conditional.condition, conditional.thenValue, conditional.elseValue});
  }
  case Expr::Kind::Select: {
    const auto &select = llvm::cast<Select>(expr);
    return call("where", {select.condition, select.thenValue, select.elseValue});
  }
  case Expr::Kind::Convert:
    return call(elementName(expr.type->element()), {llvm::cast<Convert>(expr).operand});
  case Expr::Kind::Bitcast:
    return call("bitcast", {llvm::cast<Bitcast>(expr).operand}, expr.type);
  case Expr::Kind::Broadcast:
    return call("broadcast", {llvm::cast<Broadcast>(expr).operand}, expr.type);
  case Expr::Kind::Reshape: {
    const auto &reshape = llvm::cast<Reshape>(expr);
    return call(reshape.expandsOnly ? "expand" : "reshape", {reshape.operand}, expr.type);
  }
  case Expr::Kind::Transpose: {
    const auto &transpose = llvm::cast<Transpose>(expr);
    return call("transpose" + shapeText(transpose.permutation), {transpose.operand}, expr.type);
  }
  case Expr::Kind::Part: {
    const auto &part = llvm::cast<Part>(expr);
    llvm::SmallVector<const Expr *, 8> all = {part.operand};
    all.append(part.starts.begin(), part.starts.end());
    if (part.other) {
      all.push_back(part.other);
    }
    return call(part.other ? "replaced" : "part", all, expr.type);
  }
  case Expr::Kind::Iota:
    os << "iota:" << expr.type->str();
    return;
  case Expr::Kind::Math: {
    const auto &math = llvm::cast<Math>(expr);
    return call(spelling(math.op), llvm::ArrayRef<const Expr *>(math.operands.begin(), math.operands.end()));
  }
  case Expr::Kind::Ptx: {
    const auto &ptx = llvm::cast<Ptx>(expr);
    return call("ptx", llvm::ArrayRef<const Expr *>(ptx.operands.begin(), ptx.operands.end()), expr.type);
  }
  case Expr::Kind::Libdevice: {
    const auto &function = llvm::cast<Libdevice>(expr);
    llvm::ArrayRef<const Expr *> operands(function.operands.begin(), function.operands.end());
    return call(("libdevice." + function.name).str(), operands);
  }
  case Expr::Kind::Random: {
    const auto &random = llvm::cast<Random>(expr);
    return call(spell(random.op), {random.seed, random.offset}, expr.type);
  }
  case Expr::Kind::Reduce: {
    const auto &reduce = llvm::cast<Reduce>(expr);
    llvm::StringRef running = reduce.running ? "running_" : "";
    return call((running + spell(reduce.op) + shapeText(reduce.axes)).str(), {reduce.operand}, expr.type);
  }
  case Expr::Kind::Dot: {
    const auto &dot = llvm::cast<Dot>(expr);
    llvm::SmallVector<const Expr *, 3> operands{dot.a, dot.b};
    if (dot.accumulator) {
      operands.push_back(dot.accumulator);
    }
    return call(dot.transposeB ? "dot_t" : "dot", operands, expr.type);
  }
  case Expr::Kind::Call: {
    const auto &node = llvm::cast<Call>(expr);
    std::string name = node.function->name.str();
    if (node.fold) {
      name = (node.fold->running ? "scan" : "reduce") + shapeText({node.fold->axis}) + " by " + name;
    }
    return call(name, llvm::ArrayRef<const Expr *>(node.args.begin(), node.args.end()), expr.type);
  }
  }
}

void Dumper::statement(const Stmt &stmt, unsigned depth) {
  os.indent(2 * depth);
  switch (stmt.kind) {
  case Stmt::Kind::Assign: {
    const auto &assign = llvm::cast<Assign>(stmt);
    name(*assign.variable);
    os << ": " << assign.variable->type->str() << " = ";
    expr(*assign.value);
    break;
  }
  case Stmt::Kind::Unpack:
    variables(llvm::cast<Unpack>(stmt).variables);
    os << " = ";
    expr(*llvm::cast<Unpack>(stmt).call);
    break;
  case Stmt::Kind::Store:
    os << "store ";
    slice(*llvm::cast<Store>(stmt).slice);
    os << " = ";
    expr(*llvm::cast<Store>(stmt).value);
    break;
  case Stmt::Kind::Evaluate:
    expr(*llvm::cast<Evaluate>(stmt).value);
    break;
  case Stmt::Kind::Print:
    os << "print ";
    quoted(llvm::cast<Print>(stmt).text);
    for (const Expr *value : llvm::cast<Print>(stmt).values) {
      os << ", ";
      expr(*value);
    }
    break;
  case Stmt::Kind::Prefetch:
    os << "prefetch ";
    slice(*llvm::cast<Prefetch>(stmt).slice);
    os << '\n';
    return;
  case Stmt::Kind::GridBarrier:
    os << "grid_barrier\n";
    return;
  case Stmt::Kind::Assert:
    os << "assert ";
    expr(*llvm::cast<Assert>(stmt).condition);
    os << ", ";
    quoted(llvm::cast<Assert>(stmt).message);
    break;
  case Stmt::Kind::If: {
    const auto &branch = llvm::cast<If>(stmt);
    os << "if ";
    expr(*branch.condition);
    os << " yields (";
    variables(branch.yields);
    os << ")\n";
    block(branch.thenBlock, depth + 1);
    if (!branch.elseBlock.empty()) {
      os.indent(2 * depth) << "else\n";
      block(branch.elseBlock, depth + 1);
    }
    return;
  }
  case Stmt::Kind::For: {
    const auto &loop = llvm::cast<For>(stmt);
    os << "for ";
    name(*loop.variable);
    os << " in ";
    call("range", {loop.lower, loop.upper, loop.step});
    os << " carries (";
    variables(loop.carried);
    os << ")\n";
    return block(loop.body, depth + 1);
  }
  case Stmt::Kind::While: {
    const auto &loop = llvm::cast<While>(stmt);
    os << "while ";
    expr(*loop.condition);
    os << " carries (";
    variables(loop.carried);
    os << ")\n";
    return block(loop.body, depth + 1);
  }
  }
  os << '\n';
}

void Dumper::block(Block block, unsigned depth) {
  for (const Stmt *stmt : block) {
    statement(*stmt, depth);
  }
}

void Dumper::run() {
  os << "kernel " << kernel.info.name << " threads " << kernel.options.threads << '\n';
  for (const auto &[name, value] : kernel.constants) {
    os << "constant " << name << " = " << toText(value) << '\n';
  }
  for (size_t i = 0; i < kernel.info.dims.size(); ++i) {
    os << "dim " << kernel.info.dims[i];
    if (kernel.promised[i] != 1) {
      os << " promised " << kernel.promised[i];
    }
    if (!kernel.multiples[i].empty()) {
      os << " multiples " << shapeText(kernel.multiples[i]);
    }
    os << '\n';
  }
  for (const Function *function : kernel.functions) {
    os << "function " << function->name << " (";
    variables(function->params);
    os << ") -> (";
    variables(function->results);
    os << ")\n";
    block(function->body, 1);
  }
  os << "body\n";
  block(kernel.body, 1);
}

} // namespace

void dump(const TypedKernel &kernel, llvm::raw_ostream &os) { Dumper(kernel, os).run(); }

} // namespace phobos::sema
