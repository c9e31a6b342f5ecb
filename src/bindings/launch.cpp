// The launch path: kernel[grid, block, stream, sharedmem](arguments).

#include "bindings/gil.h"
#include "bindings/kernels.h"
#include "bindings/runtime.h"

#include "llvm/ADT/SmallVector.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Type;

namespace {

std::string classOf(nb::handle value) {
  return nb::cast<std::string>(nb::str(nb::object(value.type().attr("__name__"))));
}

/// The value as a message shows it.
std::string shown(nb::handle value) {
  try {
    return nb::cast<std::string>(nb::repr(value));
  } catch (const nb::python_error &) { // an int of more digits than Python prints, say
    return "a value of type " + classOf(value);
  }
}

/// The value as a Python int; nothing when it is none (a bool, a float, an array of several elements).
nb::object integerOf(nb::handle value) {
  if (PyLong_CheckExact(value.ptr()))
    return nb::borrow(value);
  if (!PyIndex_Check(value.ptr()) || PyBool_Check(value.ptr()))
    return {};
  nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid())
    PyErr_Clear();
  return number;
}

/// One extent of a grid or block.
uint32_t extentOf(nb::handle value, const char *what) {
  nb::object number = integerOf(value);
  if (!number.is_valid())
    throw nb::type_error(
        (std::string("the ") + what + " must be an int or a tuple of ints, not " + classOf(value))
            .c_str());
  int64_t extent;
  if (!nb::try_cast(number, extent) || extent < 1 || extent > UINT32_MAX) {
    PyErr_Clear();
    throw nb::value_error((std::string("the ") + what + " has an extent of " + shown(number) +
                           "; every extent must be at least 1 and below 2**32")
                              .c_str());
  }
  return uint32_t(extent);
}

Dim3 dimensionsOf(nb::handle value, const char *what) {
  Dim3 d;
  if (!PyTuple_Check(value.ptr()) && !PyList_Check(value.ptr())) {
    if (value.is_none())
      throw nb::value_error(
          (std::string("the ") + what + " is None: a launch needs kernel[grid, block](...)")
              .c_str());
    d.x = extentOf(value, what);
    return d;
  }
  size_t n = nb::len(value);
  if (n < 1 || n > 3)
    throw nb::value_error((std::string("the ") + what + " has " + std::to_string(n) +
                           " dimensions; 1 to 3 are possible")
                              .c_str());
  uint32_t *extents[] = {&d.x, &d.y, &d.z};
  for (size_t i = 0; i < n; ++i)
    *extents[i] = extentOf(nb::object(value[i]), what);
  return d;
}

/// The stream of a launch; null for the default stream. None, 0 and numba's default stream handles 1 and 2 mean that.
std::shared_ptr<Stream> streamOf(nb::handle value) {
  if (value.is_none())
    return nullptr;
  if (PyLong_CheckExact(value.ptr())) {
    int64_t handle = -1;
    if (nb::try_cast(value, handle) && handle >= 0 && handle <= 2)
      return nullptr;
    PyErr_Clear();
  }
  std::shared_ptr<Stream> stream;
  nb::object native = nb::getattr(value, "__heddle_stream__", nb::borrow(value));
  if (native.is_none())
    return nullptr;
  if (nb::try_cast(native, stream))
    return stream;
  throw nb::type_error(
      ("the stream of a launch must be a cuda.stream() or 0, not " + shown(value)).c_str());
}

} // namespace

std::unique_ptr<ConfiguredKernel> configure(nb::handle self, nb::handle configuration) {
  if (!PyTuple_Check(configuration.ptr()) || nb::len(configuration) < 2 ||
      nb::len(configuration) > 4)
    throw nb::value_error("a launch is written kernel[grid, block](...), or kernel[grid, block, "
                          "stream, shared memory "
                          "in bytes](...)");
  nb::tuple items = nb::borrow<nb::tuple>(configuration);
  LaunchShape shape;
  shape.grid = dimensionsOf(items[0], "grid");
  shape.block = dimensionsOf(items[1], "block");
  std::shared_ptr<Stream> stream;
  if (items.size() > 2)
    stream = streamOf(items[2]);
  if (items.size() > 3) {
    int64_t bytes = -1;
    nb::object amount = integerOf(items[3]);
    if (!amount.is_valid() || !nb::try_cast(amount, bytes) || bytes < 0 || bytes > UINT32_MAX) {
      PyErr_Clear();
      throw nb::value_error(
          ("the dynamic shared memory must be a number of bytes, 0 or more, not " + shown(items[3]))
              .c_str());
    }
    shape.dynamicSharedBytes = uint32_t(bytes);
  }
  return std::make_unique<ConfiguredKernel>(nb::borrow(self), shape, std::move(stream));
}

