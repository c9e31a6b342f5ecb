// Reads the arrays among the arguments of a launch.
#include "bindings/arguments/arguments.h"
#include "bindings/arrays/device_array.h"
#include "bindings/arrays/exported_memory.h"
#include "bindings/interpreter/gil.h"
#include "bindings/types/dtypes.h"
#include "bindings/types/types.h"
#include "bindings/values/numpy_classes.h"
#include "frontend/python/types/records.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Type;

namespace {

/// The element type for a buffer's format string (`struct` module syntax); unknown if kernels do not support it.
Type elementOfFormat(const char *format, Py_ssize_t itemsize) {
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  if (format[0] == 'Z' && (format[1] == 'f' || format[1] == 'd') && format[2] == '\0')
    return python::complexType(format[1] == 'f' ? 64 : 128);
  if (format[0] == '\0' || format[1] != '\0')
    return {};
  switch (*format) {
  case '?':
    return python::boolType();
  case 'b':
  case 'h':
  case 'i':
  case 'l':
  case 'q':
  case 'n':
    return python::intType(itemsize * 8, true);
  case 'B':
  case 'H':
  case 'I':
  case 'L':
  case 'Q':
  case 'N':
    return python::intType(itemsize * 8, false);
  case 'e':
    return python::floatType(16);
  case 'f':
    return python::floatType(32);
  case 'd':
    return python::floatType(64);
  default:
    return {};
  }
}

} // namespace

/// Reads a NumPy array, also of a subclass.
Type ArgumentList::readNumPyArray(nb::handle value) {
  if (Py_TYPE(value.ptr()) != NumPyClasses::get().ndarray)
    if (std::optional<Type> type = readManagedOrExportedArray(value))
      return *type;
  return readBuffer(value);
}

Type ArgumentList::readBuffer(nb::handle value, bool isOnHost) {
  bool isNumPy = isNumPyArray(value);
  Py_buffer view;
  if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_FULL_RO) != 0) {
    PyErr_Clear();
    if (isNumPy) // not every dtype has a format string
      return readElementsWithoutFormat(value, isOnHost);
    reject(value, describeUnsupportedArray(value));
  }
  if (view.ndim && !view.strides) { // C order, as in ctypes arrays
    PyBuffer_Release(&view);
    converted_.push_back(nb::module_::import_("numpy").attr("asarray")(value));
    return readBuffer(converted_.back(), isOnHost);
  }
  Type element = elementOfFormat(view.format ? view.format : "B", view.itemsize);
  if (!element && isNumPy) {
    PyBuffer_Release(&view);
    return readElementsWithoutFormat(value, isOnHost);
  }
  buffers_.push_back(view);
  if (!element && PyCallable_Check(value.ptr())) // functions of ctypes have buffers
    reject(value);
  if (!element)
    reject(value, nb::hasattr(value, "dtype")
                      ? describeUnsupportedArray(value)
                      : std::string("kernels have no type for elements of format ") + view.format);
  return addArrayOfLastBuffer(element, value, isOnHost);
}

/// Adds the array whose buffer was requested last.
Type ArgumentList::addArrayOfLastBuffer(Type element, nb::handle owner, bool isOnHost) {
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  const Py_buffer &view = buffers_.back();
  ArrayView array{view.buf,
                  element,
                  unsigned(view.ndim),
                  reinterpret_cast<const int64_t *>(view.shape),
                  reinterpret_cast<const int64_t *>(view.strides),
                  bool(view.readonly)};
  return addArray(array, computeArrayFacts(array, aligns_, !inHostMemory_), owner, isOnHost);
}

/// Reads a NumPy array whose dtype has no format string, as bytes with the dtype's type.
Type ArgumentList::readElementsWithoutFormat(nb::handle value, bool isOnHost) {
  Type element = typeOfDtype(value.attr("dtype"));
  if (!element)
    reject(value, describeUnsupportedArray(value));
  const NumPyClasses &numpy = NumPyClasses::get();
  std::string bytes = "V" + std::to_string(element->bytes());
  converted_.push_back(numpy.viewAs(value, bytes, nb::handle((PyObject *)numpy.ndarray)));
  Py_buffer view;
  if (PyObject_GetBuffer(converted_.back().ptr(), &view, PyBUF_FULL_RO) != 0)
    throw nb::python_error();
  buffers_.push_back(view);
  // Results of a host function that refer to the array keep the program's array alive.
  return addArrayOfLastBuffer(element, others_ ? value : nb::handle(converted_.back()), isOnHost);
}

/// Passes a scalar of a structured dtype by address, because a kernel may change its fields.
Type ArgumentList::readRecord(nb::handle value) {
  Type record = typeOfDtype(value.attr("dtype"));
  if (!record)
    reject(value, describeUnsupportedArray(value));
  converted_.push_back(nb::module_::import_("heddle.cuda.host_memory").attr("view_record")(value));
  Type array = readElementsWithoutFormat(converted_.back(), /*isOnHost=*/true);
  Type type = recordTypeInSpace(array->element, simt::Global, array->readOnly);
  arrays.back().facts.type = type;
  return type;
}

