// The contract as JSON and back. Field names are those of Contract.h; what has its default there may be missing.
#include "phobos/Driver/Compiler.h"

#include "Failures.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <cmath>

namespace phobos {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

constexpr int64_t kContractVersion = 2;

template <typename T, typename Function> Array arrayOf(const std::vector<T> &items, Function &&function) {
  Array array;
  for (const T &item : items) {
    array.push_back(function(item));
  }
  return array;
}

Array namesOf(const std::vector<std::string> &names) {
  return arrayOf(names, [](const std::string &name) { return Value(name); });
}

// --- constants
/// Plain JSON where it says everything; what it cannot (a type, a tuple, nan) is an object.
Value write(const ConstantValue &value) {
  switch (value.kind) {
  case ConstantValue::Kind::None:
    return nullptr;
  case ConstantValue::Kind::Bool:
    return value.integer != 0;
  case ConstantValue::Kind::Int:
    return value.integer;
  case ConstantValue::Kind::Float:
    if (!std::isfinite(value.real)) {
      return Object{{"float", std::isnan(value.real) ? "nan" : value.real > 0 ? "inf" : "-inf"}};
    }
    // An object, so that 2.0 does not come back as the integer 2.
    return Object{{"float", value.real}};
  case ConstantValue::Kind::Type:
    return Object{{"type", std::string(name(value.dtype))}};
  case ConstantValue::Kind::Tuple:
    return Object{{"tuple", arrayOf(value.items, [](const ConstantValue &item) { return write(item); })}};
  case ConstantValue::Kind::String:
    return value.text;
  }
  llvm_unreachable("unknown kind of constant");
}

std::optional<ConstantValue> readConstant(const Value &json) {
  ConstantValue value;
  if (json.kind() == Value::Null) {
    return value;
  }
  if (std::optional<bool> flag = json.getAsBoolean()) {
    return ConstantValue::ofBool(*flag);
  }
  if (std::optional<int64_t> integer = json.getAsInteger()) {
    return ConstantValue::ofInt(*integer);
  }
  if (std::optional<llvm::StringRef> text = json.getAsString()) {
    value.kind = ConstantValue::Kind::String;
    value.text = text->str();
    return value;
  }
  const Object *object = json.getAsObject();
  if (!object) {
    return std::nullopt;
  }
  if (const Value *real = object->get("float")) {
    if (std::optional<double> number = real->getAsNumber()) {
      return ConstantValue::ofFloat(*number);
    }
    llvm::StringRef text = real->getAsString().value_or("");
    if (text == "nan") {
      return ConstantValue::ofFloat(std::nan(""));
    }
    if (text == "inf" || text == "-inf") {
      return ConstantValue::ofFloat(text == "inf" ? INFINITY : -INFINITY);
    }
    return std::nullopt;
  }
  if (std::optional<llvm::StringRef> type = object->getString("type")) {
    std::optional<DType> dtype = parseDType(*type);
    return dtype ? std::optional(ConstantValue::ofType(*dtype)) : std::nullopt;
  }
  if (const Array *items = object->getArray("tuple")) {
    value.kind = ConstantValue::Kind::Tuple;
    for (const Value &item : *items) {
      std::optional<ConstantValue> element = readConstant(item);
      if (!element) {
        return std::nullopt;
      }
      value.items.push_back(std::move(*element));
    }
    return value;
  }
  return std::nullopt;
}

Array write(const Constants &constants) {
  return arrayOf(constants,
                 [](const auto &entry) { return Object{{"name", entry.first}, {"value", write(entry.second)}}; });
}

// --- the kernel's description
Object write(const ParameterInfo &parameter) {
  static const char *const kKinds[] = {"tensor", "scalar", "constant"};
  Object object{{"kind", kKinds[static_cast<size_t>(parameter.kind)]},
                {"name", parameter.name},
                {"dtype", std::string(name(parameter.dtype))},
                {"line", parameter.line},
                {"column", parameter.column}};
  if (parameter.kind == ParameterInfo::Kind::Tensor) {
    object["dims"] = arrayOf(parameter.dims,
                             [](const DimInfo &dim) { return dim.name.empty() ? Value(dim.extent) : Value(dim.name); });
  }
  return object;
}

Object write(const KernelInfo &info) {
  return Object{{"name", info.name},
                {"line", info.line},
                {"doc", llvm::json::fixUTF8(info.doc)},
                {"parameters", arrayOf(info.parameters, [](const ParameterInfo &p) { return Value(write(p)); })},
                {"dims", namesOf(info.dims)},
                {"space", arrayOf(info.space,
                                  [](const TunedConstant &tuned) {
                                    return Object{{"name", tuned.name},
                                                  {"candidates",
                                                   arrayOf(tuned.candidates,
                                                           [](const ConstantValue &value) { return write(value); })}};
                                  })},
                {"when", info.when},
                {"key", namesOf(info.key)},
                {"reference", info.reference},
                {"promises", arrayOf(info.promises,
                                     [](const PromiseInfo &promise) {
                                       return Object{{"dim", promise.dim},
                                                     {"multiple", promise.constant.empty() ? Value(promise.multiple)
                                                                                           : Value(promise.constant)}};
                                     })},
                {"captures", namesOf(info.captures)}};
}

Object write(const Specialisation &facts) {
  return Object{{"tensors", arrayOf(facts.tensors,
                                    [](const TensorSpecialisation &tensor) {
                                      return Object{{"unitStride", tensor.unitStride},
                                                    {"zeroStride", tensor.zeroStride},
                                                    {"alignedStride", tensor.alignedStride},
                                                    {"alignedPointer", tensor.alignedPointer}};
                                    })},
                {"wholeMultiples",
                 arrayOf(facts.wholeMultiples, [](uint64_t bits) { return Value(static_cast<int64_t>(bits)); })},
                {"emptyDims", static_cast<int64_t>(facts.emptyDims)},
                {"index64", facts.index64}};
}

constexpr const char *kEntryKinds[] = {"pointer", "extent", "stride", "scalar", "tensorMap", "grid", "counters"};

// --- reading
/// Reads fields of objects; remembers whether anything required was missing or of another kind.
class Reader {
public:
  bool good = true;

