// The table of names, searched. Small enough for a scan.
#include "phobos/Sema/Builtins.h"
#include "phobos/Support/DType.h"
#include "phobos/Support/Diagnostic.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"

namespace phobos::sema {
namespace {

constexpr bool Yes = true, No = false;

constexpr Builtin kBuiltins[] = {
#define PHOBOS_BUILTIN(name, category, support, rule, signature, sentence)                                             \
  {name, Category::category, support, Rule::rule, signature, sentence},
#include "phobos/Sema/Builtins.def"
};

/// Names of NumPy, torch and Triton for what is called otherwise here.
llvm::StringRef translated(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases({"float16", "half"}, "f16")
      .Case("bfloat16", "bf16")
      .Cases({"float32", "float"}, "f32")
      .Cases({"float64", "double"}, "f64")
      .Cases({"float8_e4m3fn", "float8e4nv"}, "f8e4m3")
      .Cases({"float8_e5m2", "float8e5"}, "f8e5m2")
      .Case("int8", "i8")
      .Case("int16", "i16")
      .Cases({"int32", "int"}, "i32")
      .Case("int64", "i64")
      .Case("uint8", "u8")
      .Case("uint16", "u16")
      .Case("uint32", "u32")
      .Case("uint64", "u64")
      .Case("int1", "bool")
      .Case("arange", "iota")
      .Case("maximum", "max")
      .Case("minimum", "min")
      .Cases({"matmul", "mm"}, "dot")
      .Cases({"program_id"}, "ctx.block.x")
      .Cases({"num_programs"}, "ctx.grid.x")
      .Cases({"expand_dims", "unsqueeze"}, "expand")
      .Cases({"broadcast_to"}, "broadcast")
      .Cases({"trans", "permute"}, "transpose")
      .Cases({"ravel", "view"}, "reshape")
      .Case("static_range", "unroll")
      .Default("");
}

} // namespace

llvm::ArrayRef<Builtin> builtins() { return kBuiltins; }

const Builtin *findBuiltin(llvm::StringRef name) {
  for (const Builtin &builtin : kBuiltins) {
    if (builtin.name == name) {
      return &builtin;
    }
  }
  size_t dot = name.rfind('.');
  const Builtin *outer = dot == llvm::StringRef::npos ? nullptr : findBuiltin(name.take_front(dot));
  return outer && !outer->supported ? outer : nullptr;
}

llvm::StringRef ourNameFor(llvm::StringRef name) {
  if (llvm::StringRef ours = translated(name); !ours.empty()) {
    return ours;
  }
  const Builtin *builtin = findBuiltin(name);
  if (builtin && builtin->supported) {
    return builtin->name;
  }
  std::optional<DType> dtype = parseDType(std::string_view(name));
  return dtype ? llvm::StringRef(phobos::name(*dtype)) : llvm::StringRef();
}

llvm::StringRef nearestBuiltin(llvm::StringRef name) {
  if (llvm::StringRef ours = translated(name); !ours.empty()) {
    return ours;
  }
  llvm::SmallVector<llvm::StringRef, 160> candidates;
#define PHOBOS_DTYPE(type, bits, kind, dlcode) candidates.push_back(phobos::name(DType::type));
#include "phobos/Support/DTypes.def"
  for (const Builtin &builtin : kBuiltins) {
    candidates.push_back(builtin.name);
  }
  return nearestName(name, candidates);
}

std::vector<Formal> formals(llvm::StringRef signature) {
  std::vector<Formal> result;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  signature.split(parts, ", ", -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    Formal formal;
    formal.keywords = part.consume_front("**");
    formal.variadic = !formal.keywords && part.consume_front("*");
    auto [name, value] = part.split('=');
    formal.name = name;
    formal.required = value.empty() && !formal.keywords && !formal.variadic;
    result.push_back(formal);
  }
  return result;
}

} // namespace phobos::sema
