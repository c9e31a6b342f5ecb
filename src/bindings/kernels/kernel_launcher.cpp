#include "bindings/kernels/kernel_launcher.h"

#include "bindings/interpreter/gil.h"
#include "bindings/interpreter/python_class.h"
#include "bindings/interpreter/vectorcall_type.h"
#include "bindings/kernels/checked_launches.h"
#include "bindings/kernels/cuda_program.h"
#include "bindings/kernels/graph_capture.h"
#include "bindings/kernels/kernel_output.h"
#include "bindings/kernels/kernels.h"
#include "bindings/kernels/launch.h"
#include "bindings/kernels/launch_configuration.h"
#include "bindings/kernels/recorded_launches.h"
#include "simt/check/checking.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

namespace {

/// A minimal object with a function pointer, like ConfiguredKernel, so that a launch is one indirect call. Created as
/// zeros.
struct KernelLauncher {
  PyObject_HEAD vectorcallfunc call;
  PyObject *kernel; ///< the CudaKernel on the device of the last launch, or null
  KnownShape known; ///< a shape with which the device has launched `kernel`
};

/// isChecked: the device can launch the shape.
void launch(const CudaKernel &kernel, const LaunchConfiguration &configuration, bool isChecked,
            nb::handle values) {
  Device &device = *kernel.device;
  Stream *named = configuration.stream.get();
  if (named && &named->device() != &device)
    throw CompileError(ErrorKind::Value, "kernel " + kernel.info.name + " is compiled for " +
                                             device.name() + ", the stream is on " +
                                             named->device().name());
  Stream &unnamed = captureOrDefaultStream(device);
  LaunchShape shape = configuration.shape;
  shape.cooperative = kernel.cooperative;
  auto check = [&] {
    if (!isChecked || shape.cooperative)
      checkLaunch(device, *kernel.kernel, shape);
  };
  llvm::SmallVector<uint64_t, 40> slots;
  if (kernel.takesSlotsOnly() && !simt::isChecking &&
      appendSlotsIfAllMatch(kernel.parameters, values, kernel.rules, device, slots)) {
    check();
    WithoutGil release;
    (named ? *named : unnamed).launch(*kernel.kernel, shape, slots, nullptr);
    return;
  }

  slots.clear();
  ArgumentList arrays({}, &device, named ? named : &unnamed);
  appendCudaArgumentSlots(kernel.info.name, kernel.parameters, kernel.info.bounded, values,
                          kernel.rules, device, arrays, slots);
  std::shared_ptr<Stream> capturing = named ? nullptr : findCapturingProducer(unnamed, arrays);
  Stream &stream = named ? *named : capturing ? *capturing : unnamed;
  check();
  if (kernel.prints)
    flushBeforePrintingLaunch();
  if (arrays.onHost)
    refuseToWaitInCapture(stream);
  recordNextLaunchForCheck(device, arrays, kernel.source);
  // NumPy arrays hold their results when this returns.
  enqueueLaunch(stream, *kernel.kernel, shape, arrays, slots, kernel.waits || arrays.onHost);
}

/// Parses the arguments of a launch into grid, block, args, shared_mem and stream (borrowed); the last two may be null.
std::array<PyObject *, 5> parseLaunchArguments(PyObject *const *values, size_t count,
                                               PyObject *keywordNames) {
  static const char *const names[] = {"grid", "block", "args", "shared_mem", "stream"};
  constexpr size_t mostPositional = 3;
  static PyObject *const noArguments = PyTuple_New(0);
  std::array<PyObject *, 5> found{nullptr, nullptr, noArguments, nullptr, nullptr};
  if (count > mostPositional)
    throw nb::type_error(("a launch takes grid, block and args, not " + std::to_string(count) +
                          " positional arguments\n  hint: the kernel's own arguments are one "
                          "tuple; shared_mem= and stream= are named")
                             .c_str());
  std::copy_n(values, count, found.begin());
  size_t named = keywordNames ? size_t(PyTuple_Size(keywordNames)) : 0;
  for (size_t i = 0; i < named; ++i) {
    PyObject *key = PyTuple_GetItem(keywordNames, Py_ssize_t(i));
    auto known = std::find_if(std::begin(names), std::end(names), [&](const char *name) {
      return PyUnicode_CompareWithASCIIString(key, name) == 0;
    });
    if (known == std::end(names))
      throw nb::type_error(("a launch takes grid, block, args, shared_mem and stream, not " +
                            nb::cast<std::string>(nb::handle(key)))
                               .c_str());
    auto place = size_t(known - std::begin(names));
    if (place < count)
      throw nb::type_error((std::string("a launch was given two values for ") + *known).c_str());
    found[place] = values[count + i];
  }
  if (!found[0] || !found[1])
    throw nb::type_error("a launch needs a grid and a block");
  return found;
}

/// The kernel for the current device. Calls `self._get_kernel_on_current_device()` if the last launch used another
/// device.
nb::object kernelOnCurrentDevice(KernelLauncher &launcher) {
  if (!launcher.kernel || nb::inst_ptr<CudaKernel>(launcher.kernel)->device != &currentDevice()) {
    nb::object here =
        nb::handle(reinterpret_cast<PyObject *>(&launcher)).attr("_get_kernel_on_current_device")();
    if (!nb::isinstance<CudaKernel>(here))
      throw nb::type_error(
          "_get_kernel_on_current_device() of a kernel's class returns a compiled kernel");
    Py_XDECREF(std::exchange(launcher.kernel, here.release().ptr()));
    launcher.known.forget();
  }
  return nb::borrow(launcher.kernel); // another thread may replace it
}

/// Called with a pending ValueError after a rejected launch: the launcher's class may launch in another way, or raise
/// the exception that the program expects. Successful launches do not call this.
PyObject *relaunchOrRaiseAfterRejection(PyObject *self, PyObject *const *values, size_t count,
                                        PyObject *keywordNames) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  nb::object ofType = nb::steal(type), error = nb::steal(value), where = nb::steal(traceback);
  return translatePublicExceptions([&] {
    auto [grid, block, arguments, sharedBytes, stream] =
        parseLaunchArguments(values, count, keywordNames);
    auto orNone = [](PyObject *given) { return given ? nb::handle(given) : nb::none(); };
    nb::handle(self).attr("_retry_refused_launch")(error, nb::handle(grid), nb::handle(block),
                                                   nb::handle(arguments), orNone(sharedBytes),
                                                   orNone(stream));
    return Py_NewRef(Py_None);
  });
}

