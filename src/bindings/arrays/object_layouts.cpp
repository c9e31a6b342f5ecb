#include "bindings/arrays/object_layouts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace heddle {

namespace {

constexpr size_t wordBytes = sizeof(uint64_t);

template <class T> T readMember(const void *object, size_t offset) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), static_cast<const char *>(object) + offset, bytes.size());
  return std::bit_cast<T>(bytes);
}

/// The numbers in a C++ vector at an offset in an object, if there are `count`.
const int64_t *findVectorElements(const void *object, size_t offset, size_t count) {
  auto begin = readMember<uintptr_t>(object, offset);
  auto end = readMember<uintptr_t>(object, offset + wordBytes);
  bool fits = end - begin == count * sizeof(int64_t) && begin % alignof(int64_t) == 0 && begin;
  return fits ? reinterpret_cast<const int64_t *>(begin) : nullptr;
}

/// An array made to find the layout, and the values of its attributes.
struct Sample {
  nb::object array, pointer, dtype;
  uint64_t address;
  int deviceId;
  std::vector<int64_t> shape, strides;
};

/// Makes an array over memory that nothing accesses.
Sample makeSampleArray(nb::handle ndarray, uint64_t address, int deviceId,
                       std::vector<int64_t> shape, std::vector<int64_t> strides,
                       const char *dtype) {
  constexpr uint64_t bytes = 1 << 20, offset = 64;
  nb::object memory = nb::module_::import_("cupy.cuda.memory");
  nb::object unowned = memory.attr("UnownedMemory")(address - offset, bytes, nb::none(), deviceId);
  Sample sample;
  sample.pointer = memory.attr("MemoryPointer")(unowned, offset);
  sample.array = ndarray(nb::tuple(nb::cast(shape)), dtype, "memptr"_a = sample.pointer,
                         "strides"_a = nb::tuple(nb::cast(strides)));
  sample.pointer = sample.array.attr("data");
  sample.dtype = sample.array.attr("dtype");
  sample.address = address;
  sample.deviceId = deviceId;
  sample.shape = std::move(shape);
  sample.strides = std::move(strides);
  bool agrees = nb::cast<uint64_t>(sample.pointer.attr("ptr")) == address &&
                nb::cast<int>(sample.pointer.attr("device_id")) == deviceId &&
                nb::tuple(sample.array.attr("shape")).equal(nb::tuple(nb::cast(sample.shape))) &&
                nb::tuple(sample.array.attr("strides")).equal(nb::tuple(nb::cast(sample.strides)));
  if (!agrees)
    throw nb::type_error("cupy.ndarray has other attributes than expected");
  return sample;
}

/// The only offset in an object of `bytes` bytes, a multiple of `step`, for which `matches` returns true.
template <class Matches>
std::optional<size_t> findUniqueOffset(size_t bytes, size_t step, Matches matches) {
  std::optional<size_t> found;
  for (size_t offset = step; offset + step <= bytes; offset += step) {
    if (!matches(offset))
      continue;
    if (found)
      return {};
    found = offset;
  }
  return found;
}

uintptr_t readWord(uintptr_t address) {
  return readMember<uintptr_t>(reinterpret_cast<const void *>(address), 0);
}

uintptr_t addressOf(nb::handle object) { return reinterpret_cast<uintptr_t>(object.ptr()); }

size_t sizeOfInstances(nb::handle type) { return nb::cast<size_t>(type.attr("__basicsize__")); }

} // namespace

bool CupyLayout::findOffsets(nb::handle ndarray) {
  const Sample samples[] = {
      makeSampleArray(ndarray, 0x5a1230000040, 0x1a2b3c, {3, 5, 7}, {140, 28, 4}, "f4"),
      makeSampleArray(ndarray, 0x5b4560000080, 0x2b3c4d, {2, 9}, {2, 4}, "i2"),
      makeSampleArray(ndarray, 0x5c7890000100, 0x3c4d5e, {11, 1, 2, 4}, {-64, 64, 8, 16}, "f8"),
  };
  pointerClass_ = Py_TYPE(samples[0].pointer.ptr());
  for (const Sample &sample : samples)
    if (Py_TYPE(sample.array.ptr()) != reinterpret_cast<PyTypeObject *>(ndarray.ptr()) ||
        Py_TYPE(sample.pointer.ptr()) != pointerClass_)
      return false;
  auto find = [&](size_t bytes, size_t step, auto matches) {
    return findUniqueOffset(bytes, step, [&](size_t offset) {
      return llvm::all_of(samples, [&](const Sample &sample) { return matches(sample, offset); });
    });
  };
  auto holds = [](nb::object Sample::*member) {
    return [member](const Sample &sample, size_t offset) {
      return readMember<PyObject *>(sample.array.ptr(), offset) == (sample.*member).ptr();
    };
  };
  auto holdsVector = [](std::vector<int64_t> Sample::*member) {
    return [member](const Sample &sample, size_t offset) {
      const std::vector<int64_t> &expected = sample.*member;
      const int64_t *found = findVectorElements(sample.array.ptr(), offset, expected.size());
      return found && std::equal(expected.begin(), expected.end(), found);
    };
  };
  auto holdsNumber = [](auto Sample::*member) {
    return [member](const Sample &sample, size_t offset) {
      auto expected = sample.*member;
      return readMember<decltype(expected)>(sample.pointer.ptr(), offset) == expected;
    };
  };
  size_t arrayBytes = sizeOfInstances(ndarray);
  size_t pointerBytes = sizeOfInstances(samples[0].pointer.type());
  size_t vectorsEnd = arrayBytes - wordBytes; // a vector has two words at least
  auto data = find(arrayBytes, wordBytes, holds(&Sample::pointer));
  auto dtype = find(arrayBytes, wordBytes, holds(&Sample::dtype));
  auto shape = find(vectorsEnd, wordBytes, holdsVector(&Sample::shape));
  auto strides = find(vectorsEnd, wordBytes, holdsVector(&Sample::strides));
  auto address = find(pointerBytes, wordBytes, holdsNumber(&Sample::address));
  auto deviceId = find(pointerBytes, sizeof(int), holdsNumber(&Sample::deviceId));
  if (!data || !dtype || !shape || !strides || !address || !deviceId)
    return false;
  data_ = *data, dtype_ = *dtype, shape_ = *shape, strides_ = *strides;
  address_ = *address, deviceId_ = *deviceId;
  return true;
}

