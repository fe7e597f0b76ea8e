// Positional, keyword, `*` and `**` arguments; each misuse says what the callee takes.
#include "Arguments.h"

namespace phobos::sema {
namespace {

std::string takes(const Builtin &builtin) {
  return ("`ph." + builtin.name + "` takes (" + builtin.signature + ")").str();
}

} // namespace

std::optional<BoundArguments> bindArguments(const Builtin &builtin, const syntax::CallExpr &call, Report report) {
  std::vector<Formal> parameters = formals(builtin.signature);
  BoundArguments bound;
  bound.given.resize(parameters.size());
  bool good = true;

  size_t at = 0;
  for (const syntax::Expr *arg : call.args) {
    if (at < parameters.size() && parameters[at].variadic) {
      bound.rest.push_back(arg);
    } else if (at < parameters.size() && !parameters[at].keywords) {
      bound.given[at++] = arg;
    } else {
      report(arg->range, "expected at most " + llvm::Twine(at) + (at == 1 ? " argument" : " arguments") +
                             " in call of `ph." + builtin.name + "`")
          .hint(takes(builtin));
      return std::nullopt;
    }
  }

  for (const syntax::KeywordArg &keyword : call.keywords) {
    llvm::SmallVector<llvm::StringRef, 8> names;
    bool takesAny = false, found = false;
    for (size_t i = 0; i < parameters.size() && !found; ++i) {
      takesAny |= parameters[i].keywords;
      if (parameters[i].keywords || parameters[i].variadic) {
        continue;
      }
      if (parameters[i].name != keyword.name) {
        if (!bound.given[i]) {
          names.push_back(parameters[i].name);
        }
        continue;
      }
      found = true;
      if (bound.given[i]) {
        report(keyword.nameRange, "`" + keyword.name + "` is given twice");
        good = false;
      }
      bound.given[i] = keyword.value;
    }
    if (found) {
      continue;
    }
    if (takesAny) {
      bound.keywords.push_back(&keyword);
      continue;
    }
    Diagnostic &error = report(keyword.nameRange, "`ph." + builtin.name + "` has no parameter `" + keyword.name + "`");
    llvm::StringRef near = nearestName(keyword.name, names);
    if (near.empty()) {
      error.hint(takes(builtin));
    } else {
      error.hint("did you mean `" + near + "`?");
    }
    good = false;
  }

  for (size_t i = 0; i < parameters.size() && good; ++i) {
    if (parameters[i].required && !bound.given[i]) {
      report(call.range, "`ph." + builtin.name + "` needs an argument `" + parameters[i].name + "`")
          .hint(takes(builtin));
      good = false;
    }
  }
  return good ? std::optional(bound) : std::nullopt;
}

} // namespace phobos::sema
