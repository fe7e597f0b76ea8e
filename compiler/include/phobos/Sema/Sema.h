// Sema's two entry points. analyseSignature reads what a kernel says of itself: decorators, parameters, dims, the tuned
// space, the names it takes from outside. checkKernel, once all constants are known, types the body and returns the
// typed tree (Tree.h). Neither changes the AST, so a parsed module may be checked by several threads.
//
// Both report through the engine and return null after errors. The module, its context and its file must outlive what
// is returned.
#pragma once

#include "phobos/Driver/Contract.h"
#include "phobos/Sema/Tree.h"
#include "phobos/Syntax/AST.h"
#include <deque>
#include <memory>
#include <vector>

namespace llvm {
class raw_ostream;
}
namespace phobos {
class DiagnosticEngine;
}

namespace phobos::sema {

/// How f32 operands of a dot meet the tensor cores.
enum class F32Mode : uint8_t { Tf32x3, Tf32, Bf16x3 };

struct PipelineRequest {
  enum class Kind : uint8_t { Default, Off, Depth };
  Kind kind = Kind::Default;
  unsigned stages = 0; ///< Depth
  /// @ph.pipeline(stages=n) was written: no loop at that depth is an error. Not so for the tuned constant `stages`.
  bool asserted = false;
  SourceRange range; ///< the decorator, if any
};

enum class PersistentOrder : uint8_t { None, Grid, Queue };

/// What the decorators ask of code generation, constants filled in.
struct KernelOptions {
  unsigned threads = 0;              ///< of a CTA; never 0 in a TypedKernel
  bool threadsChosen = false;        ///< by sema, not by the programmer
  unsigned minBlocks = 0;            ///< 0: not said
  unsigned maxRegisters = 0;         ///< 0: not said
  std::optional<F32Mode> tensorCore; ///< none: exact FMA
  PipelineRequest pipeline;
  unsigned swizzleGroup = 0; ///< 0: no @ph.swizzle
  PersistentOrder persistent = PersistentOrder::None;
  bool dependent = false;              ///< @ph.dependent
  unsigned clusterX = 1, clusterY = 1; ///< @ph.cluster
};

struct TypedKernel {
  KernelInfo info;
  Constants constants; ///< tuned and captured, as bound
  KernelOptions options;
  SourceRange range;      ///< the name in `def name`
  SourceRange wholeRange; ///< decorators to the end of the body
  Block body;
  /// By dim of info.dims: the extents of spans that start at multiples of themselves, and with each the elements of a
  /// 16-byte vector if it is as long; sorted, each once, none is 1.
  std::vector<std::vector<int64_t>> multiples;
  /// By dim of info.dims: promised by @ph.aligned, 1 if not.
  std::vector<int64_t> promised;
  /// By parameter: where the kernel's body first stores to the tensor, or calls what does; invalid: nowhere.
  std::vector<SourceRange> stores;
  std::vector<Variable *> variables; ///< by id
  std::vector<Function *> functions; ///< device functions in use, callees first

  TypeContext types;
  llvm::BumpPtrAllocator arena; ///< owns nodes; nothing in it needs a destructor
};

/// Does the file import what Python needs to run it? Reports once what is wrong or may be; false after errors.
bool checkImports(const syntax::Module &module, DiagnosticEngine &diagnostics);

/// Without captures what follows from them stays open (KernelInfo::open). Null after errors.
std::unique_ptr<KernelInfo> analyseSignature(const syntax::Module &module, const syntax::FunctionDef &kernel,
                                             const Constants *captures, DiagnosticEngine &diagnostics);

/// `constants`: tuned constants and `ph.const` parameters, by name. `captures`: values of KernelInfo::captures; one
/// that is missing is looked for among the module's own constant assignments. Null after errors.
std::unique_ptr<TypedKernel> checkKernel(const syntax::Module &module, const syntax::FunctionDef &kernel,
                                         const Constants &constants, const Constants &captures,
                                         DiagnosticEngine &diagnostics);

/// Evaluates @ph.autotune's `when` for one choice of the tuned constants; true where there is none. Empty after errors.
std::optional<bool> evaluateWhen(const syntax::Module &module, const syntax::FunctionDef &kernel,
                                 const Constants &constants, const Constants &captures, DiagnosticEngine &diagnostics);

/// The typed tree as text, a statement a line, types written out: `--emit ast`, and the tests.
void dump(const TypedKernel &kernel, llvm::raw_ostream &os);

} // namespace phobos::sema