std::optional<CupyLayout> CupyLayout::findLayout(PyTypeObject *ndarray) {
  try {
    CupyLayout layout;
    if (!layout.findOffsets(reinterpret_cast<PyObject *>(ndarray)))
      return {};
    Py_INCREF(
        reinterpret_cast<PyObject *>(layout.pointerClass_)); // so that the address stays unique
    return layout;
  } catch (const std::exception &) { // another CuPy, whose arrays are read through their attributes
    return {};
  }
}

std::optional<CupyLayout::Members> CupyLayout::readMembers(PyObject *array) const {
  auto *pointer = readMember<PyObject *>(array, data_);
  if (!pointer || Py_TYPE(pointer) != pointerClass_)
    return {};
  auto *shape = readMember<const int64_t *>(array, shape_);
  auto *end = readMember<const int64_t *>(array, shape_ + wordBytes);
  return Members{.address = readMember<void *>(pointer, address_),
                 .deviceId = readMember<int>(pointer, deviceId_),
                 .dtype = readMember<PyObject *>(array, dtype_),
                 .ndim = unsigned(end - shape),
                 .shape = shape,
                 .strides = readMember<const int64_t *>(array, strides_)};
}

bool TorchLayout::findOffsets(nb::handle torch) {
  auto make = [&](int64_t elements, bool requiresGrad) {
    return nb::object(torch.attr("empty")(elements, "dtype"_a = torch.attr("float32"),
                                          "device"_a = "cpu", "requires_grad"_a = requiresGrad));
  };
  const nb::object plain[] = {make(3, false), make(0, false), make(5, true).attr("detach")()};
  const nb::object tracked[] = {make(3, true), make(0, true), make(7, true)};
  nb::object tensorClass = torch.attr("Tensor");
  auto isExact = [&](const nb::object &tensor) { return tensor.type().is(tensorClass); };
  if (!llvm::all_of(plain, isExact) || !llvm::all_of(tracked, isExact))
    return false;
  auto requiresGrad = [](const nb::object &tensor) {
    return nb::cast<bool>(nb::object(tensor.attr("requires_grad")));
  };
  if (llvm::any_of(plain, requiresGrad) || !llvm::all_of(tracked, requiresGrad))
    return false;
  auto implementationOf = [](const nb::object &tensor) {
    return nb::cast<uintptr_t>(nb::object(tensor.attr("_cdata")));
  };
  size_t objectBytes = nb::cast<size_t>(tensorClass.attr("__basicsize__"));
  auto implementation = findUniqueOffset(objectBytes, wordBytes, [&](size_t offset) {
    auto matches = [&](const nb::object &tensor) {
      return readWord(addressOf(tensor) + offset) == implementationOf(tensor);
    };
    return llvm::all_of(plain, matches) && llvm::all_of(tracked, matches);
  });
  constexpr size_t searched = 12 * wordBytes; // an implementation is larger
  auto gradient = findUniqueOffset(searched, wordBytes, [&](size_t offset) {
    auto isSet = [&](const nb::object &tensor) {
      return readWord(implementationOf(tensor) + offset) != 0;
    };
    return llvm::none_of(plain, isSet) && llvm::all_of(tracked, isSet);
  });
  if (!implementation || !gradient)
    return false;
  implementation_ = *implementation;
  gradient_ = *gradient;
  return true;
}

std::optional<TorchLayout> TorchLayout::findLayout(nb::handle torch) {
  try {
    TorchLayout layout;
    if (layout.findOffsets(torch))
      return layout;
  } catch (const std::exception &) { // another torch, whose tensors are asked for requires_grad
  }
  return {};
}

bool TorchLayout::hasNoGradient(PyObject *tensor) const {
  uintptr_t implementation = readWord(reinterpret_cast<uintptr_t>(tensor) + implementation_);
  return implementation && !readWord(implementation + gradient_);
}

CupyStreamFunction findCupyStreamFunction() {
  try {
    nb::object functions = nb::module_::import_("cupy_backends.cuda.stream").attr("__pyx_capi__");
    nb::object capsule = functions[nb::str("get_current_stream_ptr")];
    const char *signature = PyCapsule_GetName(capsule.ptr());
    if (signature && std::strcmp(signature, "intptr_t (void)") == 0)
      return reinterpret_cast<CupyStreamFunction>(PyCapsule_GetPointer(capsule.ptr(), signature));
  } catch (const std::exception &) { // another CuPy
  }
  PyErr_Clear();
  return nullptr;
}

} // namespace heddle
