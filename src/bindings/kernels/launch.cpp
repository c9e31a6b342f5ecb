// The launch path: kernel[grid, block, stream, sharedmem](arguments).

#include "bindings/kernels/launch.h"
#include "bindings/arguments/host_arrays.h"
#include "bindings/interpreter/gil.h"
#include "bindings/interpreter/python_class.h"
#include "bindings/interpreter/serialized_scope.h"
#include "bindings/interpreter/vectorcall_type.h"
#include "bindings/kernels/checked_launches.h"
#include "bindings/kernels/graph_capture.h"
#include "bindings/kernels/kernel_output.h"
#include "bindings/kernels/kernels.h"
#include "bindings/kernels/launch_configuration.h"
#include "bindings/kernels/launch_warnings.h"
#include "bindings/kernels/recorded_launches.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

#include <array>
#include <utility>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

namespace {

/// `kernel[grid, block, stream, sharedmem]`: a kernel with a launch configuration. Nearly every launch creates and
/// destroys one of these Python objects, so it is a plain structure with a function pointer.
struct ConfiguredKernel {
  PyObject_HEAD vectorcallfunc call;
  PyObject *owner; ///< the dispatcher
  Dispatcher *dispatcher;
  PyObject *callbacks; ///< a list of functions that each launch calls first; null until requested
  LaunchConfiguration configuration;
};

/// The kernel whose launch looks up, and may compile, a variant on this thread; null between launches.
thread_local ConfiguredKernel *launching = nullptr;

/// Pairs of a dispatcher and a dict that receives the configuration for which the dispatcher is compiled next.
nb::list &configurationCaptures() {
  static auto *known = new nb::list;
  return *known;
}

/// Finds or compiles the variant for a launch.
Variant &findOrCompileVariant(ConfiguredKernel &kernel, Device &device, ArgumentList &arguments) {
  Dispatcher &dispatcher = *kernel.dispatcher;
  size_t known = dispatcher.variants().size();
  ConfiguredKernel *outer = std::exchange(launching, &kernel);
  auto restore = llvm::scope_exit([outer] { launching = outer; });
  Variant &variant =
      dispatcher.findOrCompileVariant(device, arguments, kernel.configuration.shape.extents());
  if (dispatcher.variants().size() != known)
    for (nb::handle capture : configurationCaptures())
      if (nb::object(capture[0]).is(kernel.owner)) {
        nb::object record = capture[1];
        record[nb::str("config")] = nb::handle(reinterpret_cast<PyObject *>(&kernel));
      }
  return variant;
}

/// Calls the program's callbacks before a launch.
void callLaunchCallbacks(ConfiguredKernel &kernel, Variant &variant) {
  nb::object compiled =
      nb::cast(&variant, nb::rv_policy::reference_internal, nb::handle(kernel.owner));
  nb::tuple callbacks(
      nb::borrow<nb::list>(kernel.callbacks)); // a copy: callbacks may change the list
  for (nb::handle callback : callbacks)
    callback(compiled, nb::handle(reinterpret_cast<PyObject *>(&kernel)));
}

void refuseMisalignedArrays(const ArgumentList &arguments) {
  for (const ArrayArgument &array : arguments.arrays)
    if (array.facts.misaligned && !array.onHost)
      throw nb::value_error(("argument " + std::to_string(array.argument + 1) +
                             " is a device array whose elements are not aligned to their size")
                                .c_str());
}

/// Removes the producers for which the stream need not wait: the stream itself, or all if the program disables waits.
void dropUnneededWaits(llvm::SmallVectorImpl<uint64_t> &producers, const Stream &stream) {
  // 0 and 1 are the default stream, whose handle on the CPU device is another number.
  auto numberOf = [ofDefault = stream.device().defaultStream().nativeHandle()](uint64_t handle) {
    return handle && handle != ofDefault ? handle : 1;
  };
  llvm::erase_if(producers, [own = numberOf(stream.nativeHandle()), numberOf](uint64_t producer) {
    return numberOf(producer) == own;
  });
  if (!producers.empty() && !isProducerSyncEnabled())
    producers.clear();
}

/// Makes the launch's stream wait for the work that other libraries have enqueued on their streams. A stream that
/// captures on a GPU waits only for work of the capture.
void waitForProducers(Device &device, Stream &stream, llvm::ArrayRef<uint64_t> producers) {
  if (producers.empty())
    return;
  bool captures = !device.usesHostMemory() && stream.isCapturing();
  for (uint64_t producer : producers) {
    std::shared_ptr<Stream> other = device.externalStream(producer);
    if (captures && !other->isCapturing())
      continue;
    std::shared_ptr<Event> event = device.createEvent(false);
    other->record(event);
    stream.waitForEvent(event);
  }
}

/// The memory to keep alive until an asynchronous kernel has run. Empty on devices that free memory in stream order,
/// except for memory of other libraries.
std::shared_ptr<void> objectsToKeepUntilDone(const Device &device, ArgumentList &arguments) {
  std::shared_ptr<void> held = arguments.takeHeldObjects();
  if (!device.usesHostMemory() || arguments.arrays.empty())
    return held;
  std::shared_ptr<void> owners = keepAlive(arguments.owners());
  if (!held)
    return owners;
  return std::make_shared<std::array<std::shared_ptr<void>, 2>>(
      std::array{std::move(owners), std::move(held)});
}

void launchWithHostArrays(Device &device, Stream &stream, const Variant &variant,
                          const LaunchShape &shape, ArgumentList &arguments) {
  refuseToWaitInCapture(stream);
  bool inHostMemory = device.usesHostMemory();
  if (inHostMemory) {
    // Earlier work may still write to the arrays that are copied.
    WithoutGil release;
    waitForProducers(device, stream, arguments.producers);
    stream.waitForEarlierWork();
  }
  bool mayBeOverrun = inHostMemory && !variant.checksAccesses;
  HostArrays host(arguments, variant.written,
                  mayBeOverrun ? shape.grid.count() * shape.block.count() : 0);
  recordNextLaunchForCheck(device, arguments);
  try {
    WithoutGil release;
    if (!inHostMemory) {
      waitForProducers(device, stream, arguments.producers);
      host.allocateAndUpload(arguments, stream);
    }
    stream.launch(*variant.kernel, shape, arguments.slots, nullptr);
    host.download(stream);
    stream.synchronize();
  } catch (const Interrupted &why) {
    if (why.stillRuns()) {
      arguments.leakMemory();
      host.leakCopies();
    }
    throw;
  }
  host.copyBackCompactCopies();
}

/// True if a GPU would copy arrays: all arrays in host memory except shared ones.
bool hasArraysThatGpuWouldCopy(const ArgumentList &arguments) {
  return llvm::any_of(arguments.arrays, [](const ArrayArgument &array) {
    return array.onHost && !nb::hasattr(array.owner, "__heddle_device_array__");
  });
}

/// Rejects a shape that the device cannot launch, with the CUDA driver's error code.
void checkShape(Device &device, const Kernel &kernel, const LaunchShape &shape) {
  try {
    checkLaunch(device, kernel, shape);
  } catch (const CompileError &error) {
    if (error.diagnostic().kind != ErrorKind::Value)
      throw;
    constexpr int invalidValue = 1, outOfResources = 701; // CUresult
    uint64_t threads = shape.block.count();
    bool needsMore =
        threads > kernel.maxThreadsPerBlock() && threads <= device.limits().maxThreadsPerBlock;
    nb::object type = nb::module_::import_("heddle.errors").attr("LaunchShapeError");
    PyErr_SetObject(type.ptr(),
                    type(needsMore ? outOfResources : invalidValue, error.what()).ptr());
    throw nb::python_error();
  }
}

void launch(ConfiguredKernel &kernel, PyObject *const *values, size_t count,
            PyObject *keywordNames) {
  Dispatcher &dispatcher = *kernel.dispatcher;
  const LaunchShape &shape = kernel.configuration.shape;
  Stream *named = kernel.configuration.stream.get();
  Device &device = named ? named->device() : currentDevice();
  Stream &unnamed = captureOrDefaultStream(device);
  ArgumentList arguments(dispatcher.function(), &device, named ? named : &unnamed);
  dispatcher.readArguments(values, count, keywordNames, arguments);
  std::shared_ptr<Stream> capturing = named ? nullptr : findCapturingProducer(unnamed, arguments);
  Stream &stream = named ? *named : capturing ? *capturing : unnamed;
  arguments.markArraysWithoutOverlap();
  Variant &variant = findOrCompileVariant(kernel, device, arguments);
  checkShape(device, *variant.kernel, shape);
  if (kernel.callbacks)
    callLaunchCallbacks(kernel, variant);
  if (arguments.misaligned)
    refuseMisalignedArrays(arguments);
  if (variant.prints)
    flushBeforePrintingLaunch();
  if (arguments.onHost) {
    if (launchWarnings.hostArrays && hasArraysThatGpuWouldCopy(arguments))
      warnOfHostArrays();
    dropUnneededWaits(arguments.producers, stream);
    launchWithHostArrays(device, stream, variant, shape, arguments);
    return;
  }
  recordNextLaunchForCheck(device, arguments);
  enqueueLaunch(stream, *variant.kernel, shape, arguments, arguments.slots,
                dispatcher.options().debug);
  tellCaptureOfLaunch(stream, reinterpret_cast<PyObject *>(&kernel), values, count, keywordNames);
}

PyObject *callConfiguredKernel(PyObject *self, PyObject *const *values, size_t flaggedCount,
                               PyObject *keywordNames) {
  return translatePublicExceptions([&] {
    auto &kernel = *reinterpret_cast<ConfiguredKernel *>(self);
    size_t count = PyVectorcall_NARGS(flaggedCount);
    if (!recordsLaunches || !passToRecorder(self, values, count, keywordNames))
      launch(kernel, values, count, keywordNames);
    return Py_NewRef(Py_None);
  });
}

void destroyConfigured(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  auto *kernel = reinterpret_cast<ConfiguredKernel *>(self);
  kernel->configuration.~LaunchConfiguration();
  Py_XDECREF(kernel->callbacks);
  Py_DECREF(kernel->owner);
  PyObject_Free(self);
  Py_DECREF(type);
}

const ConfiguredKernel &toConfiguredKernel(PyObject *self) {
  return *reinterpret_cast<ConfiguredKernel *>(self);
}

nb::tuple makeExtentsTuple(const Dim3 &d) { return nb::make_tuple(d.x, d.y, d.z); }

/// The stream as a Python object; 0, the default stream, if none was given.
nb::object streamOf(const LaunchConfiguration &configuration) {
  if (!configuration.stream)
    return nb::int_(0);
  return nb::module_::import_("heddle.cuda.streams")
      .attr("Stream")
      .attr("_wrap_native")(configuration.stream);
}

using Getter = nb::object(const ConfiguredKernel &);

template <Getter *get> PyObject *getConfiguredProperty(PyObject *self, void *) {
  return translateExceptions([&] { return get(toConfiguredKernel(self)).release().ptr(); });
}

nb::object dispatcherOf(const ConfiguredKernel &k) { return nb::borrow(k.owner); }
nb::object gridOf(const ConfiguredKernel &k) {
  return makeExtentsTuple(k.configuration.shape.grid);
}
nb::object blockOf(const ConfiguredKernel &k) {
  return makeExtentsTuple(k.configuration.shape.block);
}
nb::object configuredStreamOf(const ConfiguredKernel &k) { return streamOf(k.configuration); }
nb::object sharedBytesOf(const ConfiguredKernel &k) {
  return nb::int_(k.configuration.shape.dynamicSharedBytes);
}

PyObject *getCallbacks(PyObject *self, void *) {
  auto &kernel = *reinterpret_cast<ConfiguredKernel *>(self);
  SerializedScope scope;
  if (!kernel.callbacks)
    kernel.callbacks = PyList_New(0);
  return Py_XNewRef(kernel.callbacks);
}

int setCallbacks(PyObject *self, PyObject *value, void *) {
  auto &kernel = *reinterpret_cast<ConfiguredKernel *>(self);
  if (!value || !PyList_Check(value)) {
    PyErr_SetString(PyExc_TypeError, "pre_launch_callbacks is a list of functions");
    return -1;
  }
  SerializedScope scope;
  Py_XDECREF(std::exchange(kernel.callbacks, Py_NewRef(value)));
  return 0;
}

/// Pickles the kernel and its configuration. Streams raise an exception, because they cannot be pickled.
PyObject *reduceConfigured(PyObject *self, PyObject *) {
  return translateExceptions([&] {
    const ConfiguredKernel &k = toConfiguredKernel(self);
    nb::object values =
        nb::make_tuple(gridOf(k), blockOf(k), configuredStreamOf(k), sharedBytesOf(k));
    nb::object getItem = nb::module_::import_("operator").attr("getitem");
    return nb::make_tuple(getItem, nb::make_tuple(dispatcherOf(k), values)).release().ptr();
  });
}

PyGetSetDef configuredAttributes[] = {
    {"dispatcher", getConfiguredProperty<dispatcherOf>, nullptr, "The kernel.", nullptr},
    {"griddim", getConfiguredProperty<gridOf>, nullptr, "Blocks along x, y and z.", nullptr},
    {"blockdim", getConfiguredProperty<blockOf>, nullptr, "Threads of a block along x, y and z.",
     nullptr},
    {"stream", getConfiguredProperty<configuredStreamOf>, nullptr,
     "The stream; 0 is the default one.", nullptr},
    {"sharedmem", getConfiguredProperty<sharedBytesOf>, nullptr, "Bytes of dynamic shared memory.",
     nullptr},
    {"pre_launch_callbacks", getCallbacks, setCallbacks,
     "Functions that a launch calls first, with the compiled kernel and this.", nullptr},
    {},
};

PyMethodDef configuredMethods[] = {
    {"__reduce__", reduceConfigured, METH_NOARGS, nullptr},
    {},
};

PyMemberDef configuredMembers[] = {vectorcallMember(offsetof(ConfiguredKernel, call)), {}};

PyType_Slot configuredSlots[] = {
    {Py_tp_doc, const_cast<char *>("A kernel with its grid, block, stream and shared memory.")},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyConfigured)},
    {Py_tp_members, configuredMembers},
    {Py_tp_getset, configuredAttributes},
    {Py_tp_methods, configuredMethods},
    {0, nullptr},
};

