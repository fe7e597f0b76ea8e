// The array protocols; see Arrays.h.
#include "Arrays.h"

#include "Values.h"

#include "phobos/runtime/Device.h"

#include <algorithm>
#include <cstring>

namespace phobos::python {

using runtime::Access;
using runtime::Argument;
using runtime::DeviceType;
using runtime::ScalarArgument;
using runtime::TensorArgument;

namespace {

constexpr uint8_t kSigned = 0, kUnsigned = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6; // DLDataTypeCode

/// What a type of arrays offers, asked once for each type.
struct ArrayType {
  PyTypeObject *type; // kept alive
  const dlpack::ExchangeApi *api;
  bool torchLike;
};

const dlpack::ExchangeApi *exchangeApiOf(PyTypeObject *type) {
  Ref capsule(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), dlpack::kExchangeApiAttribute));
  void *found = capsule ? PyCapsule_GetPointer(capsule.get(), dlpack::kExchangeApiCapsule) : nullptr;
  PyErr_Clear();
  auto *header = static_cast<dlpack::ExchangeApiHeader *>(found);
  while (header && header->version.major != dlpack::kMajorVersion) {
    header = header->previous;
  }
  auto *api = reinterpret_cast<const dlpack::ExchangeApi *>(header);
  return api && api->toTensor && api->currentStream ? api : nullptr;
}

bool isTorchTensor(PyTypeObject *type) {
  // A subclass counts: some type that it derives from is torch.Tensor.
  PyObject *bases = type->tp_mro;
  for (Py_ssize_t i = 0; bases && i < PyTuple_GET_SIZE(bases); ++i) {
    auto *base = reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(bases, i));
    if (std::strcmp(base->tp_name, "Tensor") == 0 || std::strcmp(base->tp_name, "torch.Tensor") == 0) {
      Ref module(PyObject_GetAttrString(reinterpret_cast<PyObject *>(base), "__module__"));
      PyErr_Clear();
      if (module && PyUnicode_Check(module.get()) && PyUnicode_CompareWithASCIIString(module.get(), "torch") == 0) {
        return true;
      }
    }
  }
  return false;
}

/// By value: asking may run Python code, which may come here again.
ArrayType arrayTypeOf(PyTypeObject *type) {
  constexpr size_t kMaxKnown = 64; // a process has a handful; classes made on the fly are asked each time
  static std::vector<ArrayType> &known = *new std::vector<ArrayType>; // guarded by the GIL
  for (const ArrayType &entry : known) {
    if (entry.type == type) {
      return entry;
    }
  }
  ArrayType entry{type, exchangeApiOf(type), isTorchTensor(type)};
  if (known.size() < kMaxKnown) {
    Py_INCREF(type);
    known.push_back(entry);
  }
  return entry;
}

void fill(Argument &out, const dlpack::Tensor &tensor) {
  out.kind = Argument::Kind::Tensor;
  out.tensor = {static_cast<char *>(tensor.data) + tensor.byteOffset,
                tensor.extents,
                tensor.strides,
                tensor.rank,
                tensor.dtype.code,
                tensor.dtype.bits,
                tensor.dtype.lanes,
                static_cast<DeviceType>(tensor.device.type),
                tensor.device.index,
                Access::Writable};
}

bool has(PyObject *object, const char *attribute) {
  return PyObject_HasAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)), attribute);
}

/// Ints of a sequence into `out`; false if there are not `count` of them.
bool readInts(PyObject *sequence, int64_t *out, Py_ssize_t count) {
  Ref fast(PySequence_Fast(sequence, ""));
  if (!fast || PySequence_Fast_GET_SIZE(fast.get()) != count) {
    PyErr_Clear();
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    out[i] = PyLong_AsLongLong(PySequence_Fast_GET_ITEM(fast.get(), i));
  }
  bool good = !PyErr_Occurred();
  PyErr_Clear();
  return good;
}

bool attributeInt(PyObject *object, const char *name, int64_t &out) {
  Ref value(PyObject_GetAttrString(object, name));
  out = value && PyLong_Check(value.get()) ? PyLong_AsLongLong(value.get()) : 0;
  bool good = value && PyLong_Check(value.get()) && !PyErr_Occurred();
  PyErr_Clear();
  return good;
}

