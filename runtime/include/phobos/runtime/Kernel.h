// A kernel as its caller holds it: parsed once, compiled for each specialisation, launched through a plan. The warm
// path is find(), then launch(): no allocation, one hash look-up, one driver call. Everything else happens in plan(),
// once for each combination of shapes, and takes no lock of the caller's while it compiles. Thread-safe.
#pragma once

#include "phobos/Driver/Compiler.h"
#include "phobos/runtime/Arguments.h"
#include "phobos/runtime/Device.h"
#include "phobos/runtime/LaunchKey.h"
#include "phobos/runtime/Target.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace phobos::runtime {

/// A grid that a rule gave for one plan. `fingerprint` is all that the rule's answer depended on beside dims and
/// constants, `epoch` the generation of the objects that it names.
struct CachedGrid {
  std::vector<uint64_t> fingerprint;
  uint64_t epoch = 0;
  Grid grid;
};

/// One entry of a compiled kernel's parameter list: where it lies in the parameter block and where its value is from.
struct ParameterSlot {
  enum class From : uint8_t {
    Block, // already there, from the shapes
    Pointer,
    StandIn, // for an array without elements, whose address may be null: a valid one, which masked loads read instead
    Scalar,
    TensorMap,
    Grid,
    Counters,
  };
  From from = From::Block;
  DType dtype = DType::i32; // Scalar
  uint16_t argument = 0;    // Pointer, Scalar, TensorMap: index of the parameter; Grid: axis
  uint16_t map = 0;         // TensorMap: which of Plan::maps
  uint16_t offset = 0;
};

/// How to launch with arguments of one LaunchKey. Immutable but for `grids`.
class Plan {
public:
  static constexpr size_t kMaxGrids = 8;

  std::shared_ptr<const Signature> signature; // for these captures
  Device *device = nullptr;
  Function function;
  std::vector<int64_t> dims;   // by KernelInfo::dims
  Constants constants;         // tuned and const
  int64_t cluster[2] = {1, 1}; // along x and y the grid is a multiple of it
  bool empty = false;          // no array has an element: launching means doing nothing
  std::vector<ParameterSlot> slots;
  std::vector<unsigned char> block; // parameter values; extents and strides filled in
  std::vector<TensorMapShape> maps;

  /// Guarded by whoever launches (the binding: by the GIL).
  mutable std::vector<CachedGrid> grids;
};

/// What a plan may ask of its caller. Called without any lock held.
struct Host {
  /// The grid for these dims and constants.
  std::function<Result<Grid>(const std::vector<int64_t> &dims, const Constants &constants)> grid;
  /// Runs the kernel's reference on the same arguments; empty: none.
  std::function<Status()> reference;
  void *stream = nullptr;
};

/// All that one compilation depends on beside the source and the options.
struct CompileRequest {
  Constants constants, captures;
  Specialisation specialisation;
  std::string chip;
  bool assertions = false; // ph.assert_ is checked
};

/// For Kernel::variants(): one compiled kernel.
struct VariantInfo {
  Constants constants;
  std::string chip;
  unsigned registers = 0, sharedBytes = 0, spillBytes = 0;
  bool fromDisk = false;
};

class Kernel {
public:
  /// The kernel `name` whose `def` is the first at or after `firstLine`. `text` is the whole file. Without `devices`
  /// launches go where the process's target says. `imports`: device functions of other files that it may call.
  static Result<std::shared_ptr<Kernel>> create(std::string path, std::string text, const std::string &name,
                                                int firstLine, DeviceSource devices = {}, const Imports &imports = {});
  ~Kernel();

  /// As far as the text alone tells: dtypes and extents that follow from captures are open.
  const Signature &signature() const;
  const KernelInfo &info() const { return signature().info(); }

  /// Numbers for sets of values, so that a launch names them in one word. Equal sets have equal numbers.
  uint32_t captureSet(const Constants &captures);
  /// With every dtype and every extent that these captures decide.
  Result<std::shared_ptr<const Signature>> signature(uint32_t captureSet);
  /// Tuned constants fixed by the caller; an error for a name that is not tuned.
  Result<uint32_t> overrideSet(const Constants &overrides);

  /// The plan for a launch like an earlier one, or null.
  std::shared_ptr<const Plan> find(const Call &call) const;
  /// The plan for any launch: binds, tunes, compiles, loads.
  Result<std::shared_ptr<const Plan>> plan(const Call &call, const Host &host);
  Status launch(const Plan &plan, const Call &call, const Grid &grid, void *stream) const;

  /// What to compile without launching. With arguments (`call.arguments` not null) as a launch would, tuned constants
  /// being the best known or the first allowed; without, for any arguments, `constParameters` being the values of const
  /// parameters.
  Result<CompileRequest> request(const Call &call, const Constants &constParameters, const std::string &chip);
  Result<Artifact> compile(const CompileRequest &request, const CompileOptions &options);

  std::vector<VariantInfo> variants() const;
  /// Plans, compiled variants and tuning results go; loaded code stays until the process ends.
  void clear();

private:
  struct State;
  explicit Kernel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace phobos::runtime
