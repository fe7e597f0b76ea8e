// The classes behind SourceUnit and PreparedKernel: what the driver's other files may see of them.
#pragma once

#include "phobos/Driver/Compiler.h"
#include "phobos/Sema/Sema.h"
#include "phobos/Support/Diagnostic.h"
#include "phobos/Support/SourceFile.h"
#include "phobos/Syntax/AST.h"

#include <map>

namespace phobos::driver {

class SourceUnitImpl final : public SourceUnit {
public:
  SourceUnitImpl(std::string path, std::string text) : file(std::move(path), std::move(text)), path_(file.path()) {}

  const std::vector<KernelInfo> &kernels() const override { return infos; }
  const std::string &path() const override { return path_; }
  const std::string &warnings() const override { return rendered; }

  SourceFile file;
  syntax::ASTContext context; // owns the tree, which points into `file`
  syntax::Module *module = nullptr;
  struct ImportedFile {
    ImportedFile(std::string path, std::string text) : file(std::move(path), std::move(text)) {}
    SourceFile file;
    syntax::ASTContext context;
    const syntax::Module *module = nullptr;
  };
  std::map<std::string, std::unique_ptr<ImportedFile>> imported; // by path
  syntax::ImportTable importTable;
  std::vector<KernelInfo> infos;
  std::vector<const syntax::FunctionDef *> definitions; // of infos, in the same order
  std::string rendered;                                 // warnings

private:
  std::string path_;
};

class PreparedKernelImpl final : public PreparedKernel {
public:
  PreparedKernelImpl(std::shared_ptr<const SourceUnitImpl> unit, std::unique_ptr<sema::TypedKernel> typed)
      : unit(std::move(unit)), typed(std::move(typed)) {
    for (size_t i = 0; i < info().parameters.size(); ++i) {
      if (info().parameters[i].kind == ParameterInfo::Kind::Tensor) {
        SourceRange range = this->typed->stores[i];
        LineColumn place = range.isValid() ? range.file->lineColumn(range.begin) : LineColumn();
        stores_.push_back({place.line, place.column});
      }
    }
  }

  const KernelInfo &info() const override { return typed->info; }
  const Constants &constants() const override { return typed->constants; }
  const std::vector<std::vector<int64_t>> &multiples() const override { return typed->multiples; }
  const std::vector<SourcePlace> &stores() const override { return stores_; }
  unsigned threads() const override { return typed->options.threads; }

  std::shared_ptr<const SourceUnitImpl> unit;
  std::unique_ptr<sema::TypedKernel> typed;

private:
  std::vector<SourcePlace> stores_;
};

} // namespace phobos::driver
