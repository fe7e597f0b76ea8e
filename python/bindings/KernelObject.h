// The Python types behind a launch, as C types because each launch goes through them: KernelBase, which phobos.Kernel
// derives from, and Launcher, what `kernel[grid]` gives and a launch calls. pybind11's calls would cost more than all
// the rest of a warm launch.
#pragma once

#include "Arrays.h"
#include "GridRules.h"
#include "Py.h"

#include "phobos/runtime/Kernel.h"

#include <array>
#include <memory>
#include <vector>

namespace phobos::python {

/// A name that the kernel takes from around it, where it lives, and the value that the current captureSet has.
struct Capture {
  Ref holder; // a dict or a cell
  Ref name;   // interned; of a dict
  Ref value;  // null: absent
};

struct LauncherObject;

struct KernelState {
  std::shared_ptr<runtime::Kernel> kernel; // null until the source is parsed, at first use
  std::vector<Ref> names;                  // of parameters, interned
  std::vector<Ref> defaults;               // of parameters; null: none
  std::vector<Capture> captures;
  uint32_t captureSet = 0;
};

struct KernelObject {
  PyObject_HEAD KernelState *state;
  LauncherObject *launcher; // the last one given out, reused while nobody else holds it
};

struct LauncherObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  KernelObject *kernel;
  PyObject *given; // what the brackets held
  bool isRule;     // `given` is a callable; otherwise it meant `grid`
  runtime::Grid grid;
};

/// One call's arguments, matched to parameters.
struct CallFrame {
  std::array<runtime::Argument, runtime::kMaxParameters> arguments;
  std::array<PyObject *, runtime::kMaxParameters> objects; // borrowed; null: not given
  Borrowed borrowed;
  PyObject *stream = nullptr; // borrowed; null: not given
  Constants overrides;
  uint32_t overrideSet = 0;
  int device = 0; // of the first array

  runtime::Call call(const KernelObject &kernel) const {
    return {arguments.data(), kernel.state->captureSet, overrideSet};
  }
};

/// Adds KernelBase and Launcher to the module.
bool addTypes(PyObject *module);
bool isKernel(PyObject *object);
/// The kernel behind an object, its source parsed; null with an exception set.
KernelObject *readyKernel(PyObject *object);
/// Matches arguments to parameters by position and name, and reads them. False with an exception set; an argument that
/// is missing or of the wrong kind is left to the binder.
bool collect(KernelObject *self, PyObject *const *args, size_t count, PyObject *names, CallFrame &frame);
/// Makes captureSet that of the values captured names have now. False with an exception set.
bool refreshCaptures(KernelObject *self);
/// The plan for these arguments by the cold path, without the GIL; null with an exception set.
std::shared_ptr<const runtime::Plan> coldPlan(KernelObject *self, CallFrame &frame, const LauncherObject *launcher,
                                              void *stream);

} // namespace phobos::python
