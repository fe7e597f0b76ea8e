// `kernel[grid](…)`; see KernelObject.h. launch() is the warm path and reads in order: arguments, captures, plan,
// stream, grid, driver. None of it allocates once a plan is there.
#include "KernelObject.h"

#include "Captures.h"

#include <cstring>
#include <structmember.h>

namespace phobos::python {

using runtime::Argument;
using runtime::Call;
using runtime::Grid;
using runtime::Plan;

namespace {

PyTypeObject *kernelType = nullptr, *launcherType = nullptr;

bool isName(PyObject *a, const Ref &b) { return a == b.get() || PyUnicode_Compare(a, b.get()) == 0; }

/// What to do with `name=value` that names no parameter: the stream, a tuned constant, or an error.
bool takeKeyword(KernelObject *self, PyObject *name, PyObject *value, CallFrame &frame) {
  if (PyUnicode_CompareWithASCIIString(name, "stream") == 0) {
    frame.stream = value;
    return true;
  }
  const KernelInfo &info = self->state->kernel->info();
  const char *text = PyUnicode_AsUTF8(name);
  std::string known;
  for (const ParameterInfo &parameter : info.parameters) {
    known += parameter.name + ", ";
  }
  for (const TunedConstant &tuned : info.space) {
    known += tuned.name + ", ";
    if (text && tuned.name == text) {
      auto constant = toConstant(value);
      if (!constant) {
        raise(self->state->kernel->signature().launchError(
            nullptr, "tuned constant `" + tuned.name + "`: expected an int, float, bool or dtype, got " +
                         Py_TYPE(value)->tp_name));
        return false;
      }
      frame.overrides.emplace_back(tuned.name, std::move(*constant));
      return true;
    }
  }
  raise(self->state->kernel->signature().launchError(
      nullptr, "kernel `" + info.name + "` has no argument `" + (text ? text : "?") + "`",
      "it takes " + known + "stream"));
  return false;
}

bool takeKeywords(KernelObject *self, PyObject *const *values, PyObject *names, CallFrame &frame) {
  const std::vector<Ref> &parameters = self->state->names;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    PyObject *name = PyTuple_GET_ITEM(names, i);
    size_t at = 0;
    while (at < parameters.size() && !isName(name, parameters[at])) {
      ++at;
    }
    if (at == parameters.size()) {
      if (!takeKeyword(self, name, values[i], frame)) {
        return false;
      }
    } else if (frame.objects[at]) {
      const runtime::Signature &signature = self->state->kernel->signature();
      const ParameterInfo &parameter = signature.info().parameters[at];
      raise(signature.launchError(&parameter, "argument `" + parameter.name + "` is given twice"));
      return false;
    } else {
      frame.objects[at] = values[i];
    }
  }
  if (!frame.overrides.empty()) {
    auto set = self->state->kernel->overrideSet(frame.overrides);
    if (!set) {
      raise(set.error());
      return false;
    }
    frame.overrideSet = *set;
  }
  return true;
}

PyObject *launch(PyObject *object, PyObject *const *args, size_t flags, PyObject *names) {
  auto *launcher = reinterpret_cast<LauncherObject *>(object);
  KernelObject *self = launcher->kernel;
  if (!self->state->kernel && !readyKernel(reinterpret_cast<PyObject *>(self))) [[unlikely]] {
    return nullptr;
  }
  CallFrame frame;
  if (!collect(self, args, static_cast<size_t>(PyVectorcall_NARGS(flags)), names, frame) ||
      (!capturesUnchanged(*self->state) && !refreshCaptures(self))) {
    return nullptr;
  }
  void *stream = nullptr;
  if (frame.stream && frame.stream != Py_None ? !toStream(frame.stream, stream)
                                              : !currentStream(frame.borrowed, frame.device, stream)) {
    return nullptr;
  }
  runtime::Kernel &kernel = *self->state->kernel;
  const Call call = frame.call(*self);
  std::shared_ptr<const Plan> plan = kernel.find(call);
  if (!plan) [[unlikely]] {
    plan = coldPlan(self, frame, launcher, stream);
    if (!plan) {
      return nullptr;
    }
  }
  if (plan->empty) {
    Py_RETURN_NONE;
  }
  Grid grid = launcher->grid;
  if (launcher->isRule) {
    Fingerprint fingerprint(launcher->given);
    const Grid *known = fingerprint.known() ? fingerprint.find(*plan) : nullptr;
    if (known) [[likely]] {
      grid = *known;
    } else {
      auto answer = callRule(launcher->given, kernel.info(), plan->dims, plan->constants);
      if (!answer) {
        return nullptr;
      }
      grid = *answer;
      if (fingerprint.known()) {
        fingerprint.remember(*plan, grid);
      }
    }
  }
  runtime::Status status;
  {
    WithoutGil released; // the driver may wait for room in its queue
    status = kernel.launch(*plan, call, grid, stream);
  }
  if (!status) [[unlikely]] {
    return raise(status.error());
  }
  Py_RETURN_NONE;
}

LauncherObject *newLauncher(KernelObject *kernel) {
  auto *launcher = PyObject_GC_New(LauncherObject, launcherType);
  if (launcher) {
    launcher->vectorcall = launch;
    launcher->kernel = reinterpret_cast<KernelObject *>(Py_NewRef(reinterpret_cast<PyObject *>(kernel)));
    launcher->given = nullptr;
    PyObject_GC_Track(launcher);
  }
  return launcher;
}

/// kernel[grid]
PyObject *subscript(PyObject *object, PyObject *grid) {
  auto *self = reinterpret_cast<KernelObject *>(object);
  LauncherObject *launcher = self->launcher;
  if (launcher && launcher->given == grid) {
    return Py_NewRef(reinterpret_cast<PyObject *>(launcher));
  }
  Grid fixed;
  bool isRule = PyCallable_Check(grid);
  if (!isRule) {
    auto parsed = toGrid(grid);
    if (!parsed) {
      return nullptr;
    }
    fixed = *parsed;
  }
  if (!launcher || Py_REFCNT(launcher) > 1) { // someone kept it: it must go on meaning its own grid
    launcher = newLauncher(self);
    if (!launcher) {
      return nullptr;
    }
    Ref old(reinterpret_cast<PyObject *>(self->launcher));
    self->launcher = launcher;
  }
  Ref old(launcher->given);
  launcher->given = Py_NewRef(grid);
  launcher->isRule = isRule;
  launcher->grid = fixed;
  return Py_NewRef(reinterpret_cast<PyObject *>(launcher));
}

PyObject *newKernel(PyTypeObject *type, PyObject *, PyObject *) {
  auto *self = reinterpret_cast<KernelObject *>(type->tp_alloc(type, 0));
  if (self) {
    self->state = new KernelState;
    self->launcher = nullptr;
  }
  return reinterpret_cast<PyObject *>(self);
}

int traverseKernel(PyObject *object, visitproc visit, void *arg) {
  auto *self = reinterpret_cast<KernelObject *>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(reinterpret_cast<PyObject *>(self->launcher));
  for (const Capture &capture : self->state->captures) {
    Py_VISIT(capture.holder.get());
    Py_VISIT(capture.value.get());
  }
  return 0;
}

int clearKernel(PyObject *object) {
  auto *self = reinterpret_cast<KernelObject *>(object);
  std::vector<Capture> captures = std::move(self->state->captures);
  self->state->captures.clear();
  Py_CLEAR(self->launcher);
  return 0;
}

void deallocKernel(PyObject *object) {
  auto *self = reinterpret_cast<KernelObject *>(object);
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  clearKernel(object);
  delete self->state;
  type->tp_free(object);
  Py_DECREF(type);
}

int traverseLauncher(PyObject *object, visitproc visit, void *arg) {
  auto *self = reinterpret_cast<LauncherObject *>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(reinterpret_cast<PyObject *>(self->kernel));
  Py_VISIT(self->given);
  return 0;
}

int clearLauncher(PyObject *object) {
  auto *self = reinterpret_cast<LauncherObject *>(object);
  Py_CLEAR(self->kernel);
  Py_CLEAR(self->given);
  return 0;
}

void deallocLauncher(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  clearLauncher(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyMemberDef launcherMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(LauncherObject, vectorcall), READONLY, nullptr},
    {"grid", T_OBJECT, offsetof(LauncherObject, given), READONLY, "What the brackets held."},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot kernelSlots[] = {
    {Py_tp_doc, const_cast<char *>("The part of phobos.Kernel that each launch goes through.")},
    {Py_tp_new, reinterpret_cast<void *>(newKernel)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocKernel)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverseKernel)},
    {Py_tp_clear, reinterpret_cast<void *>(clearKernel)},
    {Py_mp_subscript, reinterpret_cast<void *>(subscript)},
    {0, nullptr}};