PyType_Spec configuredSpec = {
    .name = "heddle._heddle.ConfiguredKernel",
    .basicsize = sizeof(ConfiguredKernel),
    .itemsize = 0,
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = configuredSlots,
};

/// The class of configured kernels, created with the module.
PyTypeObject *configuredType = nullptr;

/// The thread's selected device; null if none is selected.
thread_local Device *current = nullptr;

} // namespace

std::shared_ptr<Stream> findCapturingProducer(Stream &stream, const ArgumentList &arguments) {
  if (arguments.producers.empty())
    return nullptr;
  Device &device = stream.device();
  if (device.usesHostMemory() || stream.nativeHandle() != device.defaultStream().nativeHandle())
    return nullptr;
  uint64_t own = stream.nativeHandle();
  for (uint64_t producer : arguments.producers)
    if (producer > own)
      if (std::shared_ptr<Stream> other = device.externalStream(producer); other->isCapturing())
        return other;
  return nullptr;
}

void refuseToWaitInCapture(const Stream &stream) {
  if (stream.isCapturing())
    throw CompileError(ErrorKind::Value,
                       "the stream captures, and a launch with arrays of the host waits for its "
                       "kernel\n  hint: copy them to the device before the capture");
}

void enqueueLaunch(Stream &stream, Kernel &kernel, const LaunchShape &shape,
                   ArgumentList &arguments, std::span<const uint64_t> slots, bool wait) {
  Device &device = stream.device();
  wait = wait ||
         (arguments.isExported() && stream.nativeHandle() == device.defaultStream().nativeHandle());
  if (wait && stream.isCapturing())
    wait = false;
  if (!arguments.producers.empty())
    dropUnneededWaits(arguments.producers, stream);
  std::shared_ptr<void> memory = wait ? nullptr : objectsToKeepUntilDone(device, arguments);
  try {
    WithoutGil release;
    waitForProducers(device, stream, arguments.producers);
    stream.launch(kernel, shape, slots, std::move(memory));
    if (wait)
      stream.synchronize();
  } catch (const Interrupted &why) {
    if (why.stillRuns())
      arguments.leakMemory();
    throw;
  }
}

