// The tree has no jumps, so sema rewrites break, continue and return. Here random programs of nested branches, loops
// and jumps run twice: as they are written, and as their typed tree, where a branch hands on only what it yields and a
// loop only what it carries. Both must store the same values in the same order.
#include "SemaTesting.h"
#include "gtest/gtest.h"
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace phobos::sema::testing {
namespace {

constexpr int64_t kArgument = 3;
constexpr size_t kLongestTrace = 4000;

// --- Programs
/// Variables are a0 … a3, all set first; `t` is set and read within one block; `u` is set at the end of both arms of a
/// Choose and read after it, where every path that did not jump has set it.
struct Node {
  enum class Kind { Store, Bump, Local, If, Choose, For, While, Break, Continue, Return };
  Kind kind;
  int variable = 0, other = 0, number = 1;
  std::vector<Node> body, orElse;
};

class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  std::vector<Node> block(int depth, bool inLoop) {
    std::vector<Node> nodes;
    for (int count = 1 + pick(3); count > 0; --count) {
      nodes.push_back(node(depth, inLoop));
    }
    return nodes;
  }
  int pick(int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }

private:
  Node node(int depth, bool inLoop) {
    Node made{Node::Kind::Store, pick(4), pick(4), 1 + pick(4), {}, {}};
    int choice = pick(depth > 0 ? 12 : 4);
    if (choice == 0 && inLoop) {
      made.kind = pick(2) ? Node::Kind::Break : Node::Kind::Continue;
    } else if (choice == 1 && pick(3) == 0) {
      made.kind = Node::Kind::Return;
    } else if (choice == 2) {
      made.kind = Node::Kind::Local;
    } else if (choice <= 4) {
      made.kind = Node::Kind::Bump;
    } else if (choice <= 9 && choice > 5) {
      made.kind = pick(3) ? Node::Kind::If : Node::Kind::Choose;
      made.body = block(depth - 1, inLoop);
      if (made.kind == Node::Kind::Choose || pick(2)) {
        made.orElse = block(depth - 1, inLoop);
      }
    } else if (choice > 9) {
      made.kind = pick(2) ? Node::Kind::For : Node::Kind::While;
      made.body = block(depth - 1, true);
    }
    return made;
  }
  std::mt19937 random;
};

void print(const std::vector<Node> &block, int depth, bool returnsValue, std::string &out) {
  static int loops = 0;
  for (const Node &node : block) {
    std::string indent(static_cast<size_t>(4 * depth), ' '), a = "a" + std::to_string(node.variable),
                                                             b = "a" + std::to_string(node.other),
                                                             number = std::to_string(node.number);
    switch (node.kind) {
    case Node::Kind::Store:
      out += indent + "Z[0] = " + a + " + " + number + "\n";
      break;
    case Node::Kind::Bump:
      out += indent + a + " = " + b + " + " + number + "\n";
      break;
    case Node::Kind::Local: // set on every path that goes on
      out += indent + "t = " + a + " * 2\n" + indent + "Z[1] = t\n";
      break;
    case Node::Kind::If:
      out += indent + "if " + a + " % " + std::to_string(node.number + 1) + " == 0:\n";
      print(node.body, depth + 1, returnsValue, out);
      if (!node.orElse.empty()) {
        out += indent + "else:\n";
        print(node.orElse, depth + 1, returnsValue, out);
      }
      break;
    case Node::Kind::Choose:
      out += indent + "if " + a + " % " + std::to_string(node.number + 1) + " == 0:\n";
      print(node.body, depth + 1, returnsValue, out);
      out += indent + "    u = " + a + " + 1\n" + indent + "else:\n";
      print(node.orElse, depth + 1, returnsValue, out);
      out += indent + "    u = " + b + " * 3\n" + indent + "Z[4] = u\n";
      break;
    case Node::Kind::For: {
      std::string i = "i" + std::to_string(loops++);
      out += indent + "for " + i + " in range(0, n, " + std::to_string(node.number % 2 + 1) + "):\n";
      out += indent + "    Z[2] = " + i + "\n";
      print(node.body, depth + 1, returnsValue, out);
      break;
    }
    case Node::Kind::While: {
      std::string w = "w" + std::to_string(loops++);
      out += indent + w + " = 0\n" + indent + "while " + w + " < " + number + ":\n";
      out += indent + "    " + w + " += 1\n";
      print(node.body, depth + 1, returnsValue, out);
      break;
    }
    case Node::Kind::Break:
      out += indent + "break\n";
      break;
    case Node::Kind::Continue:
      out += indent + "continue\n";
      break;
    case Node::Kind::Return:
      out += indent + (returnsValue ? "return " + a + "\n" : "return\n");
      break;
    }
  }
}

// --- Run as written
using Trace = std::vector<std::pair<int, int64_t>>;

struct Written {
  enum class Exit { Normal, Break, Continue, Return };
  int64_t a[4] = {};
  int64_t result = 0;
  Trace trace;

  Exit run(const std::vector<Node> &block) {
    for (const Node &node : block) {
      if (trace.size() > kLongestTrace) {
        return Exit::Return;
      }
      Exit exit = run(node);
      if (exit != Exit::Normal) {
        return exit;
      }
    }
    return Exit::Normal;
  }

  Exit run(const Node &node) {
    switch (node.kind) {
    case Node::Kind::Store:
      trace.emplace_back(0, a[node.variable] + node.number);
      return Exit::Normal;
    case Node::Kind::Bump:
      a[node.variable] = a[node.other] + node.number;
      return Exit::Normal;
    case Node::Kind::Local:
      trace.emplace_back(1, a[node.variable] * 2);
      return Exit::Normal;
    case Node::Kind::If:
      return run(a[node.variable] % (node.number + 1) == 0 ? node.body : node.orElse);
    case Node::Kind::Choose: {
      bool first = a[node.variable] % (node.number + 1) == 0;
      Exit exit = run(first ? node.body : node.orElse);
      if (exit == Exit::Normal) {
        trace.emplace_back(4, first ? a[node.variable] + 1 : a[node.other] * 3);
      }
      return exit;
    }
    case Node::Kind::For:
      for (int64_t i = 0; i < kArgument; i += node.number % 2 + 1) {
        trace.emplace_back(2, i);
        Exit exit = run(node.body);
        if (exit == Exit::Return) {
          return exit;
        }
        if (exit == Exit::Break) {
          break;
        }
      }
      return Exit::Normal;
    case Node::Kind::While:
      for (int64_t w = 0; w < node.number; ++w) {
        Exit exit = run(node.body);
        if (exit == Exit::Return) {
          return exit;
        }
        if (exit == Exit::Break) {
          break;
        }
      }
      return Exit::Normal;
    case Node::Kind::Break:
      return Exit::Break;
    case Node::Kind::Continue:
      return Exit::Continue;
    case Node::Kind::Return:
      result = a[node.variable];
      return Exit::Return;
    }
    return Exit::Normal;
  }
};

// --- Run the typed tree
class Typed {
public:
  Trace trace;

  void run(Block block) {
    for (const Stmt *stmt : block) {
      if (trace.size() <= kLongestTrace) {
        run(*stmt);
      }
    }
  }

private:
  using Values = std::map<const Variable *, int64_t>;

  /// Leaves of `inner` only what is handed on.
  void handOn(Values outer, llvm::ArrayRef<Variable *> variables) {
    for (const Variable *variable : variables) {
      outer[variable] = values.at(variable);
    }
    values = std::move(outer);
  }

  void run(const Stmt &stmt) {
    if (const auto *assign = llvm::dyn_cast<Assign>(&stmt)) {
      values[assign->variable] = evaluate(assign->value);
    } else if (const auto *store = llvm::dyn_cast<Store>(&stmt)) {
      int64_t place = evaluate(store->slice->axes[0].start);
      trace.emplace_back(static_cast<int>(place), evaluate(store->value));
    } else if (const auto *branch = llvm::dyn_cast<If>(&stmt)) {
      Values before = values;
      run(evaluate(branch->condition) ? branch->thenBlock : branch->elseBlock);
      handOn(before, branch->yields);
    } else if (const auto *loop = llvm::dyn_cast<For>(&stmt)) {
      int64_t upper = evaluate(loop->upper), step = evaluate(loop->step);
      for (int64_t i = evaluate(loop->lower); i < upper && trace.size() <= kLongestTrace; i += step) {
        Values before = values;
        values[loop->variable] = i;
        run(loop->body);
        handOn(before, loop->carried);
      }
    } else if (const auto *loop = llvm::dyn_cast<While>(&stmt)) {
      while (evaluate(loop->condition) && trace.size() <= kLongestTrace) {
        Values before = values;
        run(loop->body);
        handOn(before, loop->carried);
      }
    } else {
      evaluate(llvm::cast<Evaluate>(&stmt)->value);
    }
  }

  int64_t evaluate(const Expr *expr) {
    switch (expr->kind) {
    case Expr::Kind::Constant:
      return llvm::cast<Constant>(expr)->integer;
    case Expr::Kind::Read:
      return values.at(llvm::cast<Read>(expr)->variable);
    case Expr::Kind::Parameter:
      return kArgument;
    case Expr::Kind::Convert:
      return evaluate(llvm::cast<Convert>(expr)->operand);
    case Expr::Kind::Unary:
      return !evaluate(llvm::cast<Unary>(expr)->operand); // of bools only
    case Expr::Kind::Logical: {
      const auto *logical = llvm::cast<Logical>(expr);
      bool left = evaluate(logical->lhs);
      return left == logical->isAnd ? evaluate(logical->rhs) : left;
    }
    case Expr::Kind::Compare: {
      const auto *compare = llvm::cast<Compare>(expr);
      int64_t left = evaluate(compare->lhs), right = evaluate(compare->rhs);
      return compare->predicate == ComparePredicate::Lt ? left < right : left == right;
    }
    case Expr::Kind::Binary: {
      const auto *binary = llvm::cast<Binary>(expr);
      int64_t left = evaluate(binary->lhs), right = evaluate(binary->rhs);
      return binary->op == BinaryOp::Add ? left + right : binary->op == BinaryOp::Mul ? left * right : left % right;
    }
    case Expr::Kind::Call: {
      const auto *call = llvm::cast<Call>(expr);
      for (size_t i = 0; i < call->args.size(); ++i) {
        values[call->function->params[i]] = evaluate(call->args[i]);
      }
      run(call->function->body);
      return values.at(call->function->results[0]);
    }
    default:
      ADD_FAILURE() << "an expression that these programs do not have";
      return 0;
    }
  }

  Values values;
};

std::string show(const Trace &trace) {
  std::string text;
  for (const auto &[place, value] : trace) {
    text += std::to_string(place) + ":" + std::to_string(value) + " ";
  }
  return text;
}

/// `inFunction`: the program is a device function whose result is stored.
void compare(unsigned seed, bool inFunction) {
  Generator generator(seed);
  std::vector<Node> program = generator.block(4, false);
  std::string body =
      "    a0 = 0\n    a1 = 0\n    a2 = 0\n    a3 = 0\n    a0 += n\n    a1 += 1\n    a2 += 2\n    a3 += 0\n";
  print(program, 1, inFunction, body);
  std::string text = "import phobos.lang as ph\n";
  if (inFunction) {
    text += "@ph.fn\ndef f(Z, n):\n" + body + "    return a0 + 100\n" +
            "@ph.kernel\ndef k(Z: ph.tensor[ph.i64][N], n: ph.i32):\n    Z[3] = f(Z, n)\n";
  } else {
    text += "@ph.kernel\ndef k(Z: ph.tensor[ph.i64][N], n: ph.i32):\n" + body;
  }
  Parsed parsed(text);
  ASSERT_FALSE(parsed.diagnostics.hasErrors()) << parsed.diagnostics.render();
  auto typed = checkKernel(*parsed.module, *parsed.kernel, {}, {}, parsed.diagnostics);
  ASSERT_TRUE(typed) << parsed.diagnostics.render() << text;

  Written written;
  int64_t start[4] = {kArgument, 1, 2, 0};
  std::copy(start, start + 4, written.a);
  if (written.run(program) == Written::Exit::Normal) {
    written.result = written.a[0] + 100;
  }
  if (inFunction) {
    written.trace.emplace_back(3, written.result);
  }
  if (written.trace.size() > kLongestTrace) {
    return;
  }
  Typed tree;
  tree.run(typed->body);
  std::string dumped;
  llvm::raw_string_ostream os(dumped);
  dump(*typed, os);
  ASSERT_EQ(show(tree.trace), show(written.trace)) << text << dumped;
}

TEST(Jumps, RewrittenProgramsDoTheSame) {
  for (unsigned seed = 0; seed < 3000 && !::testing::Test::HasFatalFailure(); ++seed) {
    compare(seed, /*inFunction=*/false);
  }
}

TEST(Jumps, RewrittenFunctionsReturnTheSame) {
  for (unsigned seed = 0; seed < 3000 && !::testing::Test::HasFatalFailure(); ++seed) {
    compare(seed + 100000, /*inFunction=*/true);
  }
}

} // namespace
} // namespace phobos::sema::testing
