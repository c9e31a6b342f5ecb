#include "bindings/host/exact_arguments.h"

#include "bindings/host/texts.h"
#include "bindings/types/dtypes.h"
#include "bindings/values/numbers.h"
#include "bindings/values/numpy_classes.h"
#include "frontend/python/types/constant.h"

#include <bit>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Layout;
using python::Type;

namespace {

/// The header of NumPy arrays (numpy/ndarraytypes.h, PyArrayObject_fields).
struct NumPyArray {
  PyObject_HEAD char *data;
  int ndim;
  int64_t *shape;
  int64_t *strides;
  PyObject *base;
  PyObject *dtype;
  int flags;
};
constexpr int contiguousFlag = 1, fortranFlag = 2, alignedFlag = 0x100, writeableFlag = 0x400;

Layout layoutOf(const NumPyArray &array) {
  return array.flags & contiguousFlag ? Layout::C
         : array.flags & fortranFlag  ? Layout::F
                                      : Layout::Any;
}

bool appendArrayIfExactType(PyObject *value, Type type, llvm::SmallVectorImpl<uint64_t> &slots) {
  if (Py_TYPE(value) != NumPyClasses::get().ndarray)
    return false;
  const auto &array = *reinterpret_cast<NumPyArray *>(value);
  bool isWriteable = array.flags & writeableFlag;
  if (unsigned(array.ndim) != type->ndim || array.dtype != cachedDtype(type->element).ptr() ||
      layoutOf(array) != type->layout || isWriteable == type->readOnly ||
      !(array.flags & alignedFlag) || type->packed)
    return false;
  slots.push_back(std::bit_cast<uint64_t>(array.data));
  slots.append(array.shape, array.shape + array.ndim);
  slots.append(array.strides, array.strides + array.ndim);
  return true;
}

bool appendValueIfExactType(PyObject *value, Type type, llvm::SmallVectorImpl<uint64_t> &slots);

bool appendTupleIfExactType(PyObject *value, Type type, llvm::SmallVectorImpl<uint64_t> &slots) {
  const void *ownClass = type->identity ? type->identity : &PyTuple_Type;
  if (Py_TYPE(value) != ownClass || size_t(PyTuple_Size(value)) != type->elements.size())
    return false;
  for (size_t i = 0; i < type->elements.size(); ++i)
    if (!appendValueIfExactType(PyTuple_GetItem(value, Py_ssize_t(i)), type->elements[i], slots))
      return false;
  return true;
}

/// True if the value is the single value of a literal type.
bool appendLiteralIfEqual(PyObject *value, Type type, llvm::SmallVectorImpl<uint64_t> &slots) {
  if (!appendValueIfExactType(value, type->element, slots))
    return false;
  const python::Constant &known = *type->object;
  return type.isString() ? nb::cast<std::string>(nb::handle(value)) == known.text
                         : int64_t(slots.back()) == known.integer;
}

bool appendValueIfExactType(PyObject *value, Type type, llvm::SmallVectorImpl<uint64_t> &slots) {
  if (type->object && type->element)
    return appendLiteralIfEqual(value, type, slots);
  if (type.isArray())
    return appendArrayIfExactType(value, type, slots);
  if (type.isScalar() || type.isComplex())
    return appendNumberSlotsIfExactClass(value, slots) == type;
  if (type == python::runtimeStringType())
    return PyUnicode_CheckExact(value) && appendTextSlotsIfAscii(value, slots);
  if (type->object)
    return type->object->object && type->object->object->identity() == value;
  return type.isTuple() && appendTupleIfExactType(value, type, slots);
}

} // namespace

bool appendSlotsIfExactTypes(llvm::ArrayRef<PyObject *> values,
                             llvm::ArrayRef<python::KernelArgument> parameters,
                             llvm::SmallVectorImpl<uint64_t> &slots) {
  if (values.size() != parameters.size())
    return false;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!appendValueIfExactType(values[i], parameters[i].type, slots))
      return false;
  return true;
}

} // namespace heddle
