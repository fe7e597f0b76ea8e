// From bound arguments to the facts that a variant is compiled for, and those facts as flat bytes.
#include "phobos/runtime/Specialise.h"

#include <algorithm>
#include <cstring>

namespace phobos::runtime {
namespace {
constexpr uint64_t kAlignmentBytes = 16;

void put(std::string &bytes, uint64_t value) { bytes.append(reinterpret_cast<const char *>(&value), sizeof value); }

void put(std::string &bytes, std::string_view text) {
  put(bytes, text.size());
  bytes.append(text);
}

void put(std::string &bytes, const ConstantValue &value) {
  put(bytes, static_cast<uint64_t>(value.kind) | static_cast<uint64_t>(value.dtype) << 8);
  put(bytes, static_cast<uint64_t>(value.integer));
  uint64_t real;
  static_assert(sizeof real == sizeof value.real);
  std::memcpy(&real, &value.real, sizeof real);
  put(bytes, real);
  put(bytes, value.text);
  put(bytes, value.items.size());
  for (const ConstantValue &item : value.items) {
    put(bytes, item);
  }
}
} // namespace

Specialisation specialise(const Signature &signature, const Binding &binding,
                          const std::vector<std::vector<int64_t>> &multiples) {
  Specialisation result;
  size_t next = 0;
  for (const ParameterInfo &parameter : signature.info().parameters) {
    if (parameter.kind != ParameterInfo::Kind::Tensor) {
      continue;
    }
    const BoundTensor &tensor = binding.tensors[next++];
    TensorSpecialisation facts;
    // Of an empty tensor nothing is there, wherever it lies: the copy engine must not be pointed at it.
    bool isEmpty = std::find(tensor.extents.begin(), tensor.extents.begin() + tensor.rank, 0) !=
                   tensor.extents.begin() + tensor.rank;
    facts.alignedPointer = !isEmpty && reinterpret_cast<uintptr_t>(tensor.data) % kAlignmentBytes == 0;
    for (unsigned axis = 0; axis < tensor.rank; ++axis) {
      uint64_t stride = static_cast<uint64_t>(tensor.strides[axis]);
      facts.unitStride |= (stride == 1) << axis;
      facts.zeroStride |= (stride == 0) << axis;
      facts.alignedStride |= (stride * byteWidth(parameter.dtype) % kAlignmentBytes == 0) << axis;
    }
    result.tensors.push_back(facts);
  }
  for (size_t dim = 0; dim < multiples.size(); ++dim) {
    uint64_t bits = 0;
    for (size_t i = 0; i < multiples[dim].size() && i < 64; ++i) {
      // Nothing follows from an extent of 0: a block launched all the same must find its masks there.
      bool whole = multiples[dim][i] > 0 && binding.dims[dim] > 0 && binding.dims[dim] % multiples[dim][i] == 0;
      bits |= static_cast<uint64_t>(whole) << i;
    }
    result.wholeMultiples.push_back(bits);
  }
  for (size_t dim = 0; dim < binding.dims.size() && dim < 64; ++dim) {
    result.emptyDims |= static_cast<uint64_t>(binding.dims[dim] == 0) << dim;
  }
  result.index64 = binding.index64;
  return result;
}

std::string keyBytes(const Specialisation &specialisation) {
  std::string bytes;
  bytes.reserve(16 + 8 * (2 * specialisation.tensors.size() + specialisation.wholeMultiples.size()));
  for (const TensorSpecialisation &tensor : specialisation.tensors) {
    put(bytes, tensor.unitStride | static_cast<uint64_t>(tensor.zeroStride) << 32);
    put(bytes, tensor.alignedStride | static_cast<uint64_t>(tensor.alignedPointer) << 32);
  }
  for (uint64_t bits : specialisation.wholeMultiples) {
    put(bytes, bits);
  }
  put(bytes, specialisation.emptyDims);
  put(bytes, specialisation.index64);
  return bytes;
}

std::string keyBytes(const Constants &constants) {
  std::string bytes;
  put(bytes, constants.size());
  for (const auto &[name, value] : constants) {
    put(bytes, name);
    put(bytes, value);
  }
  return bytes;
}

} // namespace phobos::runtime
