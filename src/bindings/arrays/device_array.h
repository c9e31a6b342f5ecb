// Arrays in device memory.
#pragma once

#include "bindings/arguments/arguments.h"
#include "runtime/device.h"

#include <nanobind/nanobind.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// heddle._heddle.DeviceArrayBase. The Python subclass adds the methods; nanobind::inst_ptr<DeviceArray>(handle) reads
/// the fields without calling Python. After construction only change_layout() changes them.
struct DeviceArray {
  // A launch reads these members. They share one line of the processor's cache.
  Device *device = nullptr;
  void *address = nullptr;
  python::Type element;              ///< unknown if kernels do not support the dtype
  std::unique_ptr<ArrayFacts> facts; ///< set by the first launch
  bool readonly = false;
  bool cContiguous = false;
  bool fContiguous = false;
  /// If set, work on the array runs by default in arrayStreamOf(), as in CuPy.
  bool followsArrayStream = false;

  std::vector<Py_ssize_t> shape;
  std::vector<Py_ssize_t> strides; ///< bytes per step along each axis
  std::string typestr;             ///< NumPy's dtype.str, such as "<f4"
  std::string format; ///< the dtype in the struct module's syntax; empty if not expressible
  Py_ssize_t itemsize = 0;
  Py_ssize_t size = 0;    ///< number of elements
  nanobind::object owner; ///< keeps the memory alive
  unsigned buffers = 0;   ///< number of Py_buffers that expose the memory to other code
  /// For each thread, the error of its last failed buffer request. NumPy drops this error and then calls __array__(),
  /// which raises the error again.
  std::vector<std::pair<unsigned long, nanobind::object>> failedRequests;
};

/// The Python class of DeviceArray, set by bindDeviceArray().
inline PyTypeObject *deviceArrayClass = nullptr;

/// Its Python subclass, once an instance has been seen. Never freed.
inline std::atomic<PyTypeObject *> deviceArraySubclass = nullptr;

/// True for instances of deviceArrayClass and its Python subclass.
inline bool isDeviceArray(nanobind::handle value) {
  PyTypeObject *type = Py_TYPE(value.ptr());
  PyTypeObject *known = deviceArraySubclass.load(std::memory_order_relaxed);
  if (type != known) {
    if (!PyType_IsSubtype(type, deviceArrayClass))
      return false;
    if (!known && type != deviceArrayClass &&
        deviceArraySubclass.compare_exchange_strong(known, type))
      Py_INCREF(reinterpret_cast<PyObject *>(type));
  }
  return nanobind::inst_ready(value);
}

/// The stream for the calling thread's work on the array: CuPy's current stream if followsArrayStream is set. Null for
/// the default stream.
Stream *arrayStreamOf(const DeviceArray &array);

/// The slots of the buffer protocol. Requesting a buffer waits for the device.
int getArrayBuffer(PyObject *array, Py_buffer *view, int flags);
void releaseArrayBuffer(PyObject *array, Py_buffer *view);
/// If the calling thread's last buffer request failed, raises the error of that request, once.
void raiseErrorOfFailedBufferRequest(DeviceArray &array);

void bindDeviceArray(nanobind::module_ &m);
void bindDeviceArrayDlpack(nanobind::module_ &m);

} // namespace heddle
