// The key of a warm launch and the table that it is looked up in.
#include "phobos/runtime/LaunchKey.h"

#include "phobos/runtime/Kernel.h"
#include "llvm/ADT/STLExtras.h"

namespace phobos::runtime {
namespace {

constexpr uintptr_t kPointerAlignmentBytes = 16;

uint64_t mix(uint64_t a, uint64_t b) {
  unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

bool sameWords(const uint64_t *a, const uint64_t *b, size_t count) { return std::memcmp(a, b, count * 8) == 0; }

} // namespace

uint64_t hashWords(const uint64_t *words, size_t count) {
  constexpr uint64_t kSecret = 0x9E3779B97F4A7C15, kStep = 0xD6E8FEB86659FD93;
  uint64_t hash = kSecret ^ count;
  size_t i = 0;
  for (; i + 1 < count; i += 2) {
    hash = mix(words[i] ^ kStep, words[i + 1] ^ hash);
  }
  if (i < count) {
    hash = mix(words[i] ^ kStep, kSecret ^ hash);
  }
  return mix(hash, kSecret);
}

KeyLayout::KeyLayout(const KernelInfo &info) : info(&info), keyedScalars(info.parameters.size()), mostWords(2) {
  for (size_t i = 0; i < info.parameters.size(); ++i) {
    const ParameterInfo &parameter = info.parameters[i];
    keyedScalars[i] = parameter.kind == ParameterInfo::Kind::Scalar && llvm::is_contained(info.key, parameter.name);
    mostWords += 2 + 2 * parameter.dims.size();
  }
}

LaunchKey::LaunchKey(const KeyLayout &layout, const Call &call, uint32_t epoch, int device) {
  const KernelInfo &info = *layout.info;
  if (layout.mostWords > kInlineWords) {
    heap_ = std::make_unique<uint64_t[]>(layout.mostWords);
    words_ = heap_.get();
  }
  uint64_t *out = words_;
  *out++ = call.captures | static_cast<uint64_t>(call.overrides) << 32;
  *out++ = epoch;
  bool tensors = false;
  for (size_t i = 0; i < info.parameters.size(); ++i) {
    const ParameterInfo &parameter = info.parameters[i];
    const Argument &argument = call.arguments[i];
    switch (parameter.kind) {
    case ParameterInfo::Kind::Tensor: {
      const TensorArgument &tensor = argument.tensor;
      if (argument.kind != Argument::Kind::Tensor || tensor.rank != static_cast<int>(parameter.dims.size())) {
        valid_ = false;
        return;
      }
      tensors = true;
      uintptr_t address = reinterpret_cast<uintptr_t>(tensor.data);
      uint64_t aligned = address % kPointerAlignmentBytes == 0;
      uint64_t misaligned = address % std::max(tensor.typeBits / 8, 1) != 0;
      *out++ = tensor.typeCode | tensor.typeBits << 8 | static_cast<uint64_t>(tensor.typeLanes) << 16 | aligned << 32 |
               static_cast<uint64_t>(tensor.data == nullptr) << 33 |
               static_cast<uint64_t>(tensor.strides != nullptr) << 34 | misaligned << 35 |
               static_cast<uint64_t>(tensor.access) << 36 |
               static_cast<uint64_t>(static_cast<uint8_t>(tensor.deviceType)) << 40 |
               static_cast<uint64_t>(static_cast<uint16_t>(tensor.deviceIndex)) << 48;
      for (int axis = 0; axis < tensor.rank; ++axis) {
        *out++ = static_cast<uint64_t>(tensor.extents[axis]);
      }
      if (tensor.strides) {
        for (int axis = 0; axis < tensor.rank; ++axis) {
          *out++ = static_cast<uint64_t>(tensor.strides[axis]);
        }
      }
      break;
    }
    case ParameterInfo::Kind::Scalar: // packed at each launch; selects nothing unless the tuner is keyed on it
      if (argument.kind != Argument::Kind::Scalar) {
        valid_ = false;
        return;
      }
      if (layout.keyedScalars[i]) {
        *out++ = static_cast<uint64_t>(argument.scalar.kind);
        *out++ = argument.scalar.unsignedInteger;
      }
      break;
    case ParameterInfo::Kind::Constant:
      if (argument.kind != Argument::Kind::Scalar) {
        valid_ = false;
        return;
      }
      *out++ = static_cast<uint64_t>(argument.scalar.kind);
      *out++ = argument.scalar.kind == ScalarArgument::Kind::Type ? static_cast<uint64_t>(argument.scalar.dtype)
                                                                  : argument.scalar.unsignedInteger;
      break;
    }
  }
  if (!tensors) {
    words_[1] |= static_cast<uint64_t>(device) << 32;
  }
  size_ = static_cast<size_t>(out - words_);
  hash_ = hashWords(words_, size_);
}

size_t LaunchTable::probe(uint64_t hash, const uint64_t *words, size_t size) const {
  size_t mask = slots_.size() - 1;
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot &slot = slots_[at];
    if (!slot.plan || (slot.hash == hash && slot.size == size && sameWords(slot.words.get(), words, size))) {
      return at;
    }
  }
}

std::shared_ptr<const Plan> LaunchTable::find(const LaunchKey &key) const {
  if (slots_.empty()) {
    return nullptr;
  }
  return slots_[probe(key.hash(), key.words(), key.size())].plan;
}

void LaunchTable::insert(const LaunchKey &key, std::shared_ptr<const Plan> plan) {
  if (count_ >= kMaxPlans) {
    clear();
  }
  if (slots_.empty() || (count_ + 1) * 2 > slots_.size()) {
    grow();
  }
  Slot &slot = slots_[probe(key.hash(), key.words(), key.size())];
  if (!slot.plan) {
    slot.hash = key.hash();
    slot.size = key.size();
    slot.words = std::make_unique<uint64_t[]>(key.size());
    std::memcpy(slot.words.get(), key.words(), key.size() * 8);
    ++count_;
  }
  slot.plan = std::move(plan);
}

void LaunchTable::clear() {
  slots_.clear();
  count_ = 0;
}

void LaunchTable::grow() {
  std::vector<Slot> old = std::move(slots_);
  slots_ = std::vector<Slot>(old.empty() ? 8 : old.size() * 2);
  for (Slot &slot : old) {
    if (slot.plan) {
      slots_[probe(slot.hash, slot.words.get(), slot.size)] = std::move(slot);
    }
  }
}

} // namespace phobos::runtime