Type ArgumentList::readDeviceArray(nb::handle value) {
  DeviceArray &array = *nb::inst_ptr<DeviceArray>(value);
  if (device_ && array.device != device_ && !device_->hasAccess(*array.device))
    reject(value, "it is on another device (" + array.device->name() + ") than the kernel (" +
                      device_->name() + "); copy it with to_device()");
  if (!array.element)
    reject(value, "kernels have no type for elements of type " + array.typestr);
  if (others_ && device_) {
    // Host functions read the values on the host.
    WithoutGil release;
    array.device->synchronize();
  }
  if (Stream *stream = arrayStreamOf(array); stream && device_)
    addProducerStream(stream->nativeHandle());
  ArrayView view{array.address,
                 array.element,
                 unsigned(array.shape.size()),
                 reinterpret_cast<const int64_t *>(array.shape.data()),
                 reinterpret_cast<const int64_t *>(array.strides.data()),
                 array.readonly};
  // Cache the facts: an array's layout does not change, and most arrays are launched with more than once.
  if (!array.facts)
    array.facts = std::make_unique<ArrayFacts>(
        computeArrayFacts(view, !array.device->usesHostMemory(), /*copied=*/false));
  bool isRecord =
      view.ndim == 0 && view.element.isRecord() && nb::hasattr(value.type(), "__heddle_record__");
  Type type = addArray(view, *array.facts, value, false);
  return isRecord ? recordTypeInSpace(view.element, simt::Global, view.readOnly) : type;
}

Type ArgumentList::addArray(const ArrayView &view, const ArrayFacts &facts, nb::handle owner,
                            bool isOnHost) {
  // Written in place, because a copy of bytes that were just written stalls.
  ArrayArgument &added = arrays.emplace_back();
  added.argument = unsigned(kernelArguments.size());
  added.slot = unsigned(slots.size());
  added.onHost = isOnHost;
  added.copied = isOnHost && !inHostMemory_;
  added.copiesIn = copiesIn_;
  added.copiesOut = copiesOut_;
  added.facts = facts;
  added.owner = owner.ptr();
  onHost = onHost || isOnHost;
  misaligned = misaligned || (facts.misaligned && !isOnHost);
  size_t first = slots.size();
  slots.resize_for_overwrite(first + 1 + 2 * view.ndim);
  uint64_t *to = slots.data() + first;
  *to++ = reinterpret_cast<uint64_t>(view.data);
  for (unsigned axis = 0; axis < view.ndim; ++axis) {
    to[axis] = uint64_t(view.shape[axis]);
    to[view.ndim + axis] = uint64_t(view.strides[axis]);
  }
  return facts.type;
}

bool ArgumentList::isExported() const {
  return exportsAddress ||
         (hasExportedMemory() && llvm::any_of(arrays, [](const auto &array) {
            return !array.onHost && heddle::isExported(array.facts.low, array.facts.high);
          }));
}

void ArgumentList::markArraysWithoutOverlap() {
  constexpr size_t maxCompared = 32; // compilers use the fact for few arrays
  constexpr size_t maxPaired = 4;    // sorting so few arrays takes longer than to compare all pairs
  if (arrays.size() > maxCompared)
    return;
  auto mark = [&](const ArrayArgument &array, bool noAlias) {
    python::KernelArgument &argument = kernelArguments[array.argument];
    if (argument.type.isArray()) // else an array within a tuple
      argument.facts.noAlias = noAlias;
  };
  // Copied arrays have separate memory and overlap nothing.
  auto isAlone = [](const ArrayArgument &array) {
    return array.copied || array.facts.low == array.facts.high;
  };
  if (arrays.size() <= maxPaired) {
    auto overlap = [&](const ArrayArgument &a, const ArrayArgument &b) {
      return &a != &b && a.facts.low < b.facts.high && b.facts.low < a.facts.high && !isAlone(a) &&
             !isAlone(b);
    };
    for (const ArrayArgument &array : arrays)
      mark(array, llvm::none_of(arrays,
                                [&](const ArrayArgument &other) { return overlap(array, other); }));
    return;
  }
  llvm::SmallVector<const ArrayArgument *, maxCompared> byAddress;
  for (const ArrayArgument &array : arrays) {
    mark(array, isAlone(array));
    if (!isAlone(array))
      byAddress.push_back(&array);
  }
  auto isBefore = [](const ArrayArgument *a, const ArrayArgument *b) {
    return a->facts.low < b->facts.low;
  };
  if (!llvm::is_sorted(byAddress, isBefore))
    llvm::sort(byAddress, isBefore);
  const char *end = nullptr; // of the arrays before
  for (size_t i = 0; i < byAddress.size(); ++i) {
    const ArrayFacts &facts = byAddress[i]->facts;
    bool reachesNext = i + 1 < byAddress.size() && facts.high > byAddress[i + 1]->facts.low;
    mark(*byAddress[i], facts.low >= end && !reachesNext);
    end = std::max(end, facts.high);
  }
}

} // namespace heddle
