// The module phobos._phobos: the C types of a launch, and thin functions over the runtime and the compiler.
#include "Captures.h"
#include "KernelObject.h"
#include "Values.h"

#include "phobos/Driver/Compiler.h"
#include "phobos/runtime/Device.h"
#include "phobos/runtime/DiskCache.h"
#include "phobos/runtime/ProfileStore.h"
#include "phobos/runtime/SimulateModule.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace phobos::python {
namespace {

using runtime::Argument;
using runtime::Call;

/// Calls made through pybind11 report failures by C++ exceptions.
template <typename T> T orThrow(runtime::Result<T> result) {
  if (!result) {
    raise(result.error());
    throw py::error_already_set();
  }
  if constexpr (!std::is_void_v<T>) {
    return std::move(*result);
  }
}

void orThrow(bool good) {
  if (!good) {
    throw py::error_already_set();
  }
}

KernelObject &kernelOf(const py::object &object) {
  KernelObject *kernel = readyKernel(object.ptr());
  orThrow(kernel != nullptr);
  return *kernel;
}

py::object steal(PyObject *object) {
  orThrow(object != nullptr);
  return py::reinterpret_steal<py::object>(object);
}

/// Arguments of a call into a frame; `values` and `names` must live as long.
void collectCall(KernelObject &kernel, const py::tuple &args, const py::dict &keywords, CallFrame &frame,
                 std::vector<PyObject *> &values, py::tuple &names) {
  for (py::handle value : args) {
    values.push_back(value.ptr());
  }
  py::list found;
  for (auto item : keywords) {
    found.append(item.first);
    values.push_back(item.second.ptr());
  }
  names = py::tuple(found);
  orThrow(collect(&kernel, values.data(), args.size(), names.empty() ? nullptr : names.ptr(), frame));
  orThrow(capturesUnchanged(*kernel.state) || refreshCaptures(&kernel));
}

py::dict describe(const py::object &object) {
  KernelObject &kernel = kernelOf(object);
  orThrow(capturesUnchanged(*kernel.state) || refreshCaptures(&kernel));
  auto signature = orThrow(kernel.state->kernel->signature(kernel.state->captureSet));
  const KernelInfo &info = signature->info();
  py::list parameters, promises;
  for (const ParameterInfo &parameter : info.parameters) {
    py::list dims;
    for (const DimInfo &dim : parameter.dims) {
      dims.append(dim.name.empty() ? py::object(py::int_(dim.extent)) : py::object(py::str(dim.name)));
    }
    const char *kind = parameter.kind == ParameterInfo::Kind::Tensor   ? "tensor"
                       : parameter.kind == ParameterInfo::Kind::Scalar ? "scalar"
                                                                       : "const";
    parameters.append(py::dict(py::arg("name") = parameter.name, py::arg("kind") = kind,
                               py::arg("dtype") = std::string(name(parameter.dtype)),
                               py::arg("dims") = py::tuple(dims)));
  }
  for (const PromiseInfo &promise : info.promises) {
    promises.append(py::make_tuple(promise.dim, promise.constant.empty() ? py::object(py::int_(promise.multiple))
                                                                         : py::object(py::str(promise.constant))));
  }
  py::dict space;
  for (const TunedConstant &tuned : info.space) {
    py::list candidates;
    for (const ConstantValue &value : tuned.candidates) {
      candidates.append(steal(fromConstant(value)));
    }
    space[py::str(tuned.name)] = candidates;
  }
  return py::dict(py::arg("name") = info.name, py::arg("line") = info.line, py::arg("parameters") = parameters,
                  py::arg("dims") = info.dims, py::arg("space") = space, py::arg("when") = info.when,
                  py::arg("key") = info.key, py::arg("promises") = promises, py::arg("captures") = info.captures);
}

std::string defaultChip() {
  if (std::string forced = runtime::chipOverride(); !forced.empty()) {
    return forced;
  }
  auto target = runtime::currentTarget();
  bool host = target && *target == runtime::Target::Host;
  auto device = runtime::targetDevice(host ? 0 : runtime::cudaCurrentDevice());
  return device ? (*device)->chip() : CompileOptions().chip;
}

/// A compiled kernel that nothing is launched with; the text of the phases is made when it is asked for.
struct Compiled {
  std::shared_ptr<runtime::Kernel> kernel;
  runtime::CompileRequest request;
  Artifact artifact;

