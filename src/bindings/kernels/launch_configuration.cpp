#include "bindings/kernels/launch_configuration.h"

#include "bindings/kernels/kernels.h"
#include "bindings/types/python_classes.h"

#include <optional>
#include <string>
#include <utility>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

namespace {

/// The value's repr() for messages.
std::string formatValue(nb::handle value) {
  try {
    return nb::cast<std::string>(nb::repr(value));
  } catch (const nb::python_error &) { // for example an int with more digits than Python prints
    return "a value of type " + classNameOf(value);
  }
}

/// Converts the value to a Python int; null for a bool, a float or an array with several elements.
nb::object toInteger(nb::handle value) {
  if (PyLong_CheckExact(value.ptr()))
    return nb::borrow(value);
  if (!PyIndex_Check(value.ptr()) || PyBool_Check(value.ptr()))
    return {};
  nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid())
    PyErr_Clear();
  return number;
}

/// Reads one extent of a grid or block.
uint32_t parseExtent(nb::handle value, const char *what) {
  if (PyLong_CheckExact(value.ptr())) {
    int overflow = 0;
    long extent = PyLong_AsLongAndOverflow(value.ptr(), &overflow);
    if (!overflow && extent >= 1 && extent <= UINT32_MAX) [[likely]]
      return uint32_t(extent);
  }
  nb::object number = toInteger(value);
  if (!number.is_valid())
    throw nb::type_error((std::string("the ") + what + " must be an int or a tuple of ints, not " +
                          classNameOf(value) +
                          (PyFloat_Check(value.ptr())
                               ? "\n  hint: divide with //, or round up with math.ceil(n / block)"
                               : ""))
                             .c_str());
  int overflow = 0;
  long long extent = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow || extent < 1 || extent > UINT32_MAX)
    throw nb::value_error((std::string("the ") + what + " has an extent of " + formatValue(number) +
                           "; every extent must be at least 1 and below 2**32" +
                           (extent == 0 ? "\n  hint: n // block is 0 for a small n: round up with "
                                          "(n + block - 1) // block"
                                        : ""))
                              .c_str());
  return uint32_t(extent);
}

Dim3 parseDimensions(nb::handle value, const char *what) {
  Dim3 d;
  if (PyLong_CheckExact(value.ptr())) {
    d.x = parseExtent(value, what);
    return d;
  }
  if (!PyTuple_Check(value.ptr()) && !PyList_Check(value.ptr())) {
    if (value.is_none())
      throw nb::value_error(
          (std::string("the ") + what + " is None: a launch needs kernel[grid, block](...)")
              .c_str());
    d.x = parseExtent(value, what);
    return d;
  }
  bool isTuple = PyTuple_Check(value.ptr());
  size_t n = isTuple ? size_t(PyTuple_Size(value.ptr())) : nb::len(value);
  if (n < 1 || n > 3)
    throw nb::value_error((std::string("the ") + what + " has " + std::to_string(n) +
                           " dimensions; it must have 1 to 3")
                              .c_str());
  uint32_t *extents[] = {&d.x, &d.y, &d.z};
  for (size_t i = 0; i < n; ++i)
    *extents[i] = isTuple ? parseExtent(PyTuple_GetItem(value.ptr(), Py_ssize_t(i)), what)
                          : parseExtent(nb::object(value[i]), what);
  return d;
}

[[noreturn]] void rejectStream(nb::handle value) {
  std::string message =
      "the stream of a launch must be a cuda.stream() or 0, not " + formatValue(value);
  if (!currentDevice().usesHostMemory())
    message += "; another library's stream for this GPU will do, too, or its handle";
  throw nb::type_error(message.c_str());
}

/// An attribute with a non-negative int; nullopt otherwise.
std::optional<uint64_t> numericAttribute(nb::handle value, const char *name) {
  nb::object found = nb::getattr(value, name, nb::none());
  if (!PyLong_Check(found.ptr()))
    return {};
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(found.ptr(), &overflow);
  if (overflow < 0 || (!overflow && number < 0))
    return {};
  return overflow ? PyLong_AsUnsignedLongLongMask(found.ptr()) : uint64_t(number);
}

/// The driver handle of another library's stream object; nullopt for other objects.
std::optional<uint64_t> driverHandleOfStream(nb::handle value) {
  nb::object protocol = nb::getattr(value, "__cuda_stream__", nb::none());
  if (!protocol.is_none()) { // cuda.core returns a pair of version and handle
    nb::object pair = PyCallable_Check(protocol.ptr()) ? protocol() : protocol;
    return PyLong_AsUnsignedLongLongMask(nb::object(nb::int_(nb::object(pair[1]))).ptr());
  }
  if (std::optional<uint64_t> handle = numericAttribute(value, "cuda_stream")) // torch
    return handle;
  if (classNameOf(value).find("Stream") != std::string::npos) // CuPy
    return numericAttribute(value, "ptr");
  return {};
}

