#include "bindings/arrays/device_array.h"

#include "bindings/arrays/exported_memory.h"
#include "bindings/arrays/quick_arrays.h"
#include "bindings/interpreter/serialized_scope.h"
#include "bindings/types/types.h"

#include "bindings/interpreter/gil.h"
#include "bindings/runtime.h"
#include "support/diagnostic.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

namespace nb = nanobind;

namespace heddle {

namespace {

/// NumPy's limit on the number of dimensions (NPY_MAXDIMS of NumPy 2).
constexpr size_t maxRank = 64;

[[noreturn]] void reject(std::string message) {
  throw CompileError(ErrorKind::Value, std::move(message));
}

/// The number after the kind letter: bytes, except that U counts 4-byte characters.
Py_ssize_t itemsizeOfTypestr(const std::string &typestr) {
  if (typestr.size() < 3 || !std::strchr("<>|=", typestr[0]))
    reject("'" + typestr + "' is not a dtype string such as '<f4'");
  char *end = nullptr;
  long long n = std::strtoll(typestr.c_str() + 2, &end, 10);
  if (end == typestr.c_str() + 2 || n < 0 || n > (1LL << 40))
    reject("'" + typestr + "' is not a dtype string such as '<f4'");
  return typestr[1] == 'U' ? 4 * n : n;
}

/// The struct module's format for a NumPy kind and size.
std::string structFormatOf(const std::string &typestr, Py_ssize_t itemsize) {
  struct Row {
    char kind;
    Py_ssize_t itemsize;
    const char *format;
  };
  static constexpr Row rows[] = {
      {'b', 1, "?"}, {'i', 1, "b"}, {'i', 2, "h"},  {'i', 4, "i"},   {'i', 8, "q"},
      {'u', 1, "B"}, {'u', 2, "H"}, {'u', 4, "I"},  {'u', 8, "Q"},   {'f', 2, "e"},
      {'f', 4, "f"}, {'f', 8, "d"}, {'c', 8, "Zf"}, {'c', 16, "Zd"},
  };
  for (const Row &row : rows)
    if (typestr[1] == row.kind && itemsize == row.itemsize)
      return (typestr[0] == '>' ? ">" : "") + std::string(row.format);
  return "";
}

bool hasContiguousStrides(const DeviceArray &a, bool firstAxisFastest) {
  if (a.size == 0)
    return true;
  Py_ssize_t expected = a.itemsize;
  for (size_t i = 0; i < a.shape.size(); ++i) {
    size_t axis = firstAxisFastest ? i : a.shape.size() - 1 - i;
    if (a.shape[axis] != 1 && a.strides[axis] != expected)
      return false;
    expected *= a.shape[axis];
  }
  return true;
}

void setShapeStridesAndType(DeviceArray &a, std::vector<Py_ssize_t> shape,
                            std::vector<Py_ssize_t> strides, std::string typestr,
                            const std::optional<PythonType> &element) {
  if (shape.size() != strides.size())
    reject("a shape of " + std::to_string(shape.size()) + " extents with " +
           std::to_string(strides.size()) + " strides");
  if (shape.size() > maxRank)
    reject("an array has at most " + std::to_string(maxRank) + " axes, not " +
           std::to_string(shape.size()));
  Py_ssize_t itemsize = itemsizeOfTypestr(typestr), size = 1, bytes;
  for (Py_ssize_t extent : shape) {
    if (extent < 0)
      reject("an extent of " + std::to_string(extent) + ": extents must not be negative");
    if (__builtin_mul_overflow(size, extent, &size))
      reject("an array of more than 2^63 elements");
  }
  if (__builtin_mul_overflow(size, itemsize, &bytes))
    reject("an array of more than 2^63 bytes");
  a.itemsize = itemsize;
  a.size = size;
  a.format = structFormatOf(typestr, itemsize);
  a.element = element ? element->type : python::scalarTypeOfTypestr(typestr);
  a.typestr = std::move(typestr);
  a.shape = std::move(shape);
  a.strides = std::move(strides);
  a.cContiguous = hasContiguousStrides(a, false);
  a.fContiguous = hasContiguousStrides(a, true);
  a.facts = nullptr;
}

void constructArray(DeviceArray *self, Device &device, uint64_t address,
                    std::vector<Py_ssize_t> shape, std::vector<Py_ssize_t> strides,
                    std::string typestr, bool readonly, nb::object owner,
                    std::optional<PythonType> element, bool followsArrayStream) {
  DeviceArray a;
  setShapeStridesAndType(a, std::move(shape), std::move(strides), std::move(typestr), element);
  a.device = &device;
  a.address = reinterpret_cast<void *>(address);
  a.readonly = readonly;
  a.owner = std::move(owner);
  a.followsArrayStream = followsArrayStream;
  new (self) DeviceArray(std::move(a));
}

void changeLayout(DeviceArray &a, std::vector<Py_ssize_t> shape, std::vector<Py_ssize_t> strides,
                  std::string typestr, std::optional<PythonType> element) {
  if (a.buffers)
    throw nb::buffer_error("other code uses this array's memory: its layout cannot change");
  setShapeStridesAndType(a, std::move(shape), std::move(strides), std::move(typestr), element);
}

/// The calling thread's array streams by device index; null for the default stream.
thread_local std::vector<std::shared_ptr<Stream>> arrayStreams;

Stream *arrayStreamOfDevice(const Device &device) {
  return device.index() < arrayStreams.size() ? arrayStreams[device.index()].get() : nullptr;
}

void setArrayStream(const Device &device, std::shared_ptr<Stream> stream) {
  if (device.index() >= arrayStreams.size())
    arrayStreams.resize(device.index() + 1);
  arrayStreams[device.index()] = std::move(stream);
}

/// True if the array's memory need not be kept alive until work of the stream is done.
bool isFreedAfterWorkOf(const DeviceArray &array, const Stream &stream) {
  return nb::isinstance<Buffer>(array.owner) &&
         nb::cast<const Buffer &>(array.owner).isFreedAfterWorkOf(stream);
}

/// Copies between arrays in the memory of the stream's GPU that have the same contiguous layout. Does nothing and
/// returns false for other arrays.
bool copyIfSameLayout(nb::handle to, nb::handle from, Stream &stream) {
  const DeviceArray &target = *nb::inst_ptr<DeviceArray>(to);
  const DeviceArray &source = *nb::inst_ptr<DeviceArray>(from);
  Device &device = stream.device();
  bool isSame =
      target.device == &device && source.device == &device && target.typestr == source.typestr &&
      target.shape == source.shape &&
      ((target.cContiguous && source.cContiguous) || (target.fContiguous && source.fContiguous));
  // Structured dtypes may differ although their typestr is the same.
  if (!isSame || device.usesHostMemory() || target.readonly || target.typestr[1] == 'V')
    return false;
  size_t bytes = size_t(target.size) * size_t(target.itemsize);
  auto *first = static_cast<char *>(target.address), *other = static_cast<char *>(source.address);
  if (first < other + bytes && other < first + bytes)
    return false;
  bool keeps = !isFreedAfterWorkOf(target, stream) || !isFreedAfterWorkOf(source, stream) ||
               stream.isCapturing();
  std::shared_ptr<void> held = keeps ? keepAlive(nb::make_tuple(to, from)) : nullptr;
  WithoutGil release;
  stream.copy(first, other, bytes, std::move(held));
  return true;
}

nb::tuple tupleOf(const std::vector<Py_ssize_t> &values) {
  PyObject *tuple = PyTuple_New(Py_ssize_t(values.size()));
  if (!tuple)
    throw nb::python_error();
  for (size_t i = 0; i < values.size(); ++i)
    PyTuple_SetItem(tuple, Py_ssize_t(i), PyLong_FromSsize_t(values[i]));
  return nb::steal<nb::tuple>(tuple);
}

int traverseDeviceArray(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  if (!nb::inst_ready(object))
    return 0;
  const DeviceArray &a = *nb::inst_ptr<DeviceArray>(object);
  Py_VISIT(a.owner.ptr());
  for (const auto &[thread, error] : a.failedRequests)
    Py_VISIT(error.ptr());
  return 0;
}

int clearDeviceArray(PyObject *object) {
  if (!nb::inst_ready(object))
    return 0;
  DeviceArray &a = *nb::inst_ptr<DeviceArray>(object);
  a.owner.reset();
  std::exchange(a.failedRequests, {});
  return 0;
}

PyType_Slot slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void *>(getArrayBuffer)},
    {Py_bf_releasebuffer, reinterpret_cast<void *>(releaseArrayBuffer)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverseDeviceArray)},
    {Py_tp_clear, reinterpret_cast<void *>(clearDeviceArray)},
    {0, nullptr},
};

} // namespace

