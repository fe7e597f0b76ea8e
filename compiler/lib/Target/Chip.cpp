// The chip table and look-ups in it.
#include "phobos/Target/Chip.h"

namespace phobos::target {

static const Chip kChips[] = {
#define PHOBOS_CHIP(number, name, ptx, limits, features) Chip{number, name, ptx, limits, (features)},
#include "phobos/Target/Chips.def"
};

llvm::ArrayRef<Chip> chips() { return kChips; }

const Chip *findChip(llvm::StringRef name) {
  for (const Chip &chip : kChips) {
    if (chip.name == name) {
      return &chip;
    }
  }
  return nullptr;
}

std::string unknownChipMessage(llvm::StringRef name) {
  const Chip *nearest = nullptr;
  unsigned nearestDistance = 3; // beyond that a hint would be a guess
  for (const Chip &chip : kChips) {
    if (chip.name.drop_back() == name) { // sm_90, where only sm_90a has what we use
      nearest = &chip;
      break;
    }
    unsigned distance = name.edit_distance_insensitive(chip.name, /*AllowReplacements=*/true, nearestDistance);
    if (distance < nearestDistance) {
      nearest = &chip;
      nearestDistance = distance;
    }
  }
  std::string text = "unknown chip '" + name.str() + "'";
  if (nearest) {
    text += "; did you mean '" + nearest->name.str() + "'?";
  }
  text += nearest ? " Supported: " : "; supported: ";
  for (const Chip &chip : kChips) {
    text += (&chip == kChips ? "" : ", ") + chip.name.str();
  }
  return text;
}

} // namespace phobos::target