  std::string text(const Object &object, llvm::StringRef key) {
    std::optional<llvm::StringRef> value = object.getString(key);
    good &= value.has_value();
    return value.value_or("").str();
  }
  int64_t number(const Object &object, llvm::StringRef key) {
    std::optional<int64_t> value = object.getInteger(key);
    good &= value.has_value();
    return value.value_or(0);
  }
  bool flag(const Object &object, llvm::StringRef key) {
    std::optional<bool> value = object.getBoolean(key);
    good &= value.has_value();
    return value.value_or(false);
  }
  template <typename Function> void each(const Object &object, llvm::StringRef key, Function &&function) {
    const Array *array = object.getArray(key);
    good &= array != nullptr;
    if (array) {
      for (const Value &item : *array) {
        function(item);
      }
    }
  }
  template <typename Function> void eachObject(const Object &object, llvm::StringRef key, Function &&function) {
    each(object, key, [&](const Value &item) {
      const Object *inner = item.getAsObject();
      good &= inner != nullptr;
      if (inner) {
        function(*inner);
      }
    });
  }
  std::vector<std::string> names(const Object &object, llvm::StringRef key) {
    std::vector<std::string> all;
    each(object, key, [&](const Value &item) {
      good &= item.getAsString().has_value();
      all.push_back(item.getAsString().value_or("").str());
    });
    return all;
  }
  const Object &object(const Object &from, llvm::StringRef key) {
    static const Object kEmpty;
    const Object *inner = from.getObject(key);
    good &= inner != nullptr;
    return inner ? *inner : kEmpty;
  }
  ConstantValue constant(const Value *json) {
    std::optional<ConstantValue> value = json ? readConstant(*json) : std::nullopt;
    good &= value.has_value();
    return value.value_or(ConstantValue());
  }
  DType dtype(const Object &object, llvm::StringRef key) {
    std::optional<DType> type = parseDType(text(object, key));
    good &= type.has_value();
    return type.value_or(DType::f32);
  }
  template <size_t N> size_t oneOf(const Object &object, llvm::StringRef key, const char *const (&choices)[N]) {
    std::string value = text(object, key);
    for (size_t i = 0; i < N; ++i) {
      if (value == choices[i]) {
        return i;
      }
    }
    good = false;
    return 0;
  }
};

ParameterInfo readParameter(Reader &reader, const Object &object) {
  static const char *const kKinds[] = {"tensor", "scalar", "constant"};
  ParameterInfo parameter;
  parameter.kind = static_cast<ParameterInfo::Kind>(reader.oneOf(object, "kind", kKinds));
  parameter.name = reader.text(object, "name");
  parameter.dtype = reader.dtype(object, "dtype");
  parameter.line = reader.number(object, "line");
  parameter.column = reader.number(object, "column");
  if (parameter.kind == ParameterInfo::Kind::Tensor) {
    reader.each(object, "dims", [&](const Value &dim) {
      if (std::optional<llvm::StringRef> name = dim.getAsString()) {
        parameter.dims.push_back({name->str(), 0});
      } else {
        reader.good &= dim.getAsInteger().has_value();
        parameter.dims.push_back({"", dim.getAsInteger().value_or(0)});
      }
    });
  }
  return parameter;
}

KernelInfo readKernel(Reader &reader, const Object &object) {
  KernelInfo info;
  info.name = reader.text(object, "name");
  info.line = reader.number(object, "line");
  info.doc = reader.text(object, "doc");
  reader.eachObject(object, "parameters",
                    [&](const Object &item) { info.parameters.push_back(readParameter(reader, item)); });
  info.dims = reader.names(object, "dims");
  reader.eachObject(object, "space", [&](const Object &item) {
    TunedConstant tuned{reader.text(item, "name"), {}};
    reader.each(item, "candidates", [&](const Value &value) { tuned.candidates.push_back(reader.constant(&value)); });
    info.space.push_back(std::move(tuned));
  });
  info.when = reader.text(object, "when");
  info.key = reader.names(object, "key");
  info.reference = reader.text(object, "reference");
  reader.eachObject(object, "promises", [&](const Object &item) {
    PromiseInfo promise{reader.text(item, "dim"), "", 0};
    if (std::optional<llvm::StringRef> constant = item.getString("multiple")) {
      promise.constant = constant->str();
    } else {
      promise.multiple = reader.number(item, "multiple");
    }
    info.promises.push_back(std::move(promise));
  });
  info.captures = reader.names(object, "captures");
  return info;
}

Specialisation readSpecialisation(Reader &reader, const Object &object) {
  Specialisation facts;
  reader.eachObject(object, "tensors", [&](const Object &item) {
    TensorSpecialisation tensor;
    tensor.unitStride = reader.number(item, "unitStride");
    tensor.zeroStride = reader.number(item, "zeroStride");
    tensor.alignedStride = reader.number(item, "alignedStride");
    tensor.alignedPointer = reader.flag(item, "alignedPointer");
    facts.tensors.push_back(tensor);
  });
  reader.each(object, "wholeMultiples", [&](const Value &bits) {
    reader.good &= bits.getAsInteger().has_value();
    facts.wholeMultiples.push_back(static_cast<uint64_t>(bits.getAsInteger().value_or(0)));
  });
  facts.emptyDims = static_cast<uint64_t>(reader.number(object, "emptyDims"));
  facts.index64 = reader.flag(object, "index64");
  return facts;
}

} // namespace