PyObject *callLauncher(PyObject *self, PyObject *const *values, size_t flaggedCount,
                       PyObject *keywordNames) {
  auto count = size_t(PyVectorcall_NARGS(flaggedCount));
  bool read = false; // the launch configuration was parsed
  PyObject *result = translatePublicExceptions([&] {
    if (recordsLaunches && passToRecorder(self, values, count, keywordNames))
      return Py_NewRef(Py_None);
    auto [grid, block, arguments, sharedBytes, stream] =
        parseLaunchArguments(values, count, keywordNames);
    auto &launcher = *reinterpret_cast<KernelLauncher *>(self);
    nb::object kernel = kernelOnCurrentDevice(launcher);
    read = true;
    CudaKernel &compiled = *nb::inst_ptr<CudaKernel>(kernel);
    bool isKnown = launcher.known.matches(grid, block) && !sharedBytes;
    LaunchConfiguration configuration =
        isKnown ? LaunchConfiguration{launcher.known.shape, stream ? readStream(stream) : nullptr}
                : readConfiguration(grid, block, stream, sharedBytes);
    launch(compiled, configuration, isKnown, arguments);
    if (!isKnown && kernel.is(launcher.kernel)) // another thread may have replaced the kernel
      launcher.known.storeIfConstant(grid, block, configuration.shape);
    tellCaptureOfLaunch(configuration.stream ? *configuration.stream
                                             : captureOrDefaultStream(*compiled.device),
                        self, values, count, keywordNames);
    return Py_NewRef(Py_None);
  });
  if (!result && read && PyErr_ExceptionMatches(PyExc_ValueError))
    return relaunchOrRaiseAfterRejection(self, values, count, keywordNames);
  return result;
}

PyObject *rejectUninitialized(PyObject *, PyObject *const *, size_t, PyObject *) {
  PyErr_SetString(PyExc_TypeError, "this kernel was not initialized");
  return nullptr;
}

PyObject *newLauncher(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *made = PyType_GenericAlloc(type, 0);
  if (made)
    reinterpret_cast<KernelLauncher *>(made)->call = rejectUninitialized;
  return made;
}

int initLauncher(PyObject *self, PyObject *, PyObject *) {
  reinterpret_cast<KernelLauncher *>(self)->call = callLauncher;
  return 0;
}

void destroyLauncher(PyObject *self) {
  auto &launcher = *reinterpret_cast<KernelLauncher *>(self);
  Py_XDECREF(launcher.kernel);
  launcher.known.forget();
  freeInstance(self);
}

} // namespace

void bindKernelLauncher(nb::module_ &m) {
  static PyMemberDef members[] = {vectorcallMember(offsetof(KernelLauncher, call)), {}};
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char *>(
                      "What is called with grid, block, arguments, shared memory in bytes and "
                      "a stream or None. A subclass says by its attribute `kernel` what it "
                      "launches on the current device, and by its method `_retry_refused_launch` "
                      "what follows a ValueError.")},
      {Py_tp_new, reinterpret_cast<void *>(newLauncher)},
      {Py_tp_init, reinterpret_cast<void *>(initLauncher)},
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_dealloc, reinterpret_cast<void *>(destroyLauncher)},
      {Py_tp_members, members},
      {0, nullptr},
  };
  static PyType_Spec spec = {
      .name = "heddle._heddle.KernelLauncher",
      .basicsize = sizeof(KernelLauncher),
      .itemsize = 0,
      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL,
      .slots = slots,
  };
  addClass(m, spec);
}

} // namespace heddle
