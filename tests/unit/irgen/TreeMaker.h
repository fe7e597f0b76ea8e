// Typed trees by hand: what sema would make, in a few words, so that IRGen is tested on every kind of node and number
// whether or not a kernel's text can say it.
#pragma once

#include "phobos/Dialect/Dot/IR/Dot.h"
#include "phobos/IRGen/IRGen.h"
#include "phobos/Sema/Sema.h"
#include "phobos/Support/Diagnostic.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace phobos::irgen {

class TreeMaker {
public:
  TreeMaker() {
    kernel.info.name = "kernel";
    kernel.options.threads = 128;
  }

  template <typename T, typename... Args> T *make(Args &&...args) {
    return new (kernel.arena.Allocate<T>()) T(std::forward<Args>(args)...);
  }
  template <typename T> llvm::ArrayRef<T> list(std::initializer_list<T> items) {
    T *memory = kernel.arena.Allocate<T>(items.size());
    std::uninitialized_copy(items.begin(), items.end(), memory);
    return {memory, items.size()};
  }
  const sema::Type *type(sema::Element element, llvm::ArrayRef<int64_t> shape = {}) {
    return kernel.types.get(element, shape);
  }
  sema::Expr *number(sema::Element element, int64_t integer, double real = 0) {
    return make<sema::Constant>(SourceRange(), type(element), integer, real);
  }
  sema::Expr *real(DType dtype, double value) { return number(dtype, 0, value); }
  sema::Expr *index(int64_t value) { return number(sema::Element::index(), value); }
  sema::Expr *convert(sema::Expr *operand, sema::Element to) {
    return make<sema::Convert>(SourceRange(), kernel.types.withElement(operand->type, to), operand);
  }
  sema::Expr *binary(sema::BinaryOp op, sema::Expr *lhs, sema::Expr *rhs) {
    return make<sema::Binary>(SourceRange(), op, lhs, rhs);
  }
  sema::Variable *variable(llvm::StringRef name, const sema::Type *type) {
    auto *made = make<sema::Variable>();
    made->name = name;
    made->type = type;
    made->id = kernel.variables.size();
    kernel.variables.push_back(made);
    return made;
  }
  sema::Expr *read(sema::Variable *variable) { return make<sema::Read>(SourceRange(), variable); }

  /// A tensor parameter; an extent of 0 is a new dim called D0, D1, …
  unsigned tensor(DType dtype, llvm::ArrayRef<int64_t> extents) {
    ParameterInfo parameter;
    parameter.name = "T" + std::to_string(kernel.info.parameters.size());
    parameter.dtype = dtype;
    for (int64_t extent : extents) {
      DimInfo dim{"", extent};
      if (!extent) {
        dim.name = "D" + std::to_string(kernel.info.dims.size());
        kernel.info.dims.push_back(dim.name);
        kernel.multiples.emplace_back();
        kernel.promised.push_back(1);
      }
      parameter.dims.push_back(dim);
    }
    kernel.info.parameters.push_back(parameter);
    return kernel.info.parameters.size() - 1;
  }
  /// Of spans of these lengths from 0; a length of 0 is a point.
  const sema::Slice *slice(unsigned tensor, std::initializer_list<int64_t> lengths) {
    llvm::SmallVector<int64_t> shape;
    llvm::SmallVector<sema::SliceAxis> axes;
    for (int64_t length : lengths) {
      sema::SliceAxis axis;
      axis.start = index(0);
      axis.length = length;
      axes.push_back(axis);
      if (length) {
        shape.push_back(length);
      }
    }
    auto *memory = kernel.arena.Allocate<sema::SliceAxis>(axes.size());
    std::uninitialized_copy(axes.begin(), axes.end(), memory);
    auto *made = make<sema::Slice>();
    made->tensor = tensor;
    made->axes = {memory, axes.size()};
    made->type = type(kernel.info.parameters[tensor].dtype, shape);
    return made;
  }
  sema::Expr *load(const sema::Slice *slice, sema::Expr *fill = nullptr) {
    return make<sema::Load>(SourceRange(), slice, fill);
  }
  sema::Stmt *store(const sema::Slice *slice, sema::Expr *value) {
    return make<sema::Store>(SourceRange(), slice, value);
  }
  sema::Stmt *assign(sema::Variable *variable, sema::Expr *value) {
    return make<sema::Assign>(SourceRange(), variable, value);
  }

  /// Null if there were errors or the module does not verify.
  mlir::OwningOpRef<mlir::ModuleOp> generate(std::initializer_list<sema::Stmt *> body, bool canonicalise = false) {
    kernel.body = list<sema::Stmt *>(body);
    auto module = irgen::generate(context, kernel, specialisation, "sm_80", diagnostics);
    if (!module || failed(mlir::verify(*module))) {
      return {};
    }
    if (canonicalise) {
      mlir::PassManager passes(&context);
      passes.addPass(mlir::createCanonicalizerPass());
      if (failed(passes.run(*module))) {
        return {};
      }
    }
    return module;
  }

  /// The one constant that `scalar`, a value of `dtype`, folds to; null if it does not fold.
  mlir::Attribute evaluate(DType dtype, sema::Expr *scalar) {
    auto module = generate({store(slice(tensor(dtype, {}), {}), scalar)}, /*canonicalise=*/true);
    mlir::Attribute result;
    if (module) {
      module->walk([&](tile::StoreOp op) {
        mlir::DenseElementsAttr elements;
        if (matchPattern(op.getValue(), mlir::m_Constant(&elements)) && elements.isSplat()) {
          result = elements.getSplatValue<mlir::Attribute>();
        }
      });
    }
    return result;
  }
  std::optional<int64_t> evaluateInteger(DType dtype, sema::Expr *scalar) {
    auto attribute = llvm::dyn_cast_if_present<mlir::IntegerAttr>(evaluate(dtype, scalar));
    return attribute ? std::optional(attribute.getValue().getSExtValue()) : std::nullopt;
  }
  std::optional<double> evaluateReal(DType dtype, sema::Expr *scalar) {
    auto attribute = llvm::dyn_cast_if_present<mlir::FloatAttr>(evaluate(dtype, scalar));
    return attribute ? std::optional(attribute.getValueAsDouble()) : std::nullopt;
  }

  sema::TypedKernel kernel;
  Specialisation specialisation;
  DiagnosticEngine diagnostics;
  mlir::MLIRContext context;
};

/// How often an op occurs.
template <typename OpT> unsigned count(mlir::ModuleOp module) {
  unsigned n = 0;
  module.walk([&](OpT) { ++n; });
  return n;
}

} // namespace phobos::irgen