std::string toJson(const KernelContract &contract, const Resources &resources) {
  Object object{{"version", kContractVersion},
                {"entry", contract.entry},
                {"chip", contract.chip},
                {"threads", contract.threads},
                {"sharedBytes", contract.sharedBytes},
                {"asserts", contract.asserts},
                {"persistent", contract.persistent},
                {"cooperative", contract.cooperative},
                {"dependent", contract.dependent},
                {"cluster", Array{contract.cluster[0], contract.cluster[1]}},
                {"parameters", arrayOf(contract.parameters,
                                       [](const EntryParameter &parameter) {
                                         return Object{
                                             {"kind", kEntryKinds[static_cast<size_t>(parameter.kind)]},
                                             {"index", parameter.index},
                                             {"axis", parameter.axis},
                                             {"bytes", parameter.bytes},
                                             {"box", arrayOf(parameter.box, [](unsigned n) { return Value(n); })},
                                             {"swizzle", parameter.swizzle},
                                             {"tf32", parameter.tf32}};
                                       })},
                {"constants", write(contract.constants)},
                {"specialisation", write(contract.specialisation)},
                {"kernel", write(contract.kernel)},
                {"resources", Object{{"registers", resources.registers},
                                     {"spillStoreBytes", resources.spillStoreBytes},
                                     {"spillLoadBytes", resources.spillLoadBytes},
                                     {"stackBytes", resources.stackBytes},
                                     {"staticSharedBytes", resources.staticSharedBytes},
                                     {"dynamicSharedBytes", resources.dynamicSharedBytes}}}};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("{0:2}", Value(std::move(object))) << "\n";
  return text;
}

