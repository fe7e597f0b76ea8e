// The compiler as a library: source text in, artifact out. Everything that crosses libphobos' border is declared here
// and in Contract.h, in standard types only. Thread-safe; no function throws; a failure is a rendered diagnostic.
#pragma once

#include "phobos/Driver/Contract.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace phobos {

/// Why something failed. `text` is complete: file, line, column, source line, caret, notes, hint.
struct Failure {
  enum class Kind : uint8_t { User, Internal, Tool };
  Kind kind = Kind::User;
  std::string text;
  std::string reproducer; // Internal: the folder or file with IR and pipeline, if one could be written
};

/// A value or the reason that there is none.
template <typename T> class Expected {
public:
  Expected(T value) : state_(std::move(value)) {}
  Expected(Failure failure) : state_(std::move(failure)) {}
  explicit operator bool() const { return state_.index() == 0; }
  T &operator*() { return std::get<0>(state_); }
  const T &operator*() const { return std::get<0>(state_); }
  T *operator->() { return &std::get<0>(state_); }
  const T *operator->() const { return &std::get<0>(state_); }
  const Failure &failure() const { return std::get<1>(state_); }

private:
  std::variant<T, Failure> state_;
};

/// A parsed file. Immutable once made.
class SourceUnit {
public:
  virtual ~SourceUnit();
  /// Every kernel of the file, in order of appearance, whose signature and decorators are right.
  virtual const std::vector<KernelInfo> &kernels() const = 0;
  virtual const std::string &path() const = 0;
  /// Rendered.
  virtual const std::string &warnings() const = 0;
};

/// A device function that a file takes from another.
struct ImportedFunction {
  std::string importer, name; ///< the file, and what the function is called there: "gelu", "helpers.gelu"
  std::string path, function; ///< the file that has it, and what it is called there
};

/// What a file takes from others, and what those take in turn, with their texts.
struct Imports {
  std::vector<ImportedFunction> functions;
  std::map<std::string, std::string> texts; ///< of every path above that has a function
  bool library = true;                      ///< is there ph.std?

  /// Everything that may change what a kernel is, as bytes.
  std::string key() const {
    std::string bytes;
    for (const ImportedFunction &each : functions) {
      bytes += each.importer + '\n' + each.name + '\n' + each.path + '\n' + each.function + '\0';
    }
    for (const auto &[path, text] : texts) {
      bytes += path + '\0' + text + '\0';
    }
    return bytes;
  }
};

/// As Python would find them where only the file system counts: `from m import f` and `import m` of files beside `path`
/// or in the packages around it. What is not there, or has no device function of the name, is left out.
Imports findImports(const std::string &path, const std::string &text);

/// Parses and checks signatures and decorators. `text` is the whole file, so that lines in messages are the file's own.
/// Anything wrong in them is a Failure; code outside kernels is skipped.
/// `standsAlone`: Python is to run the text as it is, so that its imports are looked at. What Python has run need not
/// hold them: a cell of a notebook sees those of another.
Expected<std::shared_ptr<const SourceUnit>> parseSource(std::string path, std::string text, bool standsAlone = false,
                                                        const Imports &imports = {});

/// What a kernel says of itself once its captures are known; see KernelInfo::open.
Expected<KernelInfo> analyseKernel(const SourceUnit &unit, const std::string &kernel, int line,
                                   const Constants &captures);

/// A kernel whose constants are known: types checked, shapes static.
class PreparedKernel {
public:
  virtual ~PreparedKernel();
  virtual const KernelInfo &info() const = 0;
  virtual const Constants &constants() const = 0; // tuned and captured, as given
  /// By dim of info().dims: the tile extents by which it is sliced. Whether the extent is a multiple is worth
  /// specialising on.
  virtual const std::vector<std::vector<int64_t>> &multiples() const = 0;
  /// By tensor parameter: where the kernel first stores to it, or calls what does.
  virtual const std::vector<SourcePlace> &stores() const = 0;
  /// Threads of a CTA: from @ph.launch, the constant `threads`, or chosen.
  virtual unsigned threads() const = 0;
};

/// `kernel` is found by name, and by `line` (of `def`) where it is not 0. `constants` are tuned constants and const
/// parameters; `captures` are values of KernelInfo::captures (names defined by literals in the file need not be given).
Expected<std::shared_ptr<const PreparedKernel>> prepareKernel(std::shared_ptr<const SourceUnit> unit,
                                                              const std::string &kernel, int line,
                                                              const Constants &constants, const Constants &captures);

/// Is this combination of tuned constants allowed by the kernel's `when`?
Expected<bool> satisfiesWhen(const SourceUnit &unit, const std::string &kernel, int line, const Constants &constants);

struct CompileOptions {
  std::string chip = "sm_80";
  std::string stopAfter = "cubin";     // a phase name: ast tile layout dot pipelined nvvm llvm ptx cubin
  std::vector<std::string> keep;       // phases whose text to keep in Artifact::phases
  bool generic = false;                // that text in MLIR's generic form, for programs that read it
  bool assertions = false;             // ph.assert_ is checked; else it is left out
  std::vector<std::string> printAfter; // pass names; "*" for all
  bool verifyEach = false;             // run the IR verifier after every pass
  bool remarks = false;                // collect remarks in Artifact::remarks
  bool timing = false;                 // fill Artifact::timings
};

struct PhaseTiming {
  std::string name;
  double milliseconds;
};

struct Artifact {
  KernelContract contract;
  Resources resources;
  std::string ptx;
  std::string cubin;                         // bytes; empty if stopped before
  std::map<std::string, std::string> phases; // text by phase name, those of CompileOptions::keep
  std::vector<std::string> remarks;          // rendered
  std::string log;                           // printAfter output, ptxas log
  std::vector<PhaseTiming> timings;          // in order
};

/// Facts for compiling with no arguments at hand: fresh arrays in C order (so 16-byte aligned, and so are their rows
/// where the promises say it), no whole tiles beyond the promises, 32-bit offsets.
Specialisation genericSpecialisation(const PreparedKernel &kernel);

Expected<Artifact> compileKernel(const PreparedKernel &kernel, const Specialisation &specialisation,
                                 const CompileOptions &options);

/// The contract as JSON, and back (for the disk cache and `--emit contract`).
std::string toJson(const KernelContract &contract, const Resources &resources);
Expected<std::pair<KernelContract, Resources>> contractFromJson(const std::string &text);

/// Chips that --arch takes, in order.
std::vector<std::string> supportedChips();
/// What to say of a chip that is not among them, with the nearest and the list.
std::string unknownChipMessage(const std::string &chip);
/// $PHOBOS_DEBUG: 1 or 0; nothing if it is not set.
Expected<std::optional<bool>> debugFromEnvironment();
/// Identifies this build of the compiler: part of every cache key.
const std::string &buildId();

} // namespace phobos
