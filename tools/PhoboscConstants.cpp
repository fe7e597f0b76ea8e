// Parses -D values as Python literals or dtypes, and completes them.
#include "PhoboscConstants.h"

#include "phobos/Driver/Tools.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace phobosc {

using phobos::ConstantValue;

namespace {

std::optional<ConstantValue> parseValue(std::string text) {
  if (text == "True" || text == "true") {
    return ConstantValue::ofBool(true);
  }
  if (text == "False" || text == "false") {
    return ConstantValue::ofBool(false);
  }
  if (text == "None") {
    return ConstantValue();
  }
  if (text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0]) {
    ConstantValue value;
    value.kind = ConstantValue::Kind::String;
    value.text = text.substr(1, text.size() - 2);
    return value;
  }
  std::string_view type = text;
  if (type.substr(0, 3) == "ph.") {
    type.remove_prefix(3);
  }
  if (std::optional<phobos::DType> dtype = phobos::parseDType(type)) {
    return ConstantValue::ofType(*dtype);
  }
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end()); // 1_000
  if (text.empty()) {
    return std::nullopt;
  }
  char *end = nullptr;
  errno = 0;
  // Base 0 would read 010 as octal; Python refuses it.
  bool hex = text.find("0x") != std::string::npos;
  long long integer = std::strtoll(text.c_str(), &end, hex ? 16 : 10);
  if (*end == '\0' && errno == 0) {
    return ConstantValue::ofInt(integer);
  }
  errno = 0;
  double real = std::strtod(text.c_str(), &end);
  if (*end == '\0' && errno == 0) {
    return ConstantValue::ofFloat(real);
  }
  return std::nullopt;
}

bool contains(const std::vector<std::string> &names, const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Steps to the next combination of the candidates of `free`, the last fastest; false after the last.
bool advance(std::vector<size_t> &indices, const std::vector<const phobos::TunedConstant *> &free) {
  for (size_t i = free.size(); i-- > 0;) {
    if (++indices[i] < free[i]->candidates.size()) {
      return true;
    }
    indices[i] = 0;
  }
  return false;
}

} // namespace

Choice chooseConstants(const phobos::SourceUnit &unit, const phobos::KernelInfo &kernel, const Arguments &arguments) {
  std::vector<std::string> constantNames;
  for (const phobos::TunedConstant &tuned : kernel.space) {
    constantNames.push_back(tuned.name);
  }
  for (const phobos::ParameterInfo &parameter : kernel.parameters) {
    if (parameter.kind == phobos::ParameterInfo::Kind::Constant) {
      constantNames.push_back(parameter.name);
    }
  }
  std::vector<std::string> allNames = constantNames;
  allNames.insert(allNames.end(), kernel.captures.begin(), kernel.captures.end());

  phobos::Constants given;
  ChosenConstants chosen;
  for (const auto &[name, text] : arguments.definitions) {
    std::optional<ConstantValue> value = parseValue(text);
    if (!value) {
      return {
          {},
          usageError("-D " + name + ": '" + text + "' is not a number, True, False, a string in quotes or a dtype")};
    }
    if (contains(constantNames, name)) {
      given.emplace_back(name, *value);
    } else if (contains(kernel.captures, name)) {
      chosen.captures.emplace_back(name, *value);
    } else {
      std::string list = allNames.empty() ? "it has none" : "it has " + join(allNames, ", ");
      return {{},
              usageError("-D " + name + ": kernel '" + kernel.name + "' has no such constant" +
                         phobos::didYouMean(name, allNames) + " (" + list + ")")};
    }
  }

  auto find = [&](const std::string &name) -> const ConstantValue * {
    auto entry = std::find_if(given.begin(), given.end(), [&](const auto &each) { return each.first == name; });
    return entry == given.end() ? nullptr : &entry->second;
  };
  std::vector<const phobos::TunedConstant *> free;
  for (const phobos::TunedConstant &tuned : kernel.space) {
    if (!find(tuned.name) && !tuned.candidates.empty()) {
      free.push_back(&tuned);
    }
  }
  std::vector<size_t> indices(free.size(), 0);
  do {
    chosen.constants.clear();
    for (const std::string &name : constantNames) {
      if (const ConstantValue *value = find(name)) {
        chosen.constants.emplace_back(name, *value);
        continue;
      }
      for (size_t i = 0; i < free.size(); ++i) {
        if (free[i]->name == name) {
          chosen.constants.emplace_back(name, free[i]->candidates[indices[i]]);
        }
      }
    }
    if (kernel.when.empty()) {
      return {std::move(chosen), kSuccess};
    }
    phobos::Expected<bool> allowed = phobos::satisfiesWhen(unit, kernel.name, kernel.line, chosen.constants);
    if (!allowed) {
      return {{}, report(allowed.failure())};
    }
    if (*allowed) {
      return {std::move(chosen), kSuccess};
    }
  } while (advance(indices, free));
  std::fprintf(stderr, "error: no choice of constants%s satisfies when=\"%s\" of kernel '%s'\n",
               arguments.definitions.empty() ? "" : " with these -D", kernel.when.c_str(), kernel.name.c_str());
  return {{}, kUserError};
}

} // namespace phobosc