Expected<std::pair<KernelContract, Resources>> contractFromJson(const std::string &text) {
  auto failure = [](const std::string &why) {
    return driver::plainFailure(Failure::Kind::Tool, "not a kernel contract: " + why);
  };
  llvm::Expected<Value> parsed = llvm::json::parse(text);
  if (!parsed) {
    return failure(llvm::toString(parsed.takeError()));
  }
  const Object *object = parsed->getAsObject();
  if (!object) {
    return failure("expected an object");
  }
  Reader reader;
  if (reader.number(*object, "version") != kContractVersion) {
    return failure("expected version " + std::to_string(kContractVersion));
  }
  KernelContract contract;
  contract.entry = reader.text(*object, "entry");
  contract.chip = reader.text(*object, "chip");
  contract.threads = reader.number(*object, "threads");
  contract.sharedBytes = reader.number(*object, "sharedBytes");
  contract.asserts = reader.flag(*object, "asserts");
  contract.persistent = reader.flag(*object, "persistent");
  contract.cooperative = reader.flag(*object, "cooperative");
  contract.dependent = reader.flag(*object, "dependent");
  unsigned axis = 0;
  reader.each(*object, "cluster", [&](const Value &blocks) {
    reader.good &= axis < 2 && blocks.getAsInteger().has_value();
    contract.cluster[std::min(axis++, 1u)] = blocks.getAsInteger().value_or(1);
  });
  reader.eachObject(*object, "parameters", [&](const Object &item) {
    EntryParameter parameter;
    parameter.kind = static_cast<EntryParameter::Kind>(reader.oneOf(item, "kind", kEntryKinds));
    parameter.index = reader.number(item, "index");
    parameter.axis = reader.number(item, "axis");
    parameter.bytes = reader.number(item, "bytes");
    reader.each(item, "box", [&](const Value &extent) {
      reader.good &= extent.getAsInteger().has_value();
      parameter.box.push_back(static_cast<unsigned>(extent.getAsInteger().value_or(0)));
    });
    parameter.swizzle = reader.number(item, "swizzle");
    parameter.tf32 = reader.flag(item, "tf32");
    contract.parameters.push_back(parameter);
  });
  reader.eachObject(*object, "constants", [&](const Object &item) {
    contract.constants.emplace_back(reader.text(item, "name"), reader.constant(item.get("value")));
  });
  contract.specialisation = readSpecialisation(reader, reader.object(*object, "specialisation"));
  contract.kernel = readKernel(reader, reader.object(*object, "kernel"));
  const Object &needs = reader.object(*object, "resources");
  Resources resources;
  resources.registers = reader.number(needs, "registers");
  resources.spillStoreBytes = reader.number(needs, "spillStoreBytes");
  resources.spillLoadBytes = reader.number(needs, "spillLoadBytes");
  resources.stackBytes = reader.number(needs, "stackBytes");
  resources.staticSharedBytes = reader.number(needs, "staticSharedBytes");
  resources.dynamicSharedBytes = reader.number(needs, "dynamicSharedBytes");
  if (!reader.good) {
    return failure("a field is missing or of another kind");
  }
  return std::pair(std::move(contract), resources);
}

} // namespace phobos
