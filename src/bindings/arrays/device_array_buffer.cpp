// The buffer protocol of device arrays, which NumPy tries first.
#include "bindings/arrays/device_array.h"

#include "bindings/arrays/byte_span.h"
#include "bindings/arrays/exported_memory.h"
#include "bindings/interpreter/gil.h"
#include "bindings/interpreter/serialized_scope.h"
#include "bindings/runtime.h"
#include "runtime/cpu/device.h"

#include <algorithm>
#include <utility>

namespace nb = nanobind;

namespace heddle {

namespace {

/// The range of the elements' bytes.
std::pair<const char *, const char *> byteRangeOf(const DeviceArray &a) {
  ByteSpan span = byteSpanOf(a.shape, a.strides, a.itemsize);
  auto *first = static_cast<const char *>(a.address);
  return {first + span.low, first + span.high};
}

/// The reason why a consumer with these flags cannot have the array; null if it can.
const char *whyBufferIsRefused(const DeviceArray &a, int flags) {
  auto wants = [&](int flag) { return (flags & flag) == flag; };
  if (!a.device->usesHostMemory())
    return "this array is in a GPU's memory, which the buffer protocol cannot share: use "
           "copy_to_host()";
  if (a.format.empty())
    return "the buffer protocol has no format for this array's dtype";
  if (wants(PyBUF_WRITABLE) && a.readonly)
    return "this array is read-only";
  if (wants(PyBUF_C_CONTIGUOUS) && !a.cContiguous)
    return "this array is not C-contiguous";
  if (wants(PyBUF_F_CONTIGUOUS) && !a.fContiguous)
    return "this array is not Fortran-contiguous";
  if (wants(PyBUF_ANY_CONTIGUOUS) && !a.cContiguous && !a.fContiguous)
    return "this array is not contiguous";
  if (!wants(PyBUF_STRIDES) && !a.cContiguous)
    return "this array has strides, and the consumer takes none";
  return nullptr;
}

/// Removes and returns the error of the calling thread's last buffer request, if it failed.
nb::object takeErrorOfFailedBufferRequest(DeviceArray &a) {
  unsigned long thread = PyThread_get_thread_ident();
  auto mine = std::find_if(a.failedRequests.begin(), a.failedRequests.end(),
                           [&](const auto &failed) { return failed.first == thread; });
  if (mine == a.failedRequests.end())
    return {};
  nb::object error = std::move(mine->second);
  a.failedRequests.erase(mine);
  return error;
}

/// Waits for the device, so that the consumer reads computed values. Returns false with a pending exception.
bool synchronizeForExport(DeviceArray &a) {
  takeErrorOfFailedBufferRequest(a);
  try {
    WithoutGil release;
    a.device->synchronize();
    return true;
  } catch (...) {
    setPythonError(std::current_exception());
  }
  nb::python_error error;
  a.failedRequests.emplace_back(PyThread_get_thread_ident(), nb::borrow(error.value()));
  error.restore();
  return false;
}

} // namespace

int getArrayBuffer(PyObject *object, Py_buffer *view, int flags) {
  SerializedScope scope;
  view->obj = nullptr;
  if (!nb::inst_ready(object)) {
    PyErr_SetString(PyExc_BufferError, "this array was not initialized");
    return -1;
  }
  DeviceArray &a = *nb::inst_ptr<DeviceArray>(object);
  if (const char *why = whyBufferIsRefused(a, flags)) {
    PyErr_SetString(PyExc_BufferError, why);
    return -1;
  }
  if (!synchronizeForExport(a))
    return -1;
  view->buf = a.address;
  view->len = a.size * a.itemsize;
  view->itemsize = a.itemsize;
  view->readonly = a.readonly;
  view->ndim = int(a.shape.size());
  view->format = (flags & PyBUF_FORMAT) ? a.format.data() : nullptr;
  view->shape = (flags & PyBUF_ND) ? a.shape.data() : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? a.strides.data() : nullptr;
  view->suboffsets = nullptr;
  view->internal = nullptr;
  view->obj = Py_NewRef(object);
  ++a.buffers;
  auto [low, high] = byteRangeOf(a);
  if (!a.readonly)
    cpu::recordHostWriteForCheck(low, high - low);
  markExported(low, high);
  return 0;
}

void releaseArrayBuffer(PyObject *object, Py_buffer *) {
  SerializedScope scope;
  DeviceArray &a = *nb::inst_ptr<DeviceArray>(object);
  --a.buffers;
  auto [low, high] = byteRangeOf(a);
  unmarkExported(low, high);
}

void raiseErrorOfFailedBufferRequest(DeviceArray &a) {
  nb::object error = takeErrorOfFailedBufferRequest(a);
  if (!error.is_valid())
    return;
  PyErr_SetObject(error.type().ptr(), error.ptr());
  throw nb::python_error();
}

} // namespace heddle