Device &currentDevice() {
  if (!current)
    current = &defaultDevice();
  return *current;
}

PyObject *makeConfiguredKernel(PyObject *dispatcher, PyObject *configuration) {
  return translateExceptions([&] {
    if (!nb::inst_ready(dispatcher))
      throw nb::type_error("this kernel was not initialized");
    auto &kernel = *nb::inst_ptr<Dispatcher>(dispatcher);
    LaunchConfiguration parsed = kernel.readConfiguration(configuration);
    if (launchWarnings.smallGrids)
      warnOfSmallGrid(parsed.shape);
    auto *made = PyObject_New(ConfiguredKernel, configuredType);
    if (!made)
      throw nb::python_error();
    made->call = callConfiguredKernel;
    made->owner = Py_NewRef(dispatcher);
    made->dispatcher = &kernel;
    made->callbacks = nullptr;
    new (&made->configuration) LaunchConfiguration(std::move(parsed));
    return reinterpret_cast<PyObject *>(made);
  });
}

void bindLaunches(nb::module_ &m) {
  configuredType =
      reinterpret_cast<PyTypeObject *>(addClass(m, configuredSpec).release().ptr()); // never freed
  bindLaunchWarnings(m);
  bindRecordedLaunches(m);
  m.attr("launch_captures") = configurationCaptures();
  m.def(
      "current_launch",
      [] {
        return launching ? nb::borrow(reinterpret_cast<PyObject *>(launching))
                         : nb::object(nb::none());
      },
      "The configured kernel that the thread compiles for; None where it compiles for no launch.");
  m.def(
      "set_current_device",
      [](unsigned index) {
        if (index >= devices().size())
          throw nb::value_error(("there is no device " + std::to_string(index)).c_str());
        current = devices()[index].get();
      },
      nb::arg("index"), "Where the calling thread's launches go that name no stream.");
}

} // namespace heddle
