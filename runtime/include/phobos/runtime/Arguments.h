// The arguments of one launch, as plain data, and what they mean for a kernel: dims solved, strides made canonical.
// Whoever calls (the Python binding, a test) fills in an Argument for each parameter; nothing here owns memory of an
// array.
#pragma once

#include "phobos/Driver/Contract.h"
#include "phobos/runtime/Result.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace phobos {
class PreparedKernel;
class SourceFile;
} // namespace phobos

namespace phobos::runtime {

inline constexpr unsigned kMaxRank = 5;
inline constexpr unsigned kMaxParameters = 128;

/// DLPack's device types that matter here; others are named by number in messages.
enum class DeviceType : int32_t { Cpu = 1, Cuda = 2, CudaHost = 3, CudaManaged = 13 };

/// May a kernel store to an array? Autograd would not see what is stored to one that requires grad.
enum class Access : uint8_t { Writable, ReadOnly, RequiresGrad };

/// An array as DLPack describes it. `extents` and `strides` are borrowed for the length of the call.
struct TensorArgument {
  void *data; // address of the first element
  const int64_t *extents;
  const int64_t *strides; // in elements; null: C order
  int32_t rank;
  uint8_t typeCode, typeBits; // DLDataType
  uint16_t typeLanes;
  DeviceType deviceType;
  int32_t deviceIndex;
  Access access;
};

/// A Python number (or dtype, for a `ph.const` parameter) before it takes the parameter's type.
struct ScalarArgument {
  enum class Kind : uint8_t { Bool, Int, Unsigned, Float, Type };
  Kind kind;
  union {
    int64_t integer;          // Bool, Int
    uint64_t unsignedInteger; // Unsigned: does not fit in int64_t
    double real;              // Float
    DType dtype;              // Type
  };
};

struct Argument {
  enum class Kind : uint8_t { Missing, Tensor, Scalar, Other };
  Kind kind;
  TensorArgument tensor;
  ScalarArgument scalar;
  const char *typeName; // Other: the name of what was passed, for the message
};

/// A message and its place; lines and columns from 1, line 0: no place.
struct PlacedText {
  std::string text, file;
  unsigned line = 0, column = 0;
};

/// A kernel's signature together with its text, so that messages show the parameter they speak of.
class Signature {
public:
  Signature(KernelInfo info, std::string path, std::string text);
  Signature(Signature &&other) noexcept;
  ~Signature();

  const KernelInfo &info() const { return info_; }
  const std::string &path() const { return path_; }
  unsigned tensorCount() const { return tensorCount_; }
  /// Position in info().dims, or -1.
  int dimIndex(std::string_view name) const;

  /// An error at a parameter; at the kernel's `def` for null.
  Error launchError(const ParameterInfo *where, const std::string &message, const std::string &hint = {}) const;
  Error launchError(const ParameterInfo *where, const std::string &message, const ParameterInfo *noteAt,
                    const std::string &note, const std::string &hint = {}) const;
  Error launchError(const ParameterInfo *where, const std::string &message, const PlacedText &note,
                    const std::string &hint) const;
  Error compileError(const std::string &message, const std::string &hint = {}) const;
  /// An error of the simulator at any place of any file; the place's line is shown if it is of this one.
  Error simulationError(const PlacedText &error, const std::vector<PlacedText> &notes) const;

private:
  KernelInfo info_;
  std::string path_;
  std::unique_ptr<SourceFile> file_;
  unsigned tensorCount_ = 0;
};

struct BoundTensor {
  void *data = nullptr;
  unsigned rank = 0;
  std::array<int64_t, kMaxRank> extents{};
  /// As given, except along extents of at most 1, where a stride means nothing: there it is what C order would have, so
  /// that a matrix of one row is specialised as any other.
  std::array<int64_t, kMaxRank> strides{};
  Access access = Access::Writable;
};

/// Arguments matched to parameters.
struct Binding {
  std::vector<int64_t> dims;        // by KernelInfo::dims
  std::vector<BoundTensor> tensors; // tensor parameters, in order
  Constants constants;              // const parameters
  int device = -1;                  // ordinal that every tensor is on; -1: no tensor
  bool allEmpty = false;            // there are tensors, and none has an element
  bool index64 = false;
};

/// Where arrays must be: on a CUDA device, in the memory of this machine, or, where only shapes are wanted, anywhere.
enum class ArraysOn : uint8_t { Cuda, Host, Anywhere };

/// Checks kinds, dtypes, ranks, devices and strides, and solves the dims. `arguments` has one entry a parameter.
Result<Binding> bindArguments(const Signature &signature, const Argument *arguments, ArraysOn place = ArraysOn::Cuda);

/// Checks `@ph.aligned` against bound dims, under these tuned constants.
Status checkPromises(const Signature &signature, const Binding &binding, const Constants &constants);

/// Checks the extents that follow from constants, as a prepared kernel has them.
Status checkExtents(const Signature &signature, const Binding &binding, const KernelInfo &prepared);
/// The same, and that what the kernel stores to may be.
Status checkPrepared(const Signature &signature, const Binding &binding, const PreparedKernel &prepared);

/// The scalar in the parameter's own type, little-endian, into `out` (at most 8 bytes); an error if it does not fit.
Status packScalar(const Signature &signature, const ParameterInfo &parameter, const ScalarArgument &value, void *out);
/// packScalar without the message: false if the value does not fit or is of the wrong kind.
bool tryPackScalar(DType type, const ScalarArgument &value, void *out);

/// "cuda:0", "the CPU", …
std::string deviceName(DeviceType type, int index);
const ConstantValue *findConstant(const Constants &constants, std::string_view name);

} // namespace phobos::runtime
