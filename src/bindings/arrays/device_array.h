// Arrays in device memory.
#pragma once

#include "bindings/arguments/arguments.h"
#include "runtime/device.h"

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// heddle._heddle.DeviceArrayBase. The Python subclass adds the methods; nanobind::inst_ptr<DeviceArray>(handle) reads
/// the fields without calling Python. After construction only change_layout() changes them.
struct DeviceArray {
  Device *device = nullptr;
  void *address = nullptr;
  std::vector<Py_ssize_t> shape;
  std::vector<Py_ssize_t> strides; ///< bytes per step along each axis
  std::string typestr;             ///< NumPy's dtype.str, such as "<f4"
  std::string format; ///< the same in the struct module's syntax; empty if not expressible
  Py_ssize_t itemsize = 0;
  Py_ssize_t size = 0; ///< number of elements
  bool readonly = false;
  bool cContiguous = false;
  bool fContiguous = false;
  nanobind::object owner; ///< keeps the memory alive
  /// By default, work on the array runs in the thread's array stream, as in CuPy.
  bool followsArrayStream = false;
  unsigned buffers = 0; ///< number of Py_buffers that expose the memory to other code
  /// Per thread: the error of the last failed buffer request. NumPy drops this error and then calls __array__(), which
  /// raises it again.
  std::vector<std::pair<unsigned long, nanobind::object>> failedRequests;

  python::Type element;              ///< unknown if kernels do not support the dtype
  std::unique_ptr<ArrayFacts> facts; ///< set by the first launch
};

/// The class of DeviceArray, set when it is bound.
inline PyTypeObject *deviceArrayClass = nullptr;

/// True for device arrays; usually of the Python subclass.
inline bool isDeviceArray(nanobind::handle value) {
  return PyType_IsSubtype(Py_TYPE(value.ptr()), deviceArrayClass) && nanobind::inst_ready(value);
}

/// The stream for the calling thread's work on the array, CuPy's current stream; null for the default stream.
Stream *arrayStreamOf(const DeviceArray &array);

/// The slots of the buffer protocol. Requesting a buffer waits for the device.
int getArrayBuffer(PyObject *array, Py_buffer *view, int flags);
void releaseArrayBuffer(PyObject *array, Py_buffer *view);
/// If the calling thread's last buffer request failed, raises its error and forgets it.
void raiseDroppedError(DeviceArray &array);

void bindDeviceArray(nanobind::module_ &m);
void bindDeviceArrayDlpack(nanobind::module_ &m);

} // namespace heddle
