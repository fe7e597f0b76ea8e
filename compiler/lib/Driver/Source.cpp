// From text to a prepared kernel: parsing, signatures, types. Nothing here knows of MLIR.
#include "Source.h"

#include "Failures.h"

#include "phobos/Syntax/Parser.h"

#include <numeric>

namespace phobos {

SourceUnit::~SourceUnit() = default;
PreparedKernel::~PreparedKernel() = default;

using namespace driver;

static Failure userFailure(const DiagnosticEngine &diagnostics) {
  return {Failure::Kind::User, diagnostics.render(), {}};
}

/// Parses the files that functions come from and fills the module's table.
static void readImports(SourceUnitImpl &unit, const Imports &imports, DiagnosticEngine &diagnostics) {
  for (const auto &[path, text] : imports.texts) {
    auto file = std::make_unique<SourceUnitImpl::ImportedFile>(path, text);
    file->module = syntax::parseModule(file->file, file->context, diagnostics);
    unit.imported.emplace(path, std::move(file));
  }
  unit.module->imported = &unit.importTable;
  unit.module->library = imports.library;
  for (const ImportedFunction &import : imports.functions) {
    auto found = unit.imported.find(import.path);
    if (found == unit.imported.end()) {
      continue;
    }
    for (const syntax::FunctionDef *function : found->second->module->functions) {
      if (function->name == import.function && function->role == syntax::FunctionRole::Device) {
        unit.importTable.add(import.importer, import.name, function); // the last of several, as Python would
      }
    }
  }
}

Expected<std::shared_ptr<const SourceUnit>> parseSource(std::string path, std::string text, bool standsAlone,
                                                        const Imports &imports) {
  if (text.size() > kMaxFileBytes) {
    return plainFailure(Failure::Kind::User, path + " is longer than " + std::to_string(kMaxFileBytes) + " bytes");
  }
  auto unit = std::make_shared<SourceUnitImpl>(std::move(path), std::move(text));
  DiagnosticEngine diagnostics;
  unit->module = syntax::parseModule(unit->file, unit->context, diagnostics);
  readImports(*unit, imports, diagnostics);
  if (standsAlone && !sema::checkImports(*unit->module, diagnostics)) {
    return userFailure(diagnostics);
  }
  for (const syntax::FunctionDef *function : unit->module->functions) {
    if (function->role != syntax::FunctionRole::Kernel || function->hasErrors) {
      continue;
    }
    if (std::unique_ptr<KernelInfo> info = sema::analyseSignature(*unit->module, *function, nullptr, diagnostics)) {
      unit->infos.push_back(std::move(*info));
      unit->definitions.push_back(function);
    }
  }
  if (diagnostics.hasErrors()) {
    return userFailure(diagnostics);
  }
  unit->rendered = diagnostics.render();
  return std::shared_ptr<const SourceUnit>(std::move(unit));
}

/// Index into infos; the last of several of one name, as Python would have it.
static Expected<size_t> findKernel(const SourceUnitImpl &unit, const std::string &name, int line) {
  for (size_t i = unit.infos.size(); i-- > 0;) {
    if (unit.infos[i].name == name && (line == 0 || unit.infos[i].line == line)) {
      return i;
    }
  }
  llvm::SmallVector<llvm::StringRef> names;
  std::string list;
  for (const KernelInfo &info : unit.infos) {
    if (!llvm::is_contained(names, info.name)) {
      names.push_back(info.name);
      list += (list.empty() ? "" : ", ") + info.name;
    }
  }
  std::string message = unit.path() + " has no kernel '" + name + "'";
  if (line != 0 && llvm::is_contained(names, name)) {
    message += " at line " + std::to_string(line);
  }
  llvm::StringRef nearest = nearestName(name, names);
  std::string hint = names.empty()                         ? "a kernel is a function under @ph.kernel"
                     : !nearest.empty() && nearest != name ? "did you mean '" + nearest.str() + "'? Kernels: " + list
                                                           : "kernels: " + list;
  return plainFailure(Failure::Kind::User, message, hint);
}

Expected<KernelInfo> analyseKernel(const SourceUnit &source, const std::string &kernel, int line,
                                   const Constants &captures) {
  const auto &unit = static_cast<const SourceUnitImpl &>(source);
  Expected<size_t> index = findKernel(unit, kernel, line);
  if (!index) {
    return index.failure();
  }
  DiagnosticEngine diagnostics;
  std::unique_ptr<KernelInfo> info =
      sema::analyseSignature(*unit.module, *unit.definitions[*index], &captures, diagnostics);
  if (!info) {
    return userFailure(diagnostics);
  }
  return std::move(*info);
}

Expected<std::shared_ptr<const PreparedKernel>> prepareKernel(std::shared_ptr<const SourceUnit> source,
                                                              const std::string &kernel, int line,
                                                              const Constants &constants, const Constants &captures) {
  auto unit = std::static_pointer_cast<const SourceUnitImpl>(source); // the only class of it
  Expected<size_t> index = findKernel(*unit, kernel, line);
  if (!index) {
    return index.failure();
  }
  DiagnosticEngine diagnostics;
  std::unique_ptr<sema::TypedKernel> typed =
      sema::checkKernel(*unit->module, *unit->definitions[*index], constants, captures, diagnostics);
  if (!typed || diagnostics.hasErrors()) {
    return userFailure(diagnostics);
  }
  return std::shared_ptr<const PreparedKernel>(std::make_shared<PreparedKernelImpl>(unit, std::move(typed)));
}

Expected<bool> satisfiesWhen(const SourceUnit &source, const std::string &kernel, int line,
                             const Constants &constants) {
  const auto &unit = static_cast<const SourceUnitImpl &>(source);
  Expected<size_t> index = findKernel(unit, kernel, line);
  if (!index) {
    return index.failure();
  }
  DiagnosticEngine diagnostics;
  std::optional<bool> holds = sema::evaluateWhen(*unit.module, *unit.definitions[*index], constants, {}, diagnostics);
  if (!holds) {
    return userFailure(diagnostics);
  }
  return *holds;
}

Specialisation genericSpecialisation(const PreparedKernel &prepared) {
  const auto &kernel = static_cast<const PreparedKernelImpl &>(prepared);
  const KernelInfo &info = kernel.info();
  auto divisor = [&](const DimInfo &dim) -> int64_t {
    if (dim.name.empty()) {
      return dim.extent;
    }
    size_t index = llvm::find(info.dims, dim.name) - info.dims.begin();
    return index < kernel.typed->promised.size() ? kernel.typed->promised[index] : 1;
  };
  constexpr int64_t kVectorBytes = 16;
  Specialisation facts;
  for (const ParameterInfo &parameter : info.parameters) {
    if (parameter.kind != ParameterInfo::Kind::Tensor) {
      continue;
    }
    TensorSpecialisation tensor;
    tensor.alignedPointer = true; // what every allocator gives
    int64_t strideDivisor = byteWidth(parameter.dtype);
    for (size_t axis = parameter.dims.size(); axis-- > 0;) {
      bool innermost = axis + 1 == parameter.dims.size();
      tensor.unitStride |= uint32_t(innermost) << axis;
      tensor.alignedStride |= uint32_t(strideDivisor % kVectorBytes == 0) << axis;
      strideDivisor = std::gcd(strideDivisor * std::gcd(divisor(parameter.dims[axis]), kVectorBytes), kVectorBytes);
    }
    facts.tensors.push_back(tensor);
  }
  facts.wholeMultiples.assign(info.dims.size(), 0);
  return facts;
}

} // namespace phobos