bool torchDtype(PyObject *object, TensorArgument &tensor) {
  Ref dtype(PyObject_GetAttrString(object, "dtype"));
  Ref text(dtype ? PyObject_Str(dtype.get()) : nullptr);
  const char *name = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  PyErr_Clear();
  struct Row {
    const char *name;
    uint8_t code, bits;
  };
  static constexpr Row kRows[] = {
      {"torch.float32", kFloat, 32},    {"torch.float16", kFloat, 16},   {"torch.bfloat16", kBfloat, 16},
      {"torch.float64", kFloat, 64},    {"torch.int32", kSigned, 32},    {"torch.int64", kSigned, 64},
      {"torch.int16", kSigned, 16},     {"torch.int8", kSigned, 8},      {"torch.uint8", kUnsigned, 8},
      {"torch.uint16", kUnsigned, 16},  {"torch.uint32", kUnsigned, 32}, {"torch.uint64", kUnsigned, 64},
      {"torch.bool", kBool, 8},         {"torch.float8_e4m3fn", 10, 8},  {"torch.float8_e5m2", 12, 8},
      {"torch.complex64", kComplex, 64}};
  for (const Row &row : kRows) {
    if (name && std::strcmp(row.name, name) == 0) {
      tensor.typeCode = row.code;
      tensor.typeBits = row.bits;
      tensor.typeLanes = 1;
      return true;
    }
  }
  return false;
}

/// What a torch tensor alone says of itself: the exchange API has no word for it.
Access torchAccess(PyObject *object) {
  static PyObject *const requiresGrad = PyUnicode_InternFromString("requires_grad");
  Ref value(PyObject_GetAttr(object, requiresGrad));
  PyErr_Clear();
  return value.get() == Py_True ? Access::RequiresGrad : Access::Writable;
}

/// A torch tensor by its attributes, for versions without the exchange API and tensors that it refuses.
bool viaTorch(PyObject *object, Argument &out, Borrowed &borrowed) {
  TensorArgument tensor{};
  Ref shape(PyObject_GetAttrString(object, "shape"));
  Ref strides(PyObject_CallMethod(object, "stride", nullptr));
  Ref address(PyObject_CallMethod(object, "data_ptr", nullptr));
  Ref device(PyObject_GetAttrString(object, "device"));
  Ref kind(device ? PyObject_GetAttrString(device.get(), "type") : nullptr);
  const char *where = kind ? PyUnicode_AsUTF8(kind.get()) : nullptr;
  Py_ssize_t rank = shape ? PySequence_Size(shape.get()) : -1;
  PyErr_Clear();
  if (rank < 0 || !strides || !address || !where || !torchDtype(object, tensor)) {
    return false;
  }
  int64_t index = 0;
  attributeInt(device.get(), "index", index); // None on the CPU
  int64_t *room = borrowed.room(2 * static_cast<size_t>(rank));
  if (!readInts(shape.get(), room, rank) || !readInts(strides.get(), room + rank, rank)) {
    return false;
  }
  tensor.data = PyLong_AsVoidPtr(address.get());
  PyErr_Clear();
  tensor.extents = room;
  tensor.strides = room + rank;
  tensor.rank = static_cast<int32_t>(rank);
  tensor.deviceType = std::strcmp(where, "cuda") == 0 ? DeviceType::Cuda : DeviceType::Cpu;
  tensor.deviceIndex = static_cast<int32_t>(index);
  tensor.access = torchAccess(object);
  out.kind = Argument::Kind::Tensor;
  out.tensor = tensor;
  if (!borrowed.torchLike && tensor.deviceType == DeviceType::Cuda) {
    borrowed.torchLike = object;
  }
  return true;
}

/// "<f4" and the like.
bool parseTypestr(const char *text, TensorArgument &tensor) {
  if (!text || std::strlen(text) < 3 || text[0] == '>') {
    return false;
  }
  int bytes = std::atoi(text + 2);
  switch (text[1]) {
  case 'f':
    tensor.typeCode = kFloat;
    break;
  case 'i':
    tensor.typeCode = kSigned;
    break;
  case 'u':
    tensor.typeCode = kUnsigned;
    break;
  case 'b':
    tensor.typeCode = kBool;
    break;
  case 'c':
    tensor.typeCode = kComplex;
    break;
  default:
    return false; // 'V': bfloat16 and others that the interface has no letter for
  }
  tensor.typeBits = static_cast<uint8_t>(bytes * 8);
  tensor.typeLanes = 1;
  return bytes > 0 && bytes <= 16;
}