PyType_Spec kernelSpec = {"phobos._phobos.KernelBase", sizeof(KernelObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, kernelSlots};

PyType_Slot launcherSlots[] = {
    {Py_tp_doc, const_cast<char *>("A kernel with its grid: call it with the kernel's arguments.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocLauncher)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverseLauncher)},
    {Py_tp_clear, reinterpret_cast<void *>(clearLauncher)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_members, launcherMembers},
    {0, nullptr}};

PyType_Spec launcherSpec = {"phobos._phobos.Launcher", sizeof(LauncherObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                                Py_TPFLAGS_DISALLOW_INSTANTIATION,
                            launcherSlots};

} // namespace

bool collect(KernelObject *self, PyObject *const *args, size_t count, PyObject *names, CallFrame &frame) {
  const std::vector<ParameterInfo> &parameters = self->state->kernel->info().parameters;
  const size_t total = parameters.size();
  if (count > total) [[unlikely]] {
    const runtime::Signature &signature = self->state->kernel->signature();
    raise(signature.launchError(nullptr, "kernel `" + signature.info().name + "` takes " + std::to_string(total) +
                                             (total == 1 ? " argument, got " : " arguments, got ") +
                                             std::to_string(count)));
    return false;
  }
  std::memcpy(frame.objects.data(), args, count * sizeof *args);
  std::memset(frame.objects.data() + count, 0, (total - count) * sizeof *args);
  if (names && !takeKeywords(self, args + count, names, frame)) {
    return false;
  }
  bool sawArray = false;
  for (size_t i = 0; i < total; ++i) {
    Argument &argument = frame.arguments[i];
    if (!frame.objects[i]) [[unlikely]] {
      frame.objects[i] = self->state->defaults[i].get();
    }
    if (!frame.objects[i]) [[unlikely]] {
      argument.kind = Argument::Kind::Missing;
    } else if (parameters[i].kind == ParameterInfo::Kind::Tensor) {
      toArray(frame.objects[i], argument, frame.borrowed);
      if (!sawArray && argument.kind == Argument::Kind::Tensor) {
        frame.device = argument.tensor.deviceIndex;
        sawArray = true;
      }
    } else {
      toScalar(frame.objects[i], argument, frame.borrowed);
    }
  }
  return true;
}

bool addTypes(PyObject *module) {
  kernelType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&kernelSpec));
  launcherType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&launcherSpec));
  return kernelType && launcherType &&
         PyModule_AddObjectRef(module, "KernelBase", reinterpret_cast<PyObject *>(kernelType)) == 0 &&
         PyModule_AddObjectRef(module, "Launcher", reinterpret_cast<PyObject *>(launcherType)) == 0;
}

bool isKernel(PyObject *object) { return PyObject_TypeCheck(object, kernelType); }

} // namespace phobos::python