  py::dict phases(const std::vector<std::string> &names) const {
    CompileOptions options;
    options.keep = names;
    Artifact again = orThrow([&] {
      py::gil_scoped_release released;
      return kernel->compile(request, options);
    }());
    return py::cast(again.phases);
  }

  py::dict resources() const {
    const Resources &r = artifact.resources;
    return py::dict(py::arg("registers") = r.registers,
                    py::arg("shared_bytes") = r.staticSharedBytes + r.dynamicSharedBytes,
                    py::arg("spill_store_bytes") = r.spillStoreBytes, py::arg("spill_load_bytes") = r.spillLoadBytes,
                    py::arg("stack_bytes") = r.stackBytes, py::arg("threads") = artifact.contract.threads);
  }

  py::dict timings() const {
    py::dict dict;
    for (const PhaseTiming &phase : artifact.timings) {
      dict[py::str(phase.name)] = phase.milliseconds;
    }
    return dict;
  }
};

/// What to compile for these arguments: arrays and scalars are all given, or none is and the code is for any; const
/// parameters stand for themselves.
std::unique_ptr<Compiled> prepare(const py::object &object, const py::tuple &args, const py::dict &keywords,
                                  const std::string &chip) {
  KernelObject &kernel = kernelOf(object);
  CallFrame frame;
  std::vector<PyObject *> values;
  py::tuple names;
  collectCall(kernel, args, keywords, frame, values, names);

  const std::vector<ParameterInfo> &parameters = kernel.state->kernel->info().parameters;
  bool withArguments = false;
  Constants constants;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (frame.arguments[i].kind == Argument::Kind::Missing) {
      continue;
    }
    bool isDefault = frame.objects[i] == kernel.state->defaults[i].get();
    if (parameters[i].kind != ParameterInfo::Kind::Constant) {
      withArguments |= !isDefault;
    } else if (auto value = toConstant(frame.objects[i])) {
      constants.emplace_back(parameters[i].name, std::move(*value));
    }
  }
  Call call = frame.call(kernel);
  if (!withArguments) {
    call.arguments = nullptr;
  }
  auto prepared = std::make_unique<Compiled>();
  prepared->kernel = kernel.state->kernel;
  prepared->request = orThrow([&] {
    py::gil_scoped_release released;
    return prepared->kernel->request(call, constants, chip.empty() ? defaultChip() : chip);
  }());
  return prepared;
}

std::unique_ptr<Compiled> compile(const py::object &object, const py::tuple &args, const py::dict &keywords,
                                  const std::string &chip, bool verify, bool timing) {
  std::unique_ptr<Compiled> compiled = prepare(object, args, keywords, chip);
  CompileOptions options;
  options.verifyEach = verify;
  options.timing = timing;
  options.remarks = true;
  compiled->artifact = orThrow([&] {
    py::gil_scoped_release released;
    return compiled->kernel->compile(compiled->request, options);
  }());
  return compiled;
}

/// The text of one phase, in MLIR's generic form if `generic`; nothing after it is made.
std::string lower(const py::object &object, const py::tuple &args, const py::dict &keywords, const std::string &chip,
                  const std::string &phase, bool generic) {
  std::unique_ptr<Compiled> prepared = prepare(object, args, keywords, chip);
  CompileOptions options;
  options.stopAfter = phase;
  options.keep = {phase};
  options.generic = generic;
  Artifact artifact = orThrow([&] {
    py::gil_scoped_release released;
    return prepared->kernel->compile(prepared->request, options);
  }());
  return artifact.phases.at(phase);
}

