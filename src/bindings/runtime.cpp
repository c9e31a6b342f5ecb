#include "bindings/runtime.h"

#include "bindings/arrays/device_array.h"
#include "bindings/arrays/host_memory.h"
#include "bindings/arrays/numpy_memory.h"
#include "bindings/interpreter/gil.h"
#include "bindings/interpreter/warnings.h"
#include "bindings/interpreter/whole_numbers.h"
#include "bindings/kernels/checked_launches.h"
#include "bindings/kernels/graph_capture.h"
#include "runtime/cpu/device.h"
#include "runtime/disk_cache.h"
#include "support/os/memory_map.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <limits>

namespace nb = nanobind;
using namespace nb::literals;

namespace heddle {

namespace {

MemoryKind parseMemoryKind(std::string_view name) {
  if (name == "device")
    return MemoryKind::Device;
  if (name == "pinned")
    return MemoryKind::Pinned;
  if (name == "mapped")
    return MemoryKind::Mapped;
  if (name == "managed")
    return MemoryKind::Managed;
  throw CompileError(ErrorKind::Value,
                     "memory is of kind 'device', 'pinned', 'mapped' or 'managed', not '" +
                         std::string(name) + "'");
}

std::shared_ptr<Buffer> allocateBuffer(Device &device, nb::handle nbytes, std::string_view kind) {
  nb::object bytes = toPythonInt(nbytes, "the number of bytes");
  // A size that does not fit in 64 bits also raises MemoryError with the size.
  uint64_t n = PyLong_AsUnsignedLongLong(bytes.ptr());
  if (n == std::numeric_limits<uint64_t>::max() && PyErr_Occurred()) {
    PyErr_Clear();
    std::string text = nb::cast<std::string>(nb::str(bytes));
    bool negative = text[0] == '-';
    throw CompileError(negative ? ErrorKind::Value : ErrorKind::Memory,
                       "cannot allocate " + text + " bytes" +
                           (negative ? ": the size is negative" : ""));
  }
  MemoryKind which = parseMemoryKind(kind);
  WithoutGil release;
  return device.allocate(n, which);
}

nb::dict makeLimitsDict(const Device &device) {
  const LaunchLimits &limits = device.limits();
  nb::dict d;
  d["max_threads_per_block"] = limits.maxThreadsPerBlock;
  d["max_block"] = nb::make_tuple(limits.maxBlock.x, limits.maxBlock.y, limits.maxBlock.z);
  d["max_grid"] = nb::make_tuple(limits.maxGrid.x, limits.maxGrid.y, limits.maxGrid.z);
  d["max_shared_bytes_per_block"] = limits.maxSharedBytesPerBlock;
  return d;
}

/// Calls a Python function on a runtime thread and ignores its result.
void callAndIgnoreResult(PyObject *function) {
  WithGil gil;
  if (!gil)
    return;
  nb::handle callee(function);
  try {
    callee();
  } catch (nb::python_error &error) {
    error.discard_as_unraisable(callee);
  }
}

void *toPointer(uint64_t address) { return reinterpret_cast<void *>(address); }

nb::bytes exportMemory(Device &device, uint64_t address) {
  IpcHandle handle = device.exportMemory(toPointer(address));
  return nb::bytes(reinterpret_cast<const char *>(handle.data()), handle.size());
}

std::shared_ptr<Buffer> importMemory(Device &device, const nb::bytes &bytes, size_t size) {
  IpcHandle handle;
  if (bytes.size() != handle.size())
    throw CompileError(ErrorKind::Value, "the handle of another process's memory has " +
                                             std::to_string(handle.size()) + " bytes, not " +
                                             std::to_string(bytes.size()));
  std::memcpy(handle.data(), bytes.c_str(), handle.size());
  return device.importMemory(handle, size);
}

/// Binds driver services of a device other than memory, streams and events.
void bindDriverServices(nb::class_<Device> &c) {
  c.def_prop_ro("uses_host_memory", &Device::usesHostMemory)
      .def("allocation_at", &Device::allocationAt, "address"_a,
           "The first byte and the end of the allocation that contains the address; None if it is "
           "unknown.")
      .def(
          "owns_memory",
          [](const Device &device, uint64_t address) {
            return device.ownsMemory(toPointer(address));
          },
          "address"_a, "True if the address is in memory that the device has allocated.")
      .def_prop_ro("driver_version", &Device::driverVersion)
      .def("external_stream", &Device::externalStream, "handle"_a, nb::call_guard<WithoutGil>(),
           "Wraps a stream of another library by its driver handle.")
      .def("per_thread_stream", &Device::perThreadStream)
      .def(
          "pin",
          [](Device &device, nb::handle start, nb::handle nbytes) {
            uint64_t address = toUnsigned(start, "an address");
            uint64_t bytes = toUnsigned(nbytes, "the number of bytes");
            WithoutGil release;
            device.pin(toPointer(address), bytes);
          },
          "address"_a.none(), "nbytes"_a.none())
      .def(
          "unpin", [](Device &device, uint64_t address) { device.unpin(toPointer(address)); },
          "address"_a, nb::call_guard<WithoutGil>())
      .def("can_access", &Device::canAccess, "other"_a)
      .def("enable_access", &Device::enableAccess, "other"_a)
      .def("export_memory", exportMemory, "address"_a)
      .def("import_memory", importMemory, "handle"_a, "nbytes"_a)
      .def("start_profiler", &Device::startProfiler)
      .def("stop_profiler", &Device::stopProfiler);
}

/// The CUDA driver's number for each device attribute.
nb::dict makeAttributeNumbers() {
  nb::dict out;
#define HEDDLE_ATTRIBUTE(name, number, value) out[#name] = number;
#include "runtime/device_attributes.def"
  return out;
}

void bindDevice(nb::module_ &m) {
  m.def("device_attribute_numbers", makeAttributeNumbers,
        "The CUDA driver's numbers of device attributes, by name.");
  m.def("is_memory", isMappedMemory, "first"_a, "end"_a, "writable"_a,
        "True if these addresses are mapped in this process.");
  nb::class_<Device> device(m, "Device", "A processor that kernels run on.");
  device.def_prop_ro("index", &Device::index)
      .def_prop_ro("type", &Device::type)
      .def_prop_ro("name", &Device::name)
      .def_prop_ro("uuid", &Device::uuid)
      .def_prop_ro("compute_capability", &Device::computeCapability)
      .def_prop_ro("limits", makeLimitsDict)
      .def("attribute", &Device::attribute, "name"_a,
           "The value of a device attribute by its CUDA driver name without CU_DEVICE_ATTRIBUTE_; "
           "None for unknown names.")
      .def("attribute_names", &Device::attributeNames)
      .def("memory_info",
           [](const Device &device) {
             MemoryInfo info = device.memoryInfo();
             return std::pair(info.free, info.total);
           })
      .def("allocate", allocateBuffer, "nbytes"_a.none(), "kind"_a = "device")
      .def(
          "create_stream",
          [](Device &device, bool isBlocking) {
            return device.createStream(isBlocking ? StreamKind::Blocking : StreamKind::NonBlocking);
          },
          "blocking"_a = true, "blocking: the stream synchronizes with the default stream.")
      .def_prop_ro(
          "default_stream", [](Device &device) { return &device.defaultStream(); },
          nb::rv_policy::reference)
      .def(
          "create_event",
          [](Device &device, nb::handle timing) {
            int isTrue = PyObject_IsTrue(timing.ptr());
            if (isTrue < 0)
              throw nb::python_error();
            return device.createEvent(isTrue);
          },
          "timing"_a.none() = true)
      .def("synchronize", &Device::synchronize, nb::call_guard<WithoutGil>());
  bindDriverServices(device);
  m.def(
      "default_device_index", [] { return defaultDevice().index(); },
      "The device of threads that selected none.");
  m.def("no_gpu_reason", noGpuReason,
        "One sentence that explains why there is no GPU; empty if there is one.");
  m.def("devices", [] {
    nb::list list;
    for (const auto &device : devices())
      list.append(nb::cast(device.get(), nb::rv_policy::reference));
    return list;
  });
}

void bindBuffer(nb::module_ &m) {
  nb::class_<Buffer>(m, "Buffer", nb::is_weak_referenceable(),
                     "Device memory, freed with the object.")
      .def_prop_ro("address",
                   [](const Buffer &b) { return reinterpret_cast<uint64_t>(b.address()); })
      .def_prop_ro("nbytes", &Buffer::bytes)
      .def_prop_ro("host_accessible", &Buffer::isHostAccessible)
      .def("is_freed_after_work_of", &Buffer::isFreedAfterWorkOf, "stream"_a,
           "True if work in the stream need not keep the memory alive.")
      .def_prop_ro("device", [](const Buffer &b) { return &b.device(); }, nb::rv_policy::reference);
}

void bindEvent(nb::module_ &m) {
  nb::class_<Event>(m, "Event", nb::is_weak_referenceable(), "A point in a stream's work.")
      .def("done", &Event::done)
      .def_prop_ro("native_handle", &Event::nativeHandle)
      .def("synchronize", &Event::synchronize, nb::call_guard<WithoutGil>())
      .def("milliseconds_since", &Event::millisecondsSince, "earlier"_a);
}

std::function<void()> makeCallback(nb::callable function) {
  PyObject *f = function.ptr();
  return [f, alive = keepAlive(std::move(function))] { callAndIgnoreResult(f); };
}

void bindStream(nb::module_ &m) {
  nb::class_<Stream>(m, "Stream", nb::is_weak_referenceable(), "Work in order.")
      .def_prop_ro(
          "device", [](const Stream &s) { return &s.device(); }, nb::rv_policy::reference)
      .def("done", &Stream::done)
      .def_prop_ro("native_handle", &Stream::nativeHandle)
      .def("synchronize", &Stream::synchronize, nb::call_guard<WithoutGil>())
      .def("wait_for_earlier_work", &Stream::waitForEarlierWork, nb::call_guard<WithoutGil>(),
           "Waits until newly enqueued work could begin.")
      .def_prop_ro("capturing", &Stream::isCapturing)
      // The begin of a capture may wait for a free that waits for the device.
      .def("begin_capture", &Stream::beginCapture, nb::call_guard<WithoutGil>())
      .def("end_capture", &Stream::endCapture, nb::call_guard<WithoutGil>())
      // A driver call may wait while the driver's queue is full, possibly for a callback that needs the GIL.
      .def("record", &Stream::record, "event"_a, nb::call_guard<WithoutGil>())
      .def("wait", &Stream::waitForEvent, "event"_a, nb::call_guard<WithoutGil>())
      .def(
          "callback",
          [](Stream &s, nb::callable function) {
            std::function<void()> call = makeCallback(std::move(function));
            WithoutGil release;
            s.addCallback(std::move(call));
          },
          "function"_a)
      .def(
          "call_in_order",
          [](Stream &s, nb::callable function) {
            std::function<void()> call = makeCallback(std::move(function));
            WithoutGil release;
            s.callInOrder(std::move(call));
          },
          "function"_a, "The same as callback() for a function that does the program's work.")
      .def(
          "copy",
          [](Stream &s, uint64_t to, uint64_t from, size_t bytes, nb::object alive) {
            std::shared_ptr<void> held = keepAlive(std::move(alive));
            recordNextCopyForCheck();
            WithoutGil release;
            s.copy(toPointer(to), toPointer(from), bytes, std::move(held));
          },
          "dst"_a, "src"_a, "nbytes"_a, "keep_alive"_a.none() = nb::none())
      .def(
          "fill",
          [](Stream &s, uint64_t to, nb::handle byte, size_t bytes, nb::object alive) {
            uint8_t value = toUnsigned(byte, "the value of a byte", 255);
            std::shared_ptr<void> held = keepAlive(std::move(alive));
            recordNextCopyForCheck();
            WithoutGil release;
            s.fill(toPointer(to), value, bytes, std::move(held));
          },
          "dst"_a, "value"_a.none(), "nbytes"_a, "keep_alive"_a.none() = nb::none())
      .def(
          "upload",
          [](Stream &s, uint64_t to, uint64_t from, size_t bytes) {
            if (isInGraphCapture(s))
              refuseHostCopyInCapture();
            recordNextCopyForCheck();
            WithoutGil release;
            s.upload(toPointer(to), toPointer(from), bytes);
          },
          "dst"_a, "host_address"_a, "nbytes"_a,
          "Copies from pageable host memory, which may be changed once this returns.")
      .def(
          "download",
          [](Stream &s, uint64_t to, uint64_t from, size_t bytes) {
            if (isInGraphCapture(s))
              refuseHostCopyInCapture();
            recordNextCopyForCheck();
            WithoutGil release;
            s.download(toPointer(to), toPointer(from), bytes);
          },
          "host_address"_a, "src"_a, "nbytes"_a,
          "Copies to pageable host memory and waits for the copy.")
      .def("allocate", &Stream::allocate, "nbytes"_a, nb::call_guard<WithoutGil>(),
           "Allocates memory that is freed in stream order.");
}

void bindCache(nb::module_ &m) {
  m.def(
      "cache_info",
      [] {
        DiskCache cache = DiskCache::forKernels();
        uint64_t bytes = 0;
        auto entries = cache.list();
        for (const auto &e : entries)
          bytes += e.bytes;
        nb::dict d;
        d["directory"] = cache.directory();
        d["entries"] = entries.size();
        d["bytes"] = bytes;
        d["max_bytes"] = cache.maxBytes();
        d["problem"] = cache.problem();
        d["writable"] = cache.isWritable();
        return d;
      },
      "The disk cache of compiled kernels: its directory, contents and writability.");
  m.def(
      "cache_list",
      [] {
        nb::list list;
        DiskCache cache = DiskCache::forKernels();
        for (const auto &e : cache.list()) {
          nb::dict d;
          d["key"] = e.key;
          d["bytes"] = e.bytes;
          d["last_used"] = e.lastUsed;
          DiskCache::Label label = cache.readLabelOfEntry(e.key);
          d["functions"] = label.functions;
          d["target"] = label.target;
          list.append(d);
        }
        return list;
      },
      "The cache entries, most recently used first; last_used in seconds since 1970. functions: "
      "the names of the kernels; target: cpu or a GPU architecture.");
  m.def(
      "cache_clear", [] { return DiskCache::forKernels().clear(); },
      "Removes every entry and returns their number.");
}

/// Finishes the program's pending work at exit, including its prints. An error of that work becomes a warning.
void finishWorkAndShutDown() {
  bool interrupted = false;
  {
    WithoutGil release;
    try {
      cpu::waitForWorkAtExit();
    } catch (const Interrupted &) {
      interrupted = true;
    }
    cpu::shutDown();
  }
  shutDownGil();
  if (interrupted)
    throw Interrupted();
  if (std::shared_ptr<const KernelError> unseen = cpu::takeUnseenError())
    warnOfUnraisedKernelError(*unseen);
}

} // namespace

std::shared_ptr<void> keepAlive(nb::object object) {
  if (!object.is_valid() || object.is_none())
    return nullptr;
  return std::shared_ptr<void>(object.release().ptr(), [](void *held) {
    if (!Py_IsInitialized())
      return; // the process is ending; leak the object
    if (WithGil gil; gil)
      Py_DECREF(static_cast<PyObject *>(held));
  });
}

void bindRuntime(nb::module_ &m) {
  installGilForkHandler();
  registerExceptions();
  installInterruptCheck();
  setEmbedderLockCaller([](const std::function<void()> &release) {
    WithGil gil; // not held while the process ends; then nothing of Python is released
    release();
  });
  bindDevice(m);
  bindBuffer(m);
  bindGraphs(m);
  bindEvent(m);
  bindStream(m);
  bindDeviceArray(m);
  bindHostMemory(m);
  bindNumPyMemory(m);
  bindCache(m);
  m.def(
      "shutdown", cpu::shutDown, nb::call_guard<WithoutGil>(),
      "Ends the devices' threads; kernels stop between two blocks. Later work starts new threads.");
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(finishWorkAndShutDown));
}

} // namespace heddle