/// __cuda_array_interface__ and __array_interface__ are one dict, but for the device.
bool viaInterface(PyObject *object, const char *attribute, bool cuda, Argument &out, Borrowed &borrowed) {
  Ref interface(PyObject_GetAttrString(object, attribute));
  if (!interface || !PyDict_Check(interface.get())) {
    PyErr_Clear();
    return false;
  }
  auto item = [&](const char *name) {
    PyObject *value = PyDict_GetItemString(interface.get(), name);
    return value == Py_None ? nullptr : value;
  };
  PyObject *shape = item("shape"), *typestr = item("typestr"), *data = item("data"), *strides = item("strides");
  TensorArgument tensor{};
  if (!shape || !PyTuple_Check(shape) || !typestr || !PyUnicode_Check(typestr) || !data || !PyTuple_Check(data) ||
      PyTuple_GET_SIZE(data) < 1 || !parseTypestr(PyUnicode_AsUTF8(typestr), tensor)) {
    return false;
  }
  Py_ssize_t rank = PyTuple_GET_SIZE(shape);
  int64_t *room = borrowed.room(2 * static_cast<size_t>(rank));
  if (!readInts(shape, room, rank) || (strides && !readInts(strides, room + rank, rank))) {
    return false;
  }
  int64_t bytes = tensor.typeBits / 8;
  for (Py_ssize_t i = 0; strides && i < rank; ++i) {
    if (room[rank + i] % bytes != 0) {
      return false; // a field of a record: not an array of elements
    }
    room[rank + i] /= bytes;
  }
  tensor.data = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0));
  bool readOnly = PyTuple_GET_SIZE(data) > 1 && PyObject_IsTrue(PyTuple_GET_ITEM(data, 1)) == 1;
  tensor.access = readOnly ? Access::ReadOnly : Access::Writable;
  PyErr_Clear();
  tensor.extents = room;
  tensor.strides = strides ? room + rank : nullptr;
  tensor.rank = static_cast<int32_t>(rank);
  tensor.deviceType = cuda ? DeviceType::Cuda : DeviceType::Cpu;
  if (cuda) { // the interface does not say which device
    int device = tensor.data ? runtime::cudaDeviceOfPointer(tensor.data) : runtime::cudaCurrentDevice();
    tensor.deviceIndex = device < 0 ? 0 : device;
    if (PyObject *stream = item("stream"); stream && PyLong_Check(stream) && !borrowed.streamKnown) {
      borrowed.stream = PyLong_AsVoidPtr(stream);
      borrowed.streamKnown = true;
      PyErr_Clear();
    }
  }
  out.kind = Argument::Kind::Tensor;
  out.tensor = tensor;
  return true;
}