/// Median milliseconds of one call of `function`, which is given the stream to work on.
double timeFunction(const py::object &function, int device, bool graph, uintptr_t stream) {
  std::exception_ptr thrown;
  auto call = [&](void *on) -> runtime::Status {
    py::gil_scoped_acquire held;
    try {
      function(reinterpret_cast<uintptr_t>(on));
      return {};
    } catch (...) {
      thrown = std::current_exception();
      return runtime::Error::launch("error: the function being timed raised an exception\n");
    }
  };
  auto run = [&]() -> runtime::Result<double> {
    py::gil_scoped_release released;
    auto found = runtime::targetDevice(device);
    if (!found) {
      return found.error();
    }
    void *on = reinterpret_cast<void *>(stream);
    return graph ? (*found)->time(call) : (*found)->timeCalls(on, [&] { return call(on); });
  };
  auto time = run();
  if (!time && thrown) {
    std::rethrow_exception(thrown);
  }
  return orThrow(std::move(time));
}

py::object best(const py::object &object, const py::tuple &args, const py::dict &keywords, const py::object &grid) {
  KernelObject &kernel = kernelOf(object);
  CallFrame frame;
  std::vector<PyObject *> values;
  py::tuple names;
  collectCall(kernel, args, keywords, frame, values, names);
  py::object launcher = grid.is_none() ? py::object() : object[grid];
  auto *given = reinterpret_cast<LauncherObject *>(launcher ? launcher.ptr() : nullptr);
  void *stream = nullptr;
  orThrow(currentStream(frame.borrowed, frame.device, stream));
  auto plan = coldPlan(&kernel, frame, given ? given : kernel.launcher, stream);
  orThrow(plan != nullptr);
  Constants tuned;
  for (const TunedConstant &constant : kernel.state->kernel->info().space) {
    if (const ConstantValue *value = runtime::findConstant(plan->constants, constant.name)) {
      tuned.emplace_back(constant.name, *value);
    }
  }
  return steal(fromConstants(tuned));
}

py::list variants(const py::object &object) {
  std::shared_ptr<runtime::Kernel> kernel = kernelOf(object).state->kernel;
  std::vector<runtime::VariantInfo> infos;
  {
    py::gil_scoped_release released;
    infos = kernel->variants();
  }
  py::list list;
  for (const runtime::VariantInfo &info : infos) {
    list.append(py::dict(py::arg("constants") = steal(fromConstants(info.constants)), py::arg("chip") = info.chip,
                         py::arg("registers") = info.registers, py::arg("shared_bytes") = info.sharedBytes,
                         py::arg("spill_bytes") = info.spillBytes, py::arg("from_disk") = info.fromDisk));
  }
  return list;
}

py::list devices() {
  std::vector<runtime::DeviceInfo> infos;
  {
    py::gil_scoped_release released;
    infos = runtime::cudaDevices();
  }
  py::list list;
  for (const runtime::DeviceInfo &info : infos) {
    list.append(py::dict(py::arg("index") = info.ordinal, py::arg("name") = info.name, py::arg("chip") = info.chip,
                         py::arg("capability") = py::make_tuple(info.major, info.minor),
                         py::arg("memory_bytes") = info.memoryBytes, py::arg("multiprocessors") = info.multiprocessors,
                         py::arg("shared_bytes_per_block") = info.sharedBytesPerBlock));
  }
  return list;
}

/// Which checks, which seed, whose code: as the simulator has it now.
py::dict simulatorSettings() {
  runtime::SimulatorSettings s = orThrow(runtime::simulatorSettings());
  return py::dict(py::arg("check") = runtime::checkNames(s), py::arg("seed") = s.seed, py::arg("profile") = s.profile,
                  py::arg("arch") = s.chip);
}

void setSimulatorSettings(const std::string &check, uint64_t seed, bool profile, const std::string &arch) {
  runtime::SimulatorSettings s;
  orThrow(runtime::parseChecks(check, s));
  s.seed = seed;
  s.profile = profile;
  s.chip = arch;
  orThrow(runtime::setSimulatorSettings(s));
}