namespace {

/// A host array that the kernel may not see in place: it overlaps another argument or is not aligned.
struct Copy {
  nb::object copy;
  nb::object original;
  bool back;
};

/// Whether running the kernel on the array itself could be told from copy in, run, copy back.
bool needsCopy(const ArgumentList &arguments, const ArrayArgument &array,
               const std::vector<bool> &written) {
  if (!array.onHost)
    return false;
  if (array.misaligned)
    return true;
  bool changed = written[array.argument];
  if (changed && !array.copiesOut)
    return true;
  for (const ArrayArgument &other : arguments.arrays)
    if (&other != &array && other.onHost && (changed || written[other.argument]) &&
        array.low < other.high && other.low < array.high)
      return true;
  return false;
}

/// Puts aligned, contiguous-as-before copies in the place of arrays that need one.
llvm::SmallVector<Copy, 2> replaceByCopies(ArgumentList &arguments,
                                           const std::vector<bool> &written) {
  llvm::SmallVector<Copy, 2> copies;
  llvm::SmallVector<const ArrayArgument *, 2> wanted;
  for (const ArrayArgument &array : arguments.arrays)
    if (needsCopy(arguments, array, written))
      wanted.push_back(&array);
  if (wanted.empty())
    return copies;
  nb::module_ numpy = nb::module_::import_("numpy");
  for (const ArrayArgument *array : wanted) {
    nb::object original = nb::borrow(array->owner);
    nb::object view = numpy.attr("asarray")(original);
    nb::object copy = numpy.attr("require")(numpy.attr("copy")(view, "K"), nb::none(), "A");
    Py_buffer bufferView;
    if (PyObject_GetBuffer(copy.ptr(), &bufferView, PyBUF_FULL_RO) != 0)
      throw nb::python_error();
    arguments.slots[array->slot] = reinterpret_cast<uint64_t>(bufferView.buf);
    for (int axis = 0; axis < bufferView.ndim; ++axis)
      arguments.slots[array->slot + 1 + bufferView.ndim + axis] = bufferView.strides[axis];
    PyBuffer_Release(&bufferView);
    copies.push_back({copy, view, array->copiesOut && written[array->argument]});
  }
  return copies;
}

[[noreturn]] void refuseKeywords(const Dispatcher &dispatcher, nb::handle keywords) {
  std::string names;
  for (auto [name, value] : nb::borrow<nb::dict>(keywords))
    names += (names.empty() ? "" : ", ") + nb::cast<std::string>(name);
  throw nb::type_error((nb::cast<std::string>(dispatcher.function().attr("__name__")) +
                        "() takes arguments by position only; it was given " + names +
                        " by keyword")
                           .c_str());
}

void refuseMisaligned(const ArgumentList &arguments) {
  for (const ArrayArgument &array : arguments.arrays)
    if (array.misaligned && !array.onHost)
      throw nb::value_error(("argument " + std::to_string(array.argument + 1) +
                             " is a device array whose elements are not aligned to their size")
                                .c_str());
}

} // namespace

ConfiguredKernel::ConfiguredKernel(nb::object dispatcher, LaunchShape shape,
                                   std::shared_ptr<Stream> stream)
    : owner_(std::move(dispatcher)), dispatcher_(nb::cast<Dispatcher &>(owner_)), shape_(shape),
      stream_(std::move(stream)) {}

void ConfiguredKernel::launch(nb::args values, nb::kwargs keywords) {
  if (keywords.size())
    refuseKeywords(dispatcher_, keywords);
  Device &device = stream_ ? stream_->device() : currentDevice();
  Stream &stream = stream_ ? *stream_ : device.defaultStream();
  ArgumentList arguments(dispatcher_.function());
  dispatcher_.readArguments(values, device, arguments);
  Variant &variant = dispatcher_.variantFor(device, arguments);
  checkLaunch(device, *variant.kernel, shape_);

  llvm::SmallVector<Copy, 2> copies;
  if (arguments.misaligned)
    refuseMisaligned(arguments);
  if (arguments.onHost)
    copies = replaceByCopies(arguments, variant.written);

  bool wait = arguments.onHost || dispatcher_.options().debug;
  // Device arrays stay alive while a launch that nobody waits for runs.
  std::shared_ptr<void> memory =
      wait || arguments.arrays.empty() ? nullptr : keepAlive(arguments.owners());
  try {
    WithoutGil release;
    stream.launch(*variant.kernel, shape_, {arguments.slots.data(), arguments.slots.size()},
                  std::move(memory));
    if (wait)
      stream.synchronize();
  } catch (const Interrupted &) {
    arguments.leakMemory();
    for (Copy &copy : copies)
      copy.copy.release();
    throw;
  }
  for (Copy &copy : copies)
    if (copy.back)
      nb::module_::import_("numpy").attr("copyto")(copy.original, copy.copy);
}

namespace {

/// Null while the thread has selected none.
thread_local Device *current = nullptr;

} // namespace

Device &currentDevice() {
  if (!current)
    current = &defaultDevice();
  return *current;
}

void bindLaunches(nb::module_ &m) {
  nb::class_<ConfiguredKernel>(m, "ConfiguredKernel",
                               "A kernel with its grid, block, stream and shared memory.")
      .def("__call__", &ConfiguredKernel::launch, "Launch the kernel with these arguments.");
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
