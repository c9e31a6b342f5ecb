// Arrays in a device's memory, as the launcher reads them.
#pragma once

#include "bindings/arguments/arguments.h"
#include "runtime/device.h"

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// heddle._heddle.DeviceArrayBase. Python's subclass adds the methods; nanobind::inst_ptr<DeviceArray>(handle) reads the
/// fields without a call into Python. Only change_layout() changes them after construction.
struct DeviceArray {
  Device *device = nullptr;
  void *address = nullptr;
  std::vector<Py_ssize_t> shape;
  std::vector<Py_ssize_t> strides; ///< bytes per step along each axis
  std::string typestr;             ///< NumPy's dtype.str, such as "<f4"
  std::string format; ///< the same as a format of the struct module; empty when it has none
  Py_ssize_t itemsize = 0;
  Py_ssize_t size = 0; ///< elements
  bool readonly = false;
  bool cContiguous = false;
  bool fContiguous = false;
  nanobind::object owner; ///< keeps the memory alive
  /// Work on the array is in the thread's array stream unless the program says otherwise: CuPy's rule.
  bool followsArrayStream = false;
  unsigned buffers = 0; ///< that show the memory to other code
  /// By the thread: the error of its last request for the buffer, if that failed. NumPy drops such an error and calls
  /// __array__() next, which raises it again.
  std::vector<std::pair<unsigned long, nanobind::object>> failedRequests;

  python::Type element;              ///< unknown for a dtype that kernels do not have
  std::unique_ptr<ArrayFacts> facts; ///< made by the first launch
};

/// The stream that the calling thread's work on the array is in, CuPy's current one; null for the default stream.
Stream *arrayStreamOf(const DeviceArray &array);

/// The slots of the buffer protocol. A request waits for the device.
int getArrayBuffer(PyObject *array, Py_buffer *view, int flags);
void releaseArrayBuffer(PyObject *array, Py_buffer *view);
/// Raises the error of the calling thread's last request, if that failed, once.
void raiseDroppedError(DeviceArray &array);

void bindDeviceArray(nanobind::module_ &m);
void bindDeviceArrayDlpack(nanobind::module_ &m);

} // namespace heddle
