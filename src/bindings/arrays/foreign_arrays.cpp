#include "bindings/arrays/foreign_arrays.h"

#include "bindings/arrays/array_attributes.h"
#include "bindings/arrays/dlpack.h"
#include "bindings/interpreter/get_or_make.h"
#include "bindings/types/dtypes.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Type;

namespace {

/// The element of a typestr without a byte order ("f4") and of a name ("float32"), which NumPy also reads.
Type elementOfTypestr(nb::handle typestr) {
  try {
    return elementOfNumpyDtype(nb::module_::import_("numpy").attr("dtype")(typestr));
  } catch (const nb::python_error &) { // no dtype
    return {};
  }
}

/// The element type if the array's dtype is from ml_dtypes; unknown for other dtypes.
Type mlDtypesElementOf(nb::handle owner) {
  nb::object dtype = nb::getattr(owner, "dtype", nb::none());
  if (!nb::hasattr(dtype, "isnative"))
    return {};
  Type type = typeOfDtype(dtype);
  return type && type.isFloat() ? type : Type();
}

/// An entry of the dictionary; None if it is missing.
nb::object getEntryOrNone(nb::handle interface, PyObject *key) {
  PyObject *found = PyDict_GetItemWithError(interface.ptr(), key);
  return found ? nb::borrow(found) : nb::none();
}

/// Reads an array from its interface dictionary, and from the dtype of `owner` if the typestr is ambiguous.
ForeignArray readInterfaceDictionary(nb::handle interface, nb::handle owner) {
  const AttributeNames &names = AttributeNames::get();
  ForeignArray array;
  if (!PyDict_Check(interface.ptr())) {
    array.problem = "its __cuda_array_interface__ is no dictionary";
    return array;
  }
  nb::object shape = getEntryOrNone(interface, names.shape),
             data = getEntryOrNone(interface, names.data),
             typestr = getEntryOrNone(interface, names.typestr),
             strides = getEntryOrNone(interface, names.strides),
             stream = getEntryOrNone(interface, names.stream);
  if (!PyTuple_Check(shape.ptr()) || !PyTuple_Check(data.ptr()) || PyTuple_Size(data.ptr()) != 2 ||
      !PyUnicode_Check(typestr.ptr())) {
    array.problem = "its __cuda_array_interface__ lacks shape, typestr or data (a pair of address "
                    "and read-only flag)";
    return array;
  }
  if (!getEntryOrNone(interface, names.mask).is_none()) {
    array.problem = "it is a masked array, and kernels do not look at masks";
    return array;
  }
  std::string name = nb::cast<std::string>(typestr);
  array.element = python::scalarTypeOfTypestr(name);
  if (!array.element)
    array.element = mlDtypesElementOf(owner);
  if (!array.element)
    array.element = elementOfTypestr(typestr);
  if (!array.element) {
    array.problem = unsupportedElementMessage(name);
    return array;
  }
  nb::object address = nb::borrow(PyTuple_GetItem(data.ptr(), 0));
  if (!address.is_none())
    array.data = reinterpret_cast<void *>(toUnsigned64(address));
  array.readOnly = PyObject_IsTrue(PyTuple_GetItem(data.ptr(), 1)) == 1;
  readExtents(shape, array.shape);
  if (strides.is_none())
    setContiguousStrides(array);
  else
    readExtents(strides, array.strides);
  if (array.strides.size() != array.shape.size())
    array.problem = "its __cuda_array_interface__ has " + std::to_string(array.shape.size()) +
                    " extents and " + std::to_string(array.strides.size()) + " strides";
  array.silent = PyDict_Contains(interface.ptr(), names.stream) == 0;
  if (!stream.is_none()) {
    array.producer = toUnsigned64(stream);
    if (!*array.producer)
      array.problem = "its __cuda_array_interface__ names stream 0, which the protocol leaves "
                      "undefined: 1 is the legacy default stream, 2 the per-thread one";
  }
  return array;
}

} // namespace

std::optional<ForeignArray> readCudaArrayInterface(nb::handle value, const ForeignTarget &target) {
  PyObject *found = PyObject_GetAttr(value.ptr(), AttributeNames::get().cudaArrayInterface);
  if (!found) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
      throw nb::python_error();
    PyErr_Clear();
    return {};
  }
  ForeignArray array = readInterfaceDictionary(nb::steal(found), value);
  if (!array.silent || !array.problem.empty() || !target.stream)
    return array;
  // For example JAX computes on private streams, and only its __dlpack__ makes another stream wait for them.
  std::optional<ForeignArray> ordered = readDlpack(value, target);
  if (!ordered || ordered->onHost)
    return array;
  ordered->readOnly = ordered->readOnly || array.readOnly;
  return ordered;
}

std::optional<ForeignArray> readDlpack(nb::handle value, const ForeignTarget &target) {
  std::optional<dlpack::Place> place = dlpack::findDlpackDevice(value);
  if (!place)
    return {};
  // Check the device before requesting the array: host arrays are read in another way.
  ForeignArray array = readTensor({.deviceType = place->deviceType,
                                   .deviceIndex = place->deviceIndex,
                                   .code = dlpack::Bool,
                                   .bits = 8,
                                   .lanes = 1},
                                  target);
  if (array.onHost || !array.problem.empty())
    return array;
  dlpack::Imported imported =
      dlpack::importArray(value, target.stream ? int64_t(*target.stream) : -1);
  array = readTensor(*imported.tensor, target);
  array.readOnly = imported.readOnly;
  array.hold = std::move(imported.hold);
  return array;
}

bool isProducerSyncEnabled() {
  static std::atomic<nb::object *> made{nullptr};
  nb::object &config =
      getOrMake(made, [] { return new nb::object(nb::module_::import_("heddle.config")); });
  return PyObject_IsTrue(nb::object(config.attr("CUDA_ARRAY_INTERFACE_SYNC")).ptr()) == 1;
}

} // namespace heddle
