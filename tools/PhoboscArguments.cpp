// Reads the command line. No library's parser: those inside libphobos have LLVM's switches too, and some of ours by
// name.
#include "PhoboscArguments.h"

#include "phobos/Driver/Tools.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace phobosc {
namespace {

enum class Option {
#define PHOBOS_OPTION(identifier, ...) identifier,
#include "phobos/Driver/Options.def"
};

struct OptionInfo {
  Option option;
  const char *flag, *value, *environment, *sentence;
  bool takesValue() const { return *value != '\0'; }
  std::string spelling() const { return (std::strlen(flag) == 1 ? "-" : "--") + std::string(flag); }
};

constexpr OptionInfo kOptions[] = {
#define PHOBOS_OPTION(identifier, flag, value, environment, sentence)                                                  \
  {Option::identifier, flag, value, environment, sentence},
#include "phobos/Driver/Options.def"
};

void printHelp() {
  std::printf("usage: phobosc FILE|- [options]\n\n"
              "Compiles one kernel of a Python file. The file is read, never run.\n\noptions:\n");
  for (const OptionInfo &info : kOptions) {
    if (*info.flag) {
      std::string left = info.spelling() + (info.takesValue() ? " " + std::string(info.value) : "");
      std::printf("  %-22s %s\n", left.c_str(), info.sentence);
    }
  }
  std::printf("  %-22s %s\n  %-22s %s\n", "--version", "the version and the build", "--help", "this text");
  std::printf("\nphases, for --emit:\n");
  for (const phobos::PhaseInfo &phase : phobos::phases()) {
    std::printf("  %-22s %s\n", phase.name, phase.sentence);
  }
  std::printf("\nchips, for --arch: %s\n\nenvironment:\n", join(phobos::supportedChips(), " ").c_str());
  for (const OptionInfo &info : kOptions) {
    if (*info.environment) {
      std::printf("  %-22s %s\n", info.environment, info.sentence);
    }
  }
  std::printf(
      "\nexit status: 0 done; 1 an error in the kernel or a file; 2 in the command line; 3 in the compiler or a "
      "tool it needs\n");
}

const OptionInfo *findOption(std::string_view name) {
  for (const OptionInfo &info : kOptions) {
    if (*info.flag && name == info.flag) {
      return &info;
    }
  }
  return nullptr;
}

std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> items;
  for (size_t at = 0; at <= text.size();) {
    size_t comma = std::min(text.find(',', at), text.size());
    if (comma > at) {
      items.push_back(text.substr(at, comma - at));
    }
    at = comma + 1;
  }
  return items;
}

/// A message if the value is not right.
std::optional<std::string> apply(Option option, const std::string &value, Arguments &into) {
  switch (option) {
  case Option::kernel:
    into.kernel = value;
    break;
  case Option::arch: {
    std::vector<std::string> chips = phobos::supportedChips();
    if (std::find(chips.begin(), chips.end(), value) == chips.end()) {
      return phobos::unknownChipMessage(value);
    }
    into.chip = value;
    break;
  }
  case Option::define: {
    size_t equals = value.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return "-D takes NAME=VALUE, not '" + value + "'";
    }
    std::string name = value.substr(0, equals);
    if (std::any_of(into.definitions.begin(), into.definitions.end(),
                    [&](const auto &definition) { return definition.first == name; })) {
      return "-D " + name + " is given twice";
    }
    into.definitions.emplace_back(name, value.substr(equals + 1));
    break;
  }
  case Option::emit:
    for (const std::string &name : split(value)) {
      std::optional<phobos::Phase> phase = phobos::findPhase(name);
      if (!phase) {
        return phobos::unknownPhaseMessage(name);
      }
      into.emit.push_back(*phase);
    }
    if (into.emit.empty()) {
      return phobos::unknownPhaseMessage(value);
    }
    break;
  case Option::output:
    into.output = value == "-" ? "" : value; // "-": standard output
    break;
  case Option::list:
    into.list = true;
    break;
  case Option::noStd:
    into.noStd = true;
    break;
  case Option::debug:
    into.debug = true;
    break;
  case Option::printAfter:
    for (std::string &name : split(value)) {
      into.printAfter.push_back(std::move(name));
    }
    break;
  case Option::printAfterAll:
    into.printAfter.push_back("*");
    break;
  case Option::verify:
    into.verify = true;
    break;
  case Option::timePasses:
    into.timePasses = true;
    break;
  case Option::remarks:
    into.remarks = true;
    break;
  case Option::resources:
    into.resources = true;
    break;
  case Option::dump:
  case Option::assembler:
  case Option::ptxas:
  case Option::cudaHome:
  case Option::simOpt:
    break; // no flags; libphobos reads the environment itself
  }
  return std::nullopt;
}