/// The GPU of another library's stream; the current device if the stream has no such attribute.
Device &deviceOfStream(nb::handle stream) {
  Device &device = currentDevice();
  for (const char *name : {"device_index", "device_id"})
    if (std::optional<uint64_t> index = numericAttribute(stream, name);
        index && *index < devices().size() && devices()[*index]->type() == device.type())
      return *devices()[*index];
  return device;
}

std::shared_ptr<Stream> streamOfHandle(Device &device, uint64_t handle, nb::handle value) {
  constexpr uint64_t perThread = 2; // the driver's value; 0 and 1 are the default stream
  if (handle <= 1 || (handle == perThread && device.usesHostMemory()))
    return &device == &currentDevice() ? nullptr : device.externalStream(handle);
  if (device.usesHostMemory())
    rejectStream(value);
  return handle == perThread ? device.perThreadStream() : device.externalStream(handle);
}

/// True for an int, and for a tuple of ints.
[[maybe_unused]] bool isIntOrTupleOfInts(PyObject *value) {
  if (!PyTuple_CheckExact(value))
    return PyLong_CheckExact(value);
  for (Py_ssize_t i = 0; i < PyTuple_Size(value); ++i)
    if (!PyLong_CheckExact(PyTuple_GetItem(value, i)))
      return false;
  return true;
}

uint32_t parseSharedBytes(nb::handle value) {
  int overflow = 0;
  nb::object amount = toInteger(value);
  long long bytes = amount.is_valid() ? PyLong_AsLongLongAndOverflow(amount.ptr(), &overflow) : -1;
  if (overflow || bytes < 0 || bytes > UINT32_MAX)
    throw nb::value_error(
        ("the dynamic shared memory must be a non-negative number of bytes, not " +
         formatValue(value))
            .c_str());
  return uint32_t(bytes);
}

} // namespace

std::shared_ptr<Stream> readStream(nb::handle value) {
  if (value.is_none())
    return nullptr;
  if (PyLong_CheckExact(value.ptr())) {
    uint64_t handle = PyLong_AsUnsignedLongLong(value.ptr());
    if (handle == UINT64_MAX && PyErr_Occurred()) {
      PyErr_Clear();
      rejectStream(value);
    }
    return streamOfHandle(currentDevice(), handle, value);
  }
  nb::object native = nb::steal(PyObject_GetAttrString(value.ptr(), "__heddle_stream__"));
  if (!native.is_valid()) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) // a destroyed external stream
      throw nb::python_error();
    PyErr_Clear();
    native = nb::borrow(value);
  }
  if (native.is_none())
    return nullptr;
  std::shared_ptr<Stream> stream;
  if (nb::try_cast(native, stream))
    return stream;
  std::optional<uint64_t> handle = driverHandleOfStream(value);
  if (!handle)
    rejectStream(value);
  return streamOfHandle(deviceOfStream(value), *handle, value);
}

#ifndef Py_GIL_DISABLED
void KnownShape::storeIfConstant(PyObject *givenGrid, PyObject *givenBlock,
                                 const LaunchShape &given) {
  if (!isIntOrTupleOfInts(givenGrid) || !isIntOrTupleOfInts(givenBlock))
    return;
  PyObject *oldGrid = std::exchange(grid, Py_NewRef(givenGrid));
  PyObject *oldBlock = std::exchange(block, Py_NewRef(givenBlock));
  shape.grid = given.grid;
  shape.block = given.block;
  Py_XDECREF(oldGrid);
  Py_XDECREF(oldBlock);
}
#endif

void KnownShape::forget() {
  Py_XDECREF(std::exchange(grid, nullptr));
  Py_XDECREF(std::exchange(block, nullptr));
}

LaunchConfiguration readConfiguration(nb::handle configuration) {
  PyObject *tuple = configuration.ptr();
  Py_ssize_t n = PyTuple_Check(tuple) ? PyTuple_Size(tuple) : 0;
  if (n < 2 || n > 4)
    throw nb::value_error(("a launch is written kernel[grid, block](...), or kernel[grid, block, "
                           "stream, shared memory in bytes](...); " +
                           (PyTuple_Check(tuple) ? std::to_string(n) + " values were given"
                                                 : std::string("only the grid was given")))
                              .c_str());
  auto at = [&](Py_ssize_t i) { return nb::handle(i < n ? PyTuple_GetItem(tuple, i) : nullptr); };
  return readConfiguration(at(0), at(1), at(2), at(3));
}

LaunchConfiguration readConfiguration(nb::handle grid, nb::handle block, nb::handle stream,
                                      nb::handle sharedBytes) {
  LaunchConfiguration result;
  result.shape.grid = parseDimensions(grid, "grid");
  result.shape.block = parseDimensions(block, "block");
  if (stream.is_valid())
    result.stream = readStream(stream);
  if (sharedBytes.is_valid())
    result.shape.dynamicSharedBytes = parseSharedBytes(sharedBytes);
  return result;
}

} // namespace heddle