Stream *arrayStreamOf(const DeviceArray &array) {
  return array.followsArrayStream ? arrayStreamOfDevice(*array.device) : nullptr;
}

void bindDeviceArray(nb::module_ &m) {
  nb::class_<DeviceArray> bound(m, "DeviceArrayBase", nb::type_slots(slots),
                                nb::is_weak_referenceable(),
                                "An array in device memory: its address and layout.");
  deviceArrayClass = reinterpret_cast<PyTypeObject *>(bound.ptr());
  // Not def_ro() for members that change_layout() changes: it reads them after the guard's end.
  bound
      .def("__init__", constructArray, nb::arg("device"), nb::arg("address"), nb::arg("shape"),
           nb::arg("strides"), nb::arg("typestr"), nb::arg("readonly"), nb::arg("owner").none(),
           nb::arg("element").none() = nb::none(), nb::arg("follows_array_stream") = false,
           "element: the element type, if the typestr does not determine it. follows_array_stream: "
           "work on the array runs in the thread's array stream.")
      .def_prop_ro(
          "device", [](const DeviceArray &a) { return a.device; }, nb::rv_policy::reference)
      .def_prop_ro("address",
                   [](const DeviceArray &a) { return reinterpret_cast<uint64_t>(a.address); })
      .def_prop_ro(
          "shape", [](const DeviceArray &a) { return tupleOf(a.shape); }, serialized)
      .def_prop_ro(
          "strides", [](const DeviceArray &a) { return tupleOf(a.strides); }, serialized)
      .def_prop_ro(
          "typestr", [](const DeviceArray &a) { return a.typestr; }, serialized)
      .def_prop_ro(
          "itemsize", [](const DeviceArray &a) { return a.itemsize; }, serialized)
      .def_prop_ro(
          "ndim", [](const DeviceArray &a) { return a.shape.size(); }, serialized)
      .def_prop_ro(
          "size", [](const DeviceArray &a) { return a.size; }, serialized)
      .def_prop_ro(
          "nbytes", [](const DeviceArray &a) { return a.size * a.itemsize; }, serialized)
      .def_ro("readonly", &DeviceArray::readonly)
      .def_ro("owner", &DeviceArray::owner)
      .def("raise_dropped_error", raiseErrorOfFailedBufferRequest, serialized,
           "Raises the error of this thread's last buffer request once, if the request failed.")
      .def("change_layout", changeLayout, nb::arg("shape"), nb::arg("strides"), nb::arg("typestr"),
           nb::arg("element").none() = nb::none(), serialized,
           "Changes the layout of the array. Raises BufferError while other code uses its memory.");
  m.def("copy_contiguous", copyIfSameLayout, nb::arg("target"), nb::arg("source"),
        nb::arg("stream"), serialized,
        "Copies if both device arrays have the same contiguous layout and are on the stream's GPU. "
        "Otherwise does nothing and returns False.");
  m.def("set_array_stream", setArrayStream, nb::arg("device"), nb::arg("stream").none(),
        "Sets the thread's stream for work on a device's arrays; None for the default stream.");
  m.def(
      "array_stream",
      [](Device &device) {
        Stream *stream = arrayStreamOfDevice(device);
        return stream ? stream : &device.defaultStream();
      },
      nb::arg("device"), nb::rv_policy::reference,
      "The thread's stream for work on a device's arrays.");
  bindExportedMemory(m);
  bindQuickArrays(m);
  bindDeviceArrayDlpack(m);
}

} // namespace heddle
