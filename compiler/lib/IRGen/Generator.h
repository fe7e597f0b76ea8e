// State of one generation, and the members that the Gen*.cpp files define: one for each kind of node, and the helpers
// they share. Private to the folder.
#pragma once

#include "phobos/Dialect/Dot/IR/Dot.h"
#include "phobos/Dialect/Tile/IR/Tile.h"
#include "phobos/IRGen/IRGen.h"
#include "phobos/Sema/Sema.h"
#include "phobos/Support/Diagnostic.h"

namespace phobos::irgen {

/// The value of `dot.tensorcore` and of a contraction's `precision`.
llvm::StringRef spelling(sema::F32Mode mode);

class Generator {
public:
  Generator(mlir::MLIRContext &context, const sema::TypedKernel &kernel, const Specialisation &specialisation,
            DiagnosticEngine &diagnostics, bool assertions);
  mlir::OwningOpRef<mlir::ModuleOp> run(llvm::StringRef chip);

private:
  using Location = mlir::Location;
  using Value = mlir::Value;
  using Thunk = llvm::function_ref<Value()>;

  // IRGen.cpp: the kernel around the body.
  mlir::Type argumentType(const ParameterInfo &parameter, unsigned tensor);
  mlir::DictionaryAttr argumentAttributes(const ParameterInfo &parameter);
  mlir::DictionaryAttr knownMultiples();
  void setAttributes(tile::KernelOp op);
  void bindArguments(tile::KernelOp op);

  // Types.cpp: types and constants. `like` gives the shape: a tile's, or a scalar.
  mlir::Type elementType(sema::Element element);
  mlir::Type memoryType(DType dtype);
  mlir::Type type(const sema::Type *type);
  static mlir::Type withElement(mlir::Type like, mlir::Type element);
  unsigned bits(sema::Element element) const;
  mlir::TypedAttr integerAttr(mlir::Type element, int64_t value);
  mlir::TypedAttr floatAttr(mlir::Type element, double value);
  Value splat(Location loc, mlir::Type type, mlir::TypedAttr element);
  Value integer(Location loc, mlir::Type type, int64_t value);
  Value real(Location loc, mlir::Type type, double value);
  Value constant(Location loc, mlir::Type type, const sema::Constant &constant);

  // GenConvert.cpp: changes of element.
  Value convert(Location loc, Value value, sema::Element from, sema::Element to);
  Value convertFloat(Location loc, Value value, mlir::Type to);
  Value convertInteger(Location loc, Value value, sema::Element from, sema::Element to);
  Value toIndex(Location loc, Value value, sema::Element from);
  Value floatToInteger(Location loc, Value value, sema::Element to);
  Value integerToFloat(Location loc, Value value, sema::Element from, mlir::Type to);
  Value isNotZero(Location loc, Value value);
  Value bitcast(Location loc, Value value, sema::Element from, sema::Element to);

  // GenStmt.cpp.
  void generate(sema::Block block);
  void generate(const sema::If *stmt);
  void generate(const sema::For *stmt);
  void generate(const sema::While *stmt);
  void generate(const sema::Print *stmt);
  void generate(const sema::Assert *stmt);
  void generate(const sema::Prefetch *stmt);
  llvm::SmallVector<Value> call(const sema::Call *call);
  llvm::SmallVector<Value> inlined(const sema::Call *call, llvm::ArrayRef<Value> args);

  // GenExpr.cpp: expressions of every kind, and the operators among them.
  Value generate(const sema::Expr *expr);
  Value unary(const sema::Unary *expr);
  Value binary(const sema::Binary *expr);
  Value floatBinary(Location loc, sema::BinaryOp op, Value lhs, Value rhs);
  Value integerBinary(Location loc, sema::BinaryOp op, Value lhs, Value rhs, sema::Element element);
  Value floorDivide(Location loc, Value lhs, Value rhs);
  Value floorRemainder(Location loc, Value lhs, Value rhs);
  Value shift(Location loc, sema::BinaryOp op, Value lhs, Value rhs, sema::Element element);
  Value compare(Location loc, sema::ComparePredicate predicate, Value lhs, Value rhs, sema::Element element);
  Value either(Location loc, Value condition, mlir::Type type, Thunk thenValue, Thunk elseValue);
  Value logical(const sema::Logical *expr);
  Value conditional(const sema::Conditional *expr);

