// What the host must know of a kernel to specialise and launch it, in plain data: no compiler type appears here, so
// that the runtime, the Python binding and the JSON beside a cubin all speak of the same thing.
#pragma once

#include "phobos/Support/Constant.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace phobos {

/// Of a dim that follows from constants which are not known yet.
inline constexpr int64_t kUnknownExtent = -1;

/// One extent of a tensor parameter: a named dim, or an integer that the argument must match.
struct DimInfo {
  std::string name; // empty: static
  int64_t extent = 0;
  bool operator==(const DimInfo &) const = default;
};

/// A place in the kernel's own file; lines and columns from 1, line 0: none.
struct SourcePlace {
  unsigned line = 0, column = 0;
};

struct ParameterInfo {
  enum class Kind : uint8_t { Tensor, Scalar, Constant };
  Kind kind = Kind::Tensor;
  std::string name;
  DType dtype = DType::f32;
  std::vector<DimInfo> dims; // Tensor
  int line = 0, column = 0;
  std::optional<ConstantValue> defaultValue = {}; // Constant: where the text gives one; a launch has Python's
};

/// `@ph.aligned(M="TILE_M")`: extent of `dim` is a multiple of the constant (or integer) named.
struct PromiseInfo {
  std::string dim;
  std::string constant; // empty: `multiple` is the literal
  int64_t multiple = 0;
};

/// A tuned constant and its candidates. `stages` and `threads` are ordinary entries with those names.
struct TunedConstant {
  std::string name;
  std::vector<ConstantValue> candidates;
};

/// What parsing and the decorators alone say of a kernel; known before any constant or argument is.
struct KernelInfo {
  std::string name;
  int line = 0; // of `def`, in the file
  std::string doc;
  std::vector<ParameterInfo> parameters;
  std::vector<std::string> dims;     // symbolic dims, by first appearance
  std::vector<TunedConstant> space;  // @ph.autotune
  std::string when;                  // its `when` expression, or empty
  std::vector<std::string> key;      // @ph.kernel(key=[…])
  std::string reference;             // @ph.kernel(reference=name), or empty
  std::vector<PromiseInfo> promises; // @ph.aligned
  std::vector<std::string> captures; // names that must come from the module or an enclosing function
  bool open = false;                 // a parameter's dtype or extent follows from captures; see analyseKernel()
};

/// What the host found out about one tensor argument. Bits are by dimension.
struct TensorSpecialisation {
  uint32_t unitStride = 0;     // stride is 1 element
  uint32_t zeroStride = 0;     // stride is 0: broadcast
  uint32_t alignedStride = 0;  // stride times element size is a multiple of 16 bytes
  bool alignedPointer = false; // base address is a multiple of 16 bytes
  bool operator==(const TensorSpecialisation &) const = default;
};

/// The facts that select a compiled variant beside constants and chip.
struct Specialisation {
  std::vector<TensorSpecialisation> tensors; // tensor parameters, in order
  std::vector<uint64_t> wholeMultiples; // by dim: bit i set = extent is a multiple of PreparedKernel::multiples[dim][i]
  uint64_t emptyDims = 0;               // by dim: its extent is 0, a whole number of tiles of which none is there
  bool index64 = false;                 // some offset, in elements, does not fit in 31 bits
  bool operator==(const Specialisation &) const = default;
};

/// One parameter of the compiled entry point, in order.
struct EntryParameter {
  enum class Kind : uint8_t {
    Pointer,   // base address of tensor `index`
    Extent,    // extent of dim `index` (of KernelInfo::dims), i32, or i64 under index64
    Stride,    // stride of tensor `index` along `axis`, in elements, i64
    Scalar,    // scalar parameter `index` (of KernelInfo::parameters), its own type; bool as i8
    TensorMap, // a CUtensorMap of tensor `index`, by value: 128 bytes
    Grid,      // blocks along `axis` of the grid asked for, i32: of a persistent kernel
    Counters,  // address of two u32 in global memory that no other launch uses meanwhile. The first, of a persistent
               // kernel that draws its blocks: 0 when the launch begins and when it ends. The second, of a kernel whose
               // blocks wait for each other: all but its highest bit likewise
  };
  Kind kind = Kind::Pointer;
  unsigned index = 0; // Pointer, Stride: position among the tensor parameters
  unsigned axis = 0;
  unsigned bytes = 8; // size and alignment of the parameter
  // TensorMap: elements of a box by axis; the axis of stride 1, along which a box is one row of `swizzle` bytes (128,
  // 64 or 32); are f32 rounded to tf32 on the way (CU_TENSOR_MAP_DATA_TYPE_TFLOAT32)?
  std::vector<unsigned> box;
  unsigned swizzle = 0;
  bool tf32 = false;
};

/// The contract beside a cubin: enough to launch it from any language.
struct KernelContract {
  std::string entry; // symbol in the cubin
  std::string chip;  // "sm_80"
  KernelInfo kernel;
  Constants constants;
  Specialisation specialisation;
  std::vector<EntryParameter> parameters;
  unsigned threads = 0;
  unsigned sharedBytes = 0; // dynamic shared memory
  bool asserts = false;     // it may end with CUDA_ERROR_ASSERT
  /// As many CTAs as are resident at once are launched, each of which runs several blocks of the grid.
  bool persistent = false;
  unsigned cluster[2] = {1, 1}; // blocks along x and y that run together: the grid is whole clusters
  bool cooperative = false; // blocks wait for each other: all are resident at once (CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
  bool dependent = false;   // launched so that it may start beside the end of the kernel before it
};

/// Read back from the cubin.
struct Resources {
  unsigned registers = 0;
  unsigned spillStoreBytes = 0, spillLoadBytes = 0, stackBytes = 0;
  unsigned staticSharedBytes = 0, dynamicSharedBytes = 0;
};

} // namespace phobos
