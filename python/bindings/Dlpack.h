// DLPack's C structures, as its specification lays them out (version 1.2): how arrays of other libraries describe
// themselves. Only what is read here.
#pragma once

#include <cstdint>

namespace phobos::dlpack {

inline constexpr const char *kExchangeApiAttribute = "__dlpack_c_exchange_api__";
inline constexpr const char *kExchangeApiCapsule = "dlpack_exchange_api";
inline constexpr const char *kCapsule = "dltensor", *kUsedCapsule = "used_dltensor";
inline constexpr const char *kVersionedCapsule = "dltensor_versioned",
                            *kUsedVersionedCapsule = "used_dltensor_versioned";
inline constexpr uint32_t kMajorVersion = 1;
inline constexpr uint64_t kReadOnlyFlag = 1;

struct Device {
  int32_t type;
  int32_t index;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  DataType dtype;
  int64_t *extents;
  int64_t *strides; // in elements; may be null before DLPack 1.2: C order
  uint64_t byteOffset;
};

struct ManagedTensor {
  Tensor tensor;
  void *context;
  void (*deleter)(ManagedTensor *);
};

struct Version {
  uint32_t major, minor;
};

struct ManagedTensorVersioned {
  Version version;
  void *context;
  void (*deleter)(ManagedTensorVersioned *);
  uint64_t flags;
  Tensor tensor;
};

struct ExchangeApiHeader {
  Version version;
  ExchangeApiHeader *previous; // an older table, or null
};

/// A table that an array type carries: its arrays as Tensor without any Python object in between, and its current
/// stream. Objects are PyObject *. 0 is success; otherwise a Python exception is set.
struct ExchangeApi {
  ExchangeApiHeader header;
  void *allocate;
  int (*toManaged)(void *object, ManagedTensorVersioned **out);
  int (*fromManaged)(ManagedTensorVersioned *tensor, void **out);
  int (*toTensor)(void *object, Tensor *out); // borrowed until control returns to Python; may be null
  int (*currentStream)(int32_t deviceType, int32_t deviceIndex, void **out);
};

} // namespace phobos::dlpack
