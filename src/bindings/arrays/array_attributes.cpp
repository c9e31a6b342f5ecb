#include "bindings/arrays/array_attributes.h"

#include "bindings/types/dtypes.h"
#include "frontend/python/types/small_floats.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Type;

nb::object getAttributeOrThrow(nb::handle value, PyObject *name) {
  PyObject *found = PyObject_GetAttr(value.ptr(), name);
  if (!found)
    throw nb::python_error();
  return nb::steal(found);
}

uint64_t toUnsigned64(nb::handle number) {
  uint64_t value = PyLong_AsUnsignedLongLongMask(number.ptr());
  if (value == UINT64_MAX && PyErr_Occurred())
    throw nb::python_error();
  return value;
}

int64_t toSigned64(nb::handle number) {
  int64_t value = PyLong_AsLongLong(number.ptr());
  if (value == -1 && PyErr_Occurred())
    throw nb::python_error();
  return value;
}

void readExtents(nb::handle tuple, llvm::SmallVectorImpl<int64_t> &out) {
  if (!PyTuple_Check(tuple.ptr())) {
    readExtents(nb::tuple(nb::borrow(tuple)), out);
    return;
  }
  Py_ssize_t n = PyTuple_Size(tuple.ptr());
  for (Py_ssize_t i = 0; i < n; ++i)
    out.push_back(toSigned64(PyTuple_GetItem(tuple.ptr(), i)));
}

void setContiguousStrides(ForeignArray &array) {
  array.strides.assign(array.shape.size(), 0);
  int64_t bytes = array.element->bytes();
  for (size_t axis = array.shape.size(); axis-- > 0;) {
    array.strides[axis] = bytes;
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(array.shape[axis], 1), &bytes))
      array.problem = "it has more than 2^63 bytes";
  }
}

std::string unsupportedElementMessage(const std::string &name) {
  return "kernels have no type for elements of dtype " + name;
}

namespace {

std::string displayNameOf(const Device &device) {
  return "cuda:" + std::to_string(device.index()) + " (" + device.name() + ")";
}

} // namespace

std::string explainWrongDevice(int64_t index, const ForeignTarget &target) {
  if (!target.device || index < 0 || uint64_t(index) == target.device->index())
    return {};
  return "it lives on cuda:" + std::to_string(index) + ", and the kernel runs on " +
         displayNameOf(*target.device) + "; copy it there, or launch in `with cuda.gpus[" +
         std::to_string(index) + "]:`";
}

namespace {

/// The ml_dtypes name of the 8-bit float with this code; empty for other codes.
std::string nameOfSmallFloat(uint8_t code) {
  constexpr const char *names[] = {"e3m4",     "e4m3", "e4m3b11fnuz", "e4m3fn",
                                   "e4m3fnuz", "e5m2", "e5m2fnuz",    "e8m0fnu"};
  unsigned i = code - unsigned(dlpack::FirstFloat8);
  return i < std::size(names) ? std::string("float8_") + names[i] : "";
}

std::string dtypeNameOfTensor(const dlpack::Tensor &tensor) {
  const char *kind = tensor.code == dlpack::Int       ? "int"
                     : tensor.code == dlpack::UInt    ? "uint"
                     : tensor.code == dlpack::Float   ? "float"
                     : tensor.code == dlpack::Bfloat  ? "bfloat"
                     : tensor.code == dlpack::Complex ? "complex"
                     : tensor.code == dlpack::Bool    ? "bool"
                                                      : "code ";
  std::string name = kind;
  if (name == "code ")
    name += std::to_string(tensor.code) + " of DLPack, bits ";
  name += std::to_string(tensor.bits);
  return tensor.lanes == 1 ? name : name + "x" + std::to_string(tensor.lanes);
}

} // namespace

Type elementOfTensor(const dlpack::Tensor &tensor) {
  if (tensor.lanes != 1)
    return {};
  switch (tensor.code) {
  case dlpack::Int:
  case dlpack::UInt:
    switch (tensor.bits) {
    case 8:
    case 16:
    case 32:
    case 64:
      return python::intType(tensor.bits, tensor.code == dlpack::Int);
    default:
      return {};
    }
  case dlpack::Float:
    return tensor.bits == 16 || tensor.bits == 32 || tensor.bits == 64
               ? python::floatType(tensor.bits)
               : Type();
  case dlpack::Bfloat:
    return tensor.bits == 16 ? python::bfloat16Type() : Type();
  case dlpack::Complex:
    return tensor.bits == 64 || tensor.bits == 128 ? python::complexType(tensor.bits) : Type();
  case dlpack::Bool:
    return tensor.bits == 8 ? python::boolType() : Type();
  default:
    return tensor.bits == 8 ? python::smallFloatNamed(nameOfSmallFloat(tensor.code)) : Type();
  }
}

ForeignArray readTensor(const dlpack::Tensor &tensor, const ForeignTarget &target) {
  ForeignArray array;
  if (tensor.deviceType == dlpack::Cpu || tensor.deviceType == dlpack::CudaHost) {
    array.onHost = true;
    return array;
  }
  if (tensor.deviceType != dlpack::Cuda && tensor.deviceType != dlpack::CudaManaged) {
    array.problem = "it lives on a device that is no NVIDIA GPU (DLPack's device type " +
                    std::to_string(tensor.deviceType) + ")";
    return array;
  }
  array.problem = explainWrongDevice(tensor.deviceIndex, target);
  array.element = elementOfTensor(tensor);
  if (!array.element)
    array.problem = unsupportedElementMessage(dtypeNameOfTensor(tensor));
  if (!array.problem.empty())
    return array;
  array.data = static_cast<char *>(tensor.data) + tensor.byteOffset;
  array.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  if (!tensor.strides) {
    setContiguousStrides(array);
    return array;
  }
  int64_t itemsize = array.element->bytes();
  for (int axis = 0; axis < tensor.ndim; ++axis)
    array.strides.push_back(tensor.strides[axis] * itemsize);
  return array;
}

Type elementOfNumpyDtype(nb::handle dtype) {
  static auto *known = new Dtypes([](nb::handle d) {
    return python::scalarTypeOfTypestr(nb::cast<std::string>(nb::object(d.attr("str"))));
  });
  return (*known)[dtype];
}

} // namespace heddle