/// __dlpack__. The producer is told our stream, the legacy default, and orders its own work before it.
bool viaDlpack(PyObject *object, Argument &out, Borrowed &borrowed) {
  Ref device(PyObject_CallMethod(object, "__dlpack_device__", nullptr));
  long kind = 0;
  if (device && PyTuple_Check(device.get()) && PyTuple_GET_SIZE(device.get()) == 2) {
    Ref number(PyNumber_Long(PyTuple_GET_ITEM(device.get(), 0)));
    kind = number ? PyLong_AsLong(number.get()) : 0;
  }
  PyErr_Clear();
  Ref method(PyObject_GetAttrString(object, "__dlpack__"));
  if (!method) {
    PyErr_Clear();
    return false;
  }
  Ref nothing(PyTuple_New(0));
  Ref keywords(kind == static_cast<long>(DeviceType::Cuda) ? Py_BuildValue("{s:i}", "stream", 1) : PyDict_New());
  Ref capsule(nothing && keywords ? PyObject_Call(method.get(), nothing.get(), keywords.get()) : nullptr);
  PyErr_Clear();
  if (!capsule) {
    return false;
  }
  if (PyCapsule_IsValid(capsule.get(), dlpack::kVersionedCapsule)) {
    auto *managed =
        static_cast<dlpack::ManagedTensorVersioned *>(PyCapsule_GetPointer(capsule.get(), dlpack::kVersionedCapsule));
    PyCapsule_SetName(capsule.get(), dlpack::kUsedVersionedCapsule);
    borrowed.versioned.push_back(managed);
    if (managed->version.major != dlpack::kMajorVersion) {
      return false; // of a layout that is not known; its deleter is in a known place
    }
    fill(out, managed->tensor);
    out.tensor.access = managed->flags & dlpack::kReadOnlyFlag ? Access::ReadOnly : Access::Writable;
    return true;
  }
  if (PyCapsule_IsValid(capsule.get(), dlpack::kCapsule)) {
    auto *managed = static_cast<dlpack::ManagedTensor *>(PyCapsule_GetPointer(capsule.get(), dlpack::kCapsule));
    PyCapsule_SetName(capsule.get(), dlpack::kUsedCapsule);
    borrowed.managed.push_back(managed);
    fill(out, managed->tensor);
    return true;
  }
  return false;
}

/// The type, and what else may be the reason that an array is none to us.
std::string describe(PyObject *object) {
  std::string text = Py_TYPE(object)->tp_name;
  Ref dtype(PyObject_GetAttrString(object, "dtype"));
  Ref spelled(dtype ? PyObject_Str(dtype.get()) : nullptr);
  if (const char *name = spelled ? PyUnicode_AsUTF8(spelled.get()) : nullptr) {
    text += std::string(" with dtype ") + name;
  }
  int64_t bytes = 0;
  Ref strides(dtype ? PyObject_GetAttrString(object, "strides") : nullptr);
  if (strides && PyTuple_Check(strides.get()) && attributeInt(object, "itemsize", bytes) && bytes > 0) {
    std::vector<int64_t> steps(PyTuple_GET_SIZE(strides.get()));
    bool whole = readInts(strides.get(), steps.data(), PyTuple_GET_SIZE(strides.get())) &&
                 std::ranges::all_of(steps, [&](int64_t step) { return step % bytes == 0; });
    text += whole ? "" : " and strides that are no whole elements";
  }
  PyErr_Clear();
  return text;
}

void refuse(PyObject *object, Argument &out, Borrowed &borrowed) {
  out.kind = Argument::Kind::Other;
  out.typeName = borrowed.keep(describe(object));
}

} // namespace

Borrowed::~Borrowed() {
  if (managed.empty() && versioned.empty()) [[likely]] {
    return;
  }
  // A deleter may run Python code, which must not meet the exception of a launch that was refused.
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  for (dlpack::ManagedTensor *tensor : managed) {
    if (tensor->deleter) {
      tensor->deleter(tensor);
    }
  }
  for (dlpack::ManagedTensorVersioned *tensor : versioned) {
    if (tensor->deleter) {
      tensor->deleter(tensor);
    }
  }
  PyErr_Restore(type, value, trace);
}

const char *Borrowed::keep(std::string text) {
  texts_.push_back(std::make_unique<std::string>(std::move(text)));
  return texts_.back()->c_str();
}

int64_t *Borrowed::room(size_t count) {
  rooms_.push_back(std::make_unique<int64_t[]>(count + 1));
  return rooms_.back().get();
}

void toArray(PyObject *object, Argument &out, Borrowed &borrowed) {
  const ArrayType type = arrayTypeOf(Py_TYPE(object));
  if (type.api) [[likely]] {
    dlpack::Tensor tensor;
    if (type.api->toTensor(object, &tensor) == 0) [[likely]] {
      fill(out, tensor);
      if (type.torchLike) {
        out.tensor.access = torchAccess(object);
      }
      if (!borrowed.api && tensor.device.type == static_cast<int32_t>(DeviceType::Cuda)) {
        borrowed.api = type.api;
      }
      return;
    }
    PyErr_Clear();
  }
  if (PyLong_Check(object) || PyFloat_Check(object)) {
    return toScalar(object, out, borrowed);
  }
  if (!(type.torchLike && viaTorch(object, out, borrowed)) &&
      !viaInterface(object, "__cuda_array_interface__", true, out, borrowed) && !viaDlpack(object, out, borrowed) &&
      !viaInterface(object, "__array_interface__", false, out, borrowed)) {
    refuse(object, out, borrowed);
  }
}