/// The option of one argument and where its value begins: "--emit=ptx", "-DTILE_M=64", "-o", …
struct Split {
  const OptionInfo *info = nullptr;
  std::optional<std::string> value;
};

Split splitArgument(std::string_view argument) {
  bool isLong = argument.substr(0, 2) == "--";
  std::string_view body = argument.substr(isLong ? 2 : 1);
  if (!isLong && !body.empty()) { // one letter, with the value behind it
    const OptionInfo *info = findOption(body.substr(0, 1));
    if (info && info->takesValue() && body.size() > 1) {
      return {info, std::string(body.substr(body[1] == '=' ? 2 : 1))};
    }
  }
  size_t equals = body.find('=');
  const OptionInfo *info = findOption(body.substr(0, equals));
  if (info && (std::strlen(info->flag) == 1) == isLong) {
    info = nullptr;
  }
  return {info, equals == std::string_view::npos ? std::nullopt : std::optional(std::string(body.substr(equals + 1)))};
}

} // namespace

std::string join(const std::vector<std::string> &items, const char *separator) {
  std::string text;
  for (const std::string &item : items) {
    text += (text.empty() ? "" : separator) + item;
  }
  return text;
}

int usageError(const std::string &message) {
  std::fprintf(stderr, "error: %s\nhint: phobosc --help lists options, phases and chips\n", message.c_str());
  return kUsageError;
}

int report(const phobos::Failure &failure) {
  std::fputs(failure.text.c_str(), stderr);
  return failure.kind == phobos::Failure::Kind::User ? kUserError : kInternalError;
}

Parsed parseArguments(int argc, char **argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      printHelp();
      return {};
    }
    if (argument == "--version") {
      std::printf("phobosc %s, build %s\n", PHOBOS_VERSION, phobos::buildId().c_str());
      return {};
    }
    if (argument == "-" || argument.empty() || argument[0] != '-') {
      if (!arguments.file.empty()) {
        return {{}, usageError("one file at a time: '" + arguments.file + "' and '" + argument + "'")};
      }
      arguments.file = argument;
      continue;
    }
    auto [info, value] = splitArgument(argument);
    if (!info) {
      std::vector<std::string> spellings = {"--help", "--version"};
      for (const OptionInfo &known : kOptions) {
        if (*known.flag) {
          spellings.push_back(known.spelling());
        }
      }
      std::string name = argument.substr(0, argument.find('='));
      return {{}, usageError("unknown option '" + name + "'" + phobos::didYouMean(name, spellings))};
    }
    if (info->takesValue() && !value) {
      if (i + 1 == argc) {
        return {{}, usageError(info->spelling() + " takes a value: " + info->value)};
      }
      value = argv[++i];
    } else if (!info->takesValue() && value) {
      return {{}, usageError(info->spelling() + " takes no value")};
    }
    if (std::optional<std::string> problem = apply(info->option, value.value_or(""), arguments)) {
      return {{}, usageError(*problem)};
    }
  }
  if (arguments.file.empty()) {
    return {{}, usageError("no file given; '-' reads standard input")};
  }
  if (arguments.emit.empty()) {
    arguments.emit.push_back(phobos::Phase::ptx);
  }
  auto environment = phobos::debugFromEnvironment();
  if (!environment) {
    return {{}, report(environment.failure())};
  }
  arguments.debug |= environment->value_or(false);
  return {std::move(arguments), kSuccess};
}

} // namespace phobosc
