// The names of phobos.lang, from Builtins.def, and the binding of call arguments to their parameters. Feeds sema,
// hints, docs and the Python stubs.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace phobos::sema {

enum class Category : uint8_t {
  Decorator,
  Annotation,
  Context,
  Control,
  Contraction,
  Elementwise,
  Reduction,
  Shape,
  Conversion,
  Memory,
  Random,
  Escape,
  Library,
  Later,
};

/// How a use is typed.
enum class Rule : uint8_t {
  None,
  BlockX,
  BlockY,
  BlockZ,
  GridX,
  GridY,
  GridZ,
  ClusterX,
  ClusterY,
  Unroll,
  Dot,
  DotTransposed,
  Abs,
  Math,
  Rounding,
  FloatTest,
  Bits,
  BytePermute,
  Ptx,
  Prefetch,
  GridBarrier,
  Pow,
  Fma,
  Clamp,
  Where,
  CeilDiv,
  Min,
  Max,
  Sum,
  Prod,
  Any,
  All,
  ArgMax,
  ArgMin,
  RowSum,
  RowMax,
  RowArgMax,
  CumSum,
  CumProd,
  Fold,
  FoldRunning,
  Zeros,
  Full,
  Iota,
  Reshape,
  Transpose,
  Flat,
  Expand,
  Broadcast,
  Tril,
  Triu,
  InLanguage,
  Bitcast,
  Load,
  AtomicAdd,
  AtomicMin,
  AtomicMax,
  AtomicAnd,
  AtomicOr,
  AtomicXor,
  AtomicExchange,
  AtomicCompareExchange,
  Random,
  Print,
  Assert,
};

class Builtin {
public:
  llvm::StringRef name; ///< without `ph.`
  Category category;
  bool supported;
  Rule rule;
  llvm::StringRef signature; ///< "t, axis=None, keepdims=False"
  llvm::StringRef sentence;
};

llvm::ArrayRef<Builtin> builtins();
/// Null if there is none. A name below an unsupported one, as in `libdevice.asin`, finds that.
const Builtin *findBuiltin(llvm::StringRef name);
/// The name of phobos.lang, dtypes included, for what NumPy, torch or Triton call `name`, or for `name` itself if it is
/// one; empty if there is none.
llvm::StringRef ourNameFor(llvm::StringRef name);
/// The nearest name of phobos.lang, dtypes included; empty if none is near.
llvm::StringRef nearestBuiltin(llvm::StringRef name);

/// One parameter of a signature.
struct Formal {
  llvm::StringRef name;
  bool required = true;
  bool variadic = false; ///< `*name`
  bool keywords = false; ///< `**name`
};
std::vector<Formal> formals(llvm::StringRef signature);

} // namespace phobos::sema