/// Counts since the last call: a dict for each kernel and line that has any.
py::list takeProfile() {
  py::list list;
  for (const runtime::ProfileLine &line : runtime::takeProfile()) {
    const host::SiteCounts &c = line.counts;
    py::dict instructions;
    for (size_t i = 0; i < line.instructions.size(); ++i) {
      if (line.instructions[i]) {
        instructions[runtime::instructionClassNames()[i]] = line.instructions[i];
      }
    }
    list.append(py::dict(py::arg("kernel") = line.kernel, py::arg("file") = line.file, py::arg("line") = line.line,
                         py::arg("instructions") = instructions, py::arg("global_accesses") = c.globalAccesses,
                         py::arg("sectors") = c.sectors, py::arg("ideal_sectors") = c.idealSectors,
                         py::arg("shared_accesses") = c.sharedAccesses, py::arg("wavefronts") = c.wavefronts,
                         py::arg("ideal_wavefronts") = c.idealWavefronts, py::arg("barriers") = c.barriers));
  }
  return list;
}

std::string currentTarget() {
  auto target = [] {
    py::gil_scoped_release released;
    return runtime::currentTarget();
  }();
  return orThrow(std::move(target)) == runtime::Target::Host ? "host" : "cuda";
}

/// Has a signal come whose handler raises? Python runs handlers on its main thread only.
bool signalPending() {
  WithGil held;
  return PyErr_CheckSignals() != 0;
}

/// To Python's own standard output, which a notebook or a test may have put elsewhere. False: that raised, as for a
/// signal.
bool printToPython(std::string_view text) {
  WithGil held;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace); // of an interrupt before: it is raised when all is printed
  auto unicode = steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  PyObject *stream = PySys_GetObject("stdout"); // borrowed; None under pythonw
  bool closed = !stream || stream == Py_None;
  bool good = unicode && (closed || PyFile_WriteObject(unicode.ptr(), stream, Py_PRINT_RAW) == 0);
  if (type) {
    PyErr_Restore(type, value, trace);
  }
  return good;
}

/// A kernel in the llvm and nvvm dialects on the simulator. Arguments: arrays in this machine's memory, whose addresses
/// the kernel is given, or bytes, which are a parameter's value.
void simulateModule(const std::string &mlir, const std::string &entry, const std::vector<uint32_t> &grid,
                    const std::vector<uint32_t> &block, const py::list &arguments, unsigned dynamicSharedBytes) {
  runtime::ModuleLaunch launch;
  launch.mlir = mlir;
  launch.entry = entry;
  launch.grid = {grid.at(0), grid.at(1), grid.at(2)};
  launch.block = {block.at(0), block.at(1), block.at(2)};
  launch.dynamicSharedBytes = dynamicSharedBytes;
  launch.settings = orThrow(runtime::simulatorSettings());
  Borrowed borrowed;
  for (py::handle given : arguments) {
    if (py::isinstance<py::bytes>(given)) {
      auto text = given.cast<std::string>();
      launch.parameters.emplace_back(text.begin(), text.end());
      continue;
    }
    Argument argument;
    toArray(given.ptr(), argument, borrowed);
    if (argument.kind != Argument::Kind::Tensor || argument.tensor.deviceType != runtime::DeviceType::Cpu) {
      throw py::type_error("expected bytes or an array in this machine's memory");
    }
    const runtime::TensorArgument &tensor = argument.tensor;
    auto *address = reinterpret_cast<unsigned char *>(&argument.tensor.data);
    launch.parameters.emplace_back(address, address + sizeof tensor.data);
    host::TensorRange range{"argument " + std::to_string(launch.parameters.size() - 1),
                            static_cast<uint8_t *>(tensor.data), tensor.typeBits / 8u,
                            static_cast<uint32_t>(tensor.rank)};
    int64_t compact = 1;
    for (int axis = tensor.rank - 1; axis >= 0; --axis) {
      range.extents[axis] = tensor.extents[axis];
      range.strides[axis] = tensor.strides ? tensor.strides[axis] : compact;
      compact *= tensor.extents[axis];
    }
    launch.tensors.push_back(std::move(range));
  }
  orThrow([&] {
    py::gil_scoped_release released;
    return runtime::simulateModule(launch);
  }());
}

