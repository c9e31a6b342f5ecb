#include "bindings/values/numbers.h"

#include "bindings/arguments/slots.h"
#include "bindings/types/dtypes.h"
#include "bindings/values/numpy_classes.h"

#include <bit>

namespace nb = nanobind;

namespace heddle {

using python::Constant;
using python::Type;
using Slots = llvm::SmallVectorImpl<uint64_t>;

namespace {

Type appendIntSlot(PyObject *object, Slots &slots) {
  int overflow = 0;
  int64_t small = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (!overflow) {
    slots.push_back(uint64_t(small));
    return python::int64Type();
  }
  uint64_t large = overflow > 0 ? PyLong_AsUnsignedLongLong(object) : 0;
  if (overflow < 0 || PyErr_Occurred()) {
    PyErr_Clear();
    return {};
  }
  slots.push_back(large);
  return python::intType(64, false);
}

Type appendFloatSlot(PyObject *object, Slots &slots) {
  slots.push_back(std::bit_cast<uint64_t>(PyFloat_AsDouble(object)));
  return python::float64Type();
}

Type appendComplexSlots(PyObject *object, Slots &slots) {
  slots.push_back(std::bit_cast<uint64_t>(PyComplex_RealAsDouble(object)));
  slots.push_back(std::bit_cast<uint64_t>(PyComplex_ImagAsDouble(object)));
  return python::complexType(128);
}

/// Adds a number of this type in memory.
Type appendNumberSlotsFromMemory(const void *data, Type type, Slots &slots) {
  if (!type.isComplex()) {
    slots.push_back(loadSlot(data, type));
    return type;
  }
  Type part = python::floatType(type->bits / 2);
  slots.push_back(loadSlot(data, part));
  slots.push_back(loadSlot(static_cast<const char *>(data) + part->bytes(), part));
  return type;
}

/// Adds a NumPy scalar of a subclass, a point in time, or a float of ml_dtypes.
Type appendNumPyScalarSlots(nb::handle value, const NumPyClasses &numpy, Slots &slots) {
  for (const NumPyNumber &known : numpy.numbers)
    if (isInstanceOf(value, known.itsClass)) {
      Py_buffer view;
      if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_SIMPLE) != 0)
        throw nb::python_error();
      appendNumberSlotsFromMemory(view.buf, known.type, slots);
      PyBuffer_Release(&view);
      return known.type;
    }
  Type type = typeOfDtype(value.attr("dtype"));
  if (type.isTime()) {
    slots.push_back(uint64_t(nb::cast<int64_t>(value.attr("view")("i8").attr("item")())));
    return type;
  }
  if (!type.isFloat())
    return {};
  type = typeAfterLoad(type);
  slots.push_back(floatToSlot(nb::cast<double>(nb::float_(value)), type));
  return type;
}

} // namespace

Type appendNumberSlotsIfExactClass(nb::handle value, Slots &slots) {
  PyObject *object = value.ptr();
  if (PyLong_CheckExact(object))
    return appendIntSlot(object, slots);
  if (PyFloat_CheckExact(object))
    return appendFloatSlot(object, slots);
  if (PyBool_Check(object)) {
    slots.push_back(object == Py_True);
    return python::boolType();
  }
  if (PyComplex_CheckExact(object))
    return appendComplexSlots(object, slots);
  const NumPyNumber *known = NumPyClasses::get().numberClassOf(value);
  return known && known->followsHeader
             ? appendNumberSlotsFromMemory(valueAfterHeader(value), known->type, slots)
             : Type();
}

Type appendNumberSlots(nb::handle value, Slots &slots) {
  if (Type type = appendNumberSlotsIfExactClass(value, slots))
    return type;
  PyObject *object = value.ptr();
  const NumPyClasses &numpy = NumPyClasses::get();
  if (isInstanceOf(value, numpy.generic))
    return appendNumPyScalarSlots(value, numpy, slots);
  if (PyLong_Check(object))
    return appendIntSlot(object, slots);
  if (PyFloat_Check(object))
    return appendFloatSlot(object, slots);
  return PyComplex_Check(object) ? appendComplexSlots(object, slots) : Type();
}

Constant numberConstantFromSlots(Type type, llvm::ArrayRef<uint64_t> slots) {
  if (type.isBool())
    return Constant::ofBool(slots[0]);
  if (type.isFloat())
    return Constant::ofFloat(slotToFloat(slots[0], type), type);
  if (!type.isComplex())
    return Constant::ofInt(int64_t(slots[0]), type);
  Type part = python::floatType(type->bits / 2);
  return Constant::ofComplex(slotToFloat(slots[0], part), slotToFloat(slots[1], part), type);
}

} // namespace heddle
