// The module, the kernel's signature and attributes; the body is GenStmt.cpp's.
#include "Generator.h"

#include "phobos/Support/SourceFile.h"
#include <numeric>

using namespace mlir;

namespace phobos::irgen {

/// Bytes that a vector access moves at once: what TensorSpecialisation calls aligned.
static constexpr unsigned kVectorBytes = 16;

OwningOpRef<ModuleOp> generate(MLIRContext &context, const sema::TypedKernel &kernel,
                               const Specialisation &specialisation, StringRef chip, DiagnosticEngine &diagnostics,
                               bool assertions) {
  context.loadDialect<arith::ArithDialect, math::MathDialect, scf::SCFDialect, tile::TileDialect, dot::DotDialect>();
  return Generator(context, kernel, specialisation, diagnostics, assertions).run(chip);
}

Generator::Generator(MLIRContext &context, const sema::TypedKernel &kernel, const Specialisation &specialisation,
                     DiagnosticEngine &diagnostics, bool assertions)
    : builder(&context), kernel(kernel), specialisation(specialisation), diagnostics(diagnostics),
      assertions(assertions), indexBits(specialisation.index64 ? 64 : 32), values(kernel.variables.size()),
      parameters(kernel.info.parameters.size()), dimSources(kernel.info.dims.size()) {}

OwningOpRef<ModuleOp> Generator::run(StringRef chip) {
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  SmallVector<Location> locations;
  StringRef path = kernel.range.file ? kernel.range.file->path() : StringRef();
  // Views come first: see IRGen.h.
  for (auto kind : {ParameterInfo::Kind::Tensor, ParameterInfo::Kind::Scalar}) {
    for (const ParameterInfo &parameter : kernel.info.parameters) {
      if (parameter.kind == kind) {
        types.push_back(argumentType(parameter, types.size()));
        attributes.push_back(argumentAttributes(parameter));
        locations.push_back(FileLineColLoc::get(builder.getContext(), path, parameter.line, parameter.column));
      }
    }
  }

  Location loc = at(kernel.range);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  (*module)->setAttr(tile::kChipAttr, builder.getStringAttr(chip));
  builder.setInsertionPointToStart(module->getBody());
  auto op = tile::KernelOp::create(builder, loc, kernel.info.name, builder.getFunctionType(types, {}),
                                   builder.getArrayAttr(attributes), ArrayAttr());
  setAttributes(op);
  builder.createBlock(&op.getBody(), {}, types, locations);
  bindArguments(op);
  generate(kernel.body);
  tile::ReturnOp::create(builder, loc);
  return diagnostics.hasErrors() ? OwningOpRef<ModuleOp>() : std::move(module);
}

Type Generator::argumentType(const ParameterInfo &parameter, unsigned tensor) {
  Type element = memoryType(parameter.dtype);
  if (parameter.kind == ParameterInfo::Kind::Scalar) {
    return element;
  }
  TensorSpecialisation facts;
  if (tensor < specialisation.tensors.size()) {
    facts = specialisation.tensors[tensor];
  }
  unsigned bytes = byteWidth(parameter.dtype);
  SmallVector<int64_t> shape, strides;
  // Every tile divides an extent of 0, and none is there: it is said as it is, and the rest are at least 1.
  auto isEmpty = [&](const DimInfo &dim) {
    size_t at = llvm::find(kernel.info.dims, dim.name) - kernel.info.dims.begin();
    return at < 64 && specialisation.emptyDims >> at & 1;
  };
  for (auto [axis, dim] : llvm::enumerate(parameter.dims)) {
    shape.push_back(dim.name.empty() ? dim.extent : isEmpty(dim) ? 0 : ShapedType::kDynamic);
    auto has = [axis = axis](uint32_t mask) { return mask >> axis & 1; };
    if (has(facts.zeroStride)) {
      strides.push_back(0);
    } else if (has(facts.unitStride)) {
      strides.push_back(1);
    } else {
      strides.push_back(has(facts.alignedStride) ? -int64_t(kVectorBytes / bytes) : -1);
    }
  }
  return tile::ViewType::get(builder.getContext(), shape, element, strides,
                             facts.alignedPointer ? kVectorBytes : bytes);
}

DictionaryAttr Generator::argumentAttributes(const ParameterInfo &parameter) {
  SmallVector<NamedAttribute> attributes = {
      builder.getNamedAttr(tile::kNameAttr, builder.getStringAttr(parameter.name))};
  if (parameter.kind == ParameterInfo::Kind::Tensor) {
    SmallVector<Attribute> names;
    for (const DimInfo &dim : parameter.dims) {
      names.push_back(builder.getStringAttr(dim.name));
    }
    attributes.push_back(builder.getNamedAttr(tile::kDimsAttr, builder.getArrayAttr(names)));
  }
  return builder.getDictionaryAttr(attributes);
}

/// Of each dim, the least common multiple of what was promised and what the arguments turned out to be.
DictionaryAttr Generator::knownMultiples() {
  SmallVector<NamedAttribute> dims;
  for (auto [i, name] : llvm::enumerate(kernel.info.dims)) {
    int64_t multiple = i < kernel.promised.size() ? kernel.promised[i] : 1;
    if (i < specialisation.wholeMultiples.size()) {
      for (auto [bit, candidate] : llvm::enumerate(kernel.multiples[i])) {
        if (specialisation.wholeMultiples[i] >> bit & 1) {
          multiple = std::lcm(multiple, candidate);
        }
      }
    }
    if (multiple > 1) {
      dims.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(multiple)));
    }
  }
  return builder.getDictionaryAttr(dims);
}

