// One place out of a nest of locations.
#include "phobos/Conversion/Places.h"

using namespace mlir;

namespace phobos {

FileLineColLoc placeOf(Location location) {
  if (auto place = dyn_cast<FileLineColLoc>(location)) {
    return place;
  }
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    return placeOf(call.getCallee());
  }
  if (auto name = dyn_cast<NameLoc>(location)) {
    return placeOf(name.getChildLoc());
  }
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations()) {
      if (FileLineColLoc place = placeOf(part)) {
        return place;
      }
    }
  }
  return {};
}

} // namespace phobos