void toScalar(PyObject *object, Argument &out, Borrowed &borrowed) {
  ScalarArgument &scalar = out.scalar;
  out.kind = Argument::Kind::Scalar;
  if (PyFloat_Check(object)) {
    scalar.kind = ScalarArgument::Kind::Float;
    scalar.real = PyFloat_AS_DOUBLE(object);
    return;
  }
  if (PyBool_Check(object)) {
    scalar.kind = ScalarArgument::Kind::Bool;
    scalar.integer = object == Py_True;
    return;
  }
  if (PyLong_Check(object)) {
    int overflow = 0;
    scalar.kind = ScalarArgument::Kind::Int;
    scalar.integer = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow > 0) {
      scalar.kind = ScalarArgument::Kind::Unsigned;
      scalar.unsignedInteger = PyLong_AsUnsignedLongLong(object);
      overflow = PyErr_Occurred() ? 1 : 0;
      PyErr_Clear();
    }
    if (overflow) {
      out.kind = Argument::Kind::Other;
      out.typeName = "int (of more than 64 bits)";
    }
    return;
  }
  if (auto dtype = toDType(object)) {
    scalar.kind = ScalarArgument::Kind::Type;
    scalar.dtype = *dtype;
    return;
  }
  // An array of no dimensions would have to be waited for: that is the caller's to say.
  if (has(object, "__dlpack__") || has(object, "__cuda_array_interface__")) {
    return toArray(object, out, borrowed);
  }
  // NumPy's scalars, and whatever else acts as a number.
  if (std::strncmp(Py_TYPE(object)->tp_name, "numpy.bool", 10) == 0) {
    scalar.kind = ScalarArgument::Kind::Bool;
    scalar.integer = PyObject_IsTrue(object) == 1;
    return;
  }
  Ref number(PyIndex_Check(object)                                                      ? PyNumber_Index(object)
             : Py_TYPE(object)->tp_as_number && Py_TYPE(object)->tp_as_number->nb_float ? PyNumber_Float(object)
                                                                                        : nullptr);
  PyErr_Clear();
  if (number) {
    return toScalar(number.get(), out, borrowed);
  }
  refuse(object, out, borrowed);
}

bool toStream(PyObject *object, void *&stream) {
  stream = nullptr;
  if (object == Py_None) {
    return true;
  }
  int64_t value = 0;
  if (PyLong_Check(object)) {
    stream = PyLong_AsVoidPtr(object);
    return !PyErr_Occurred();
  }
  for (const char *name : {"cuda_stream", "ptr", "handle"}) { // torch; CuPy; Numba and cuda.core
    if (attributeInt(object, name, value)) {
      stream = reinterpret_cast<void *>(value);
      return true;
    }
  }
  Ref protocol(PyObject_CallMethod(object, "__cuda_stream__", nullptr)); // (version, handle)
  PyErr_Clear();
  if (protocol && PyTuple_Check(protocol.get()) && PyTuple_GET_SIZE(protocol.get()) == 2) {
    stream = PyLong_AsVoidPtr(PyTuple_GET_ITEM(protocol.get(), 1));
    return !PyErr_Occurred();
  }
  PyErr_Format(PyExc_TypeError, "stream: expected an int, a torch.cuda.Stream or a cupy.cuda.Stream, got %s",
               Py_TYPE(object)->tp_name);
  return false;
}

bool currentStream(const Borrowed &borrowed, int device, void *&stream) {
  stream = nullptr;
  if (borrowed.api) [[likely]] {
    return borrowed.api->currentStream(static_cast<int32_t>(DeviceType::Cuda), device, &stream) == 0;
  }
  if (borrowed.torchLike) {
    Ref cuda(PyImport_ImportModule("torch.cuda"));
    Ref current(cuda ? PyObject_CallMethod(cuda.get(), "current_stream", "i", device) : nullptr);
    return current && toStream(current.get(), stream);
  }
  stream = borrowed.stream;
  return true;
}

} // namespace phobos::python