  // GenMemory.cpp: slices, and changes of shape.
  llvm::SmallVector<Value> offsets(const sema::Slice *slice);
  struct Places {
    llvm::SmallVector<int64_t, 2> axes;
    llvm::SmallVector<Value, 2> indices;
  };
  Places places(const sema::Slice *slice);
  mlir::DenseI64ArrayAttr axesOf(const Places &places);
  mlir::RankedTensorType sliceTile(const sema::Slice *slice);
  Value load(const sema::Load *expr);
  Value atomic(const sema::Atomic *expr);
  void store(const sema::Store *stmt);
  Value toSlice(Location loc, const sema::Slice *slice, Value value);
  Value fromSlice(Location loc, const sema::Slice *slice, Value tile);
  Value broadcast(const sema::Broadcast *expr);
  Value reshape(const sema::Reshape *expr);
  Value transpose(const sema::Transpose *expr);
  Value part(const sema::Part *expr);
  Value iota(Location loc, mlir::RankedTensorType type);

  // GenBuiltin.cpp: functions with a name.
  Value sigmoid(mlir::Location loc, Value x);
  Value math(const sema::Math *expr);
  Value reduce(const sema::Reduce *expr);
  Value reduceAxis(Location loc, sema::ReduceOp op, Value source, unsigned axis, sema::Element element);
  Value reduceToPlace(Location loc, sema::ReduceOp op, Value source, unsigned axis, sema::Element element);
  /// Fills the region of a reduction or a scan of `tiles`: two numbers of each, first those of the one side.
  void combineBy(mlir::Region &region, Location loc, mlir::ValueRange tiles,
                 llvm::function_ref<llvm::SmallVector<Value>(mlir::ValueRange numbers)> body);
  llvm::SmallVector<Value> fold(const sema::Call *call);
  mlir::TypedAttr identity(sema::ReduceOp op, sema::Element element);
  Value combine(Location loc, sema::ReduceOp op, Value lhs, Value rhs, sema::Element element);
  Value dot(const sema::Dot *expr);

  // GenRandom.cpp.
  Value random(const sema::Random *expr);
  std::array<Value, 4> philox(Location loc, Value seed, Value offset);

  Location at(SourceRange range);
  Value &valueOf(const sema::Variable *variable) { return values[variable->id]; }
  llvm::SmallVector<Value> valuesOf(llvm::ArrayRef<sema::Variable *> variables);
  void bind(llvm::ArrayRef<sema::Variable *> variables, mlir::ValueRange to);
  phobos::Diagnostic &error(SourceRange range, const llvm::Twine &message);

  /// Variables bound inside a region are not seen outside it.
  class Region {
  public:
    Region(Generator &generator, mlir::Block *block)
        : generator(generator), guard(generator.builder), saved(generator.values) {
      generator.builder.setInsertionPointToStart(block);
    }
    ~Region() { generator.values = std::move(saved); }

  private:
    Generator &generator;
    mlir::OpBuilder::InsertionGuard guard;
    std::vector<Value> saved;
  };

  mlir::OpBuilder builder;
  const sema::TypedKernel &kernel;
  const Specialisation &specialisation;
  DiagnosticEngine &diagnostics;
  bool assertions;
  unsigned indexBits;
  std::vector<Value> values;     ///< of variables, by id
  std::vector<Value> parameters; ///< views and scalars, by index into KernelInfo::parameters
  /// By dim of KernelInfo::dims: the first view that has it, and where.
  std::vector<std::pair<Value, unsigned>> dimSources;
  std::optional<Location> callSite;                                     ///< of the device function being inlined
  llvm::SmallVector<std::pair<SourceRange, llvm::StringRef>> callChain; ///< outermost first
};

} // namespace phobos::irgen