StringRef spelling(sema::F32Mode mode) {
  switch (mode) {
  case sema::F32Mode::Tf32x3:
    return "tf32x3";
  case sema::F32Mode::Tf32:
    return "tf32";
  case sema::F32Mode::Bf16x3:
    return "bf16x3";
  }
  llvm_unreachable("unknown f32 mode");
}

void Generator::setAttributes(tile::KernelOp op) {
  const sema::KernelOptions &options = kernel.options;
  auto setNumber = [&](StringRef name, unsigned value) { op->setAttr(name, builder.getI32IntegerAttr(value)); };
  unsigned threads = llvm::bit_floor(options.threads);
  if (threads != options.threads) {
    op.emitRemark() << "blocks of " << threads << " threads in place of " << options.threads
                    << ": tiles are shared out among a power of two of warps";
  }
  setNumber(tile::kThreadsAttr, threads);
  setNumber(tile::kIndexBitsAttr, indexBits);
  if (DictionaryAttr dims = knownMultiples(); !dims.empty()) {
    op->setAttr(tile::kDimsAttr, dims);
  }
  if (options.minBlocks) {
    setNumber(tile::kMinBlocksAttr, options.minBlocks);
  }
  if (options.maxRegisters) {
    setNumber(tile::kMaxRegsAttr, options.maxRegisters);
  }
  if (options.persistent != sema::PersistentOrder::None) {
    op->setAttr(tile::kPersistentAttr, builder.getUnitAttr());
  }
  if (options.persistent == sema::PersistentOrder::Queue) {
    op->setAttr(tile::kQueueAttr, builder.getUnitAttr());
  }
  if (options.clusterX * options.clusterY > 1) {
    int32_t extents[] = {int32_t(options.clusterX), int32_t(options.clusterY)};
    op->setAttr(tile::kClusterAttr, builder.getDenseI32ArrayAttr(extents));
  }
  if (options.dependent) {
    op->setAttr(tile::kDependentAttr, builder.getUnitAttr());
  }
  if (options.tensorCore) {
    op->setAttr(tile::kTensorcoreAttr, builder.getStringAttr(spelling(*options.tensorCore)));
  }
  if (options.pipeline.kind != sema::PipelineRequest::Kind::Default) {
    bool off = options.pipeline.kind == sema::PipelineRequest::Kind::Off;
    setNumber(tile::kStagesAttr, off ? 1 : options.pipeline.stages);
    if (options.pipeline.asserted) {
      op->setAttr(tile::kPipelineAssertedAttr, builder.getUnitAttr());
    }
  }
}

/// Names for the parameters and dims that the body refers to by index.
void Generator::bindArguments(tile::KernelOp op) {
  unsigned argument = 0;
  for (auto [i, parameter] : llvm::enumerate(kernel.info.parameters)) {
    if (parameter.kind != ParameterInfo::Kind::Tensor) {
      continue;
    }
    parameters[i] = op.getArgument(argument++);
    for (auto [axis, dim] : llvm::enumerate(parameter.dims)) {
      auto found = llvm::find(kernel.info.dims, dim.name);
      if (found != kernel.info.dims.end() && !dimSources[found - kernel.info.dims.begin()].first) {
        dimSources[found - kernel.info.dims.begin()] = {parameters[i], axis};
      }
    }
  }
  for (auto [i, parameter] : llvm::enumerate(kernel.info.parameters)) {
    if (parameter.kind == ParameterInfo::Kind::Scalar) {
      Value value = op.getArgument(argument++);
      parameters[i] = parameter.dtype == DType::boolean ? isNotZero(value.getLoc(), value) : value;
    }
  }
}

Location Generator::at(SourceRange range) {
  if (!range.isValid()) {
    return callSite ? *callSite : Location(UnknownLoc::get(builder.getContext()));
  }
  LineColumn place = range.file->lineColumn(range.begin);
  Location loc = FileLineColLoc::get(builder.getContext(), range.file->path(), place.line, place.column);
  return callSite ? Location(CallSiteLoc::get(loc, *callSite)) : loc;
}

SmallVector<Value> Generator::valuesOf(ArrayRef<sema::Variable *> variables) {
  return llvm::map_to_vector(variables, [&](sema::Variable *variable) { return valueOf(variable); });
}

void Generator::bind(ArrayRef<sema::Variable *> variables, ValueRange to) {
  for (auto [variable, value] : llvm::zip_equal(variables, to)) {
    valueOf(variable) = value;
  }
}

phobos::Diagnostic &Generator::error(SourceRange range, const Twine &message) {
  phobos::Diagnostic &diagnostic = diagnostics.error(range, message);
  for (auto [where, callee] : llvm::reverse(callChain)) {
    diagnostic.calledFrom(where, callee);
  }
  return diagnostic;
}

} // namespace phobos::irgen