py::dict cacheSettings() {
  runtime::DiskCache cache(runtime::DiskCache::settingsFromEnvironment());
  return py::dict(py::arg("usable") = cache.usable(), py::arg("folder") = cache.folder(),
                  py::arg("why_off") = cache.whyOff());
}

} // namespace
} // namespace phobos::python

PYBIND11_MODULE(_phobos, module) {
  using namespace phobos::python;
  module.doc() = "Phobos' compiler and runtime. Use phobos and phobos.lang.";
  if (!addTypes(module.ptr())) {
    throw py::error_already_set();
  }
  module.def("describe", &describe, "The signature of a kernel, as plain data.");
  py::class_<Compiled>(module, "Compiled")
      .def("phases", &Compiled::phases)
      .def_property_readonly("chip", [](const Compiled &c) { return c.request.chip; })
      .def_property_readonly("ptx", [](const Compiled &c) { return c.artifact.ptx; })
      .def_property_readonly("cubin", [](const Compiled &c) { return py::bytes(c.artifact.cubin); })
      .def_property_readonly("remarks", [](const Compiled &c) { return c.artifact.remarks; })
      .def_property_readonly("log", [](const Compiled &c) { return c.artifact.log; })
      .def_property_readonly("constants", [](const Compiled &c) { return steal(fromConstants(c.request.constants)); })
      .def_property_readonly(
          "contract", [](const Compiled &c) { return phobos::toJson(c.artifact.contract, c.artifact.resources); })
      .def_property_readonly("resources", &Compiled::resources)
      .def_property_readonly("timings", &Compiled::timings);
  module.def("compile", &compile, py::arg("kernel"), py::arg("args"), py::arg("keywords"), py::arg("chip"),
             py::arg("verify") = false, py::arg("timing") = false);
  module.def("lower", &lower, py::arg("kernel"), py::arg("args"), py::arg("keywords"), py::arg("chip"),
             py::arg("phase"), py::arg("generic"));
  module.def("time", &timeFunction, py::arg("function"), py::arg("device"), py::arg("graph"), py::arg("stream"));
  module.def("best", &best, py::arg("kernel"), py::arg("args"), py::arg("keywords"), py::arg("grid"));
  module.def("variants", &variants);
  module.def("clear", [](const py::object &object) {
    std::shared_ptr<phobos::runtime::Kernel> kernel = kernelOf(object).state->kernel;
    py::gil_scoped_release released;
    kernel->clear();
  });
  module.def("devices", &devices);
  module.def("supported_chips", &phobos::supportedChips);
  module.def("build_id", &phobos::buildId);
  module.def("target", &phobos::runtime::targetName);
  module.def("set_target", [](const std::string &name) { orThrow(phobos::runtime::setTarget(name)); });
  module.def("current_target", &currentTarget);
  module.def("simulator_settings", &simulatorSettings);
  module.def("set_simulator_settings", &setSimulatorSettings, py::arg("check"), py::arg("seed"), py::arg("profile"),
             py::arg("arch"));
  module.def("take_profile", &takeProfile);
  module.def("simulate_module", &simulateModule, py::arg("mlir"), py::arg("entry"), py::arg("grid"), py::arg("block"),
             py::arg("arguments"), py::arg("dynamic_shared_bytes"));
  phobos::runtime::setInterruptCheck(signalPending);
  phobos::runtime::setPrinter(printToPython);
  module.def("debug", &phobos::runtime::debugSetting);
  module.def("set_debug", &phobos::runtime::setDebug);
  module.def("set_chip", [](const std::string &chip) { orThrow(phobos::runtime::setChipOverride(chip)); });
  module.def("chip", &phobos::runtime::chipOverride);
  module.def("cache_settings", &cacheSettings);
}
