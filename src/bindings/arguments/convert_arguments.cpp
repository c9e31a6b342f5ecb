// Converts the slots of arguments to the types of declared parameters and fields.
#include "bindings/arguments/arguments.h"
#include "bindings/arguments/slots.h"
#include "frontend/python/types/promotion.h"

#include <cmath>
#include <stdexcept>

namespace nb = nanobind;

namespace heddle {

using python::Type;

namespace {

/// Raises Python's exception for a float that cannot convert to an integer type.
void checkConvertsToInteger(double real, Type to) {
  if (std::isnan(real))
    throw nb::value_error("cannot convert float NaN to integer");
  if (std::isinf(real))
    throw std::overflow_error("cannot convert float infinity to integer");
  if (real <= -1 && !to.isSigned())
    throw std::overflow_error("can't convert negative int to unsigned");
  double end = std::ldexp(1, int(to->bits) - to.isSigned());
  if (std::trunc(real) < -end || real >= end)
    throw std::overflow_error("int too big to convert");
}

} // namespace

/// Converts the fields of a structure, in slots from `first` on, to the declared field types.
Type ArgumentList::convertToStructure(nb::handle fields, Type structure,
                                      const std::vector<Type> &read, size_t first) {
  for (size_t i = 0; i < read.size(); ++i) {
    Type declared = structure->elements[i];
    bool isAddress = declared.isPointer() && read[i].isInteger();
    if (!isAddress && !isConvertible(read[i], declared))
      reject(fields, "the model of " + structure.name() + " has " + declared.name() +
                         " for the field '" + structure->names[i] + "', which is " +
                         read[i].name());
  }
  convertSlots(python::tupleType(read), python::tupleType(structure->elements), first);
  return structure;
}

/// Inserts `count` zero slots at position `at`.
void ArgumentList::insertZeroSlots(size_t at, size_t count) {
  slots.insert(slots.begin() + at, count, 0);
  for (ArrayArgument &array : arrays)
    if (array.slot >= at)
      array.slot += count;
}

/// Converts slots to those of an optional: a flag that tells if there is a value, and the value.
void ArgumentList::wrapSlotsAsOptional(Type from, Type to, size_t first) {
  bool isValue = !from.is(python::TypeKind::None);
  if (isValue)
    convertSlots(from, to->element, first);
  insertZeroSlots(first, isValue ? 1 : slotCount(to));
  slots[first] = isValue;
}

/// Converts a value's slots, from `first` on, from type `from` to type `to`, which may need more slots.
void ArgumentList::convertSlots(Type from, Type to, size_t first) {
  bool converts = to.isScalar() || to.isComplex() || to.isTuple();
  if (from == to)
    return;
  if (to.is(python::TypeKind::Optional))
    return wrapSlotsAsOptional(from, to, first);
  if (from.isArray() || !converts)
    return;
  if (from.isTuple()) {
    for (size_t i = 0; i < from->elements.size(); ++i) {
      convertSlots(from->elements[i], to->elements[i], first);
      first += slotCount(to->elements[i]);
    }
    return;
  }
  if (!to.isComplex()) {
    if (from.isFloat() && to.isInteger())
      checkConvertsToInteger(slotToFloat(slots[first], from), to);
    slots[first] = convertSlot(slots[first], from, to);
    return;
  }
  Type part = python::floatType(to->bits / 2);
  if (!from.isComplex()) {
    slots[first] = convertSlot(slots[first], from, part);
    insertZeroSlots(first + 1, 1); // the imaginary part, 0.0
    return;
  }
  for (size_t i : {0, 1})
    slots[first + i] = convertSlot(slots[first + i], python::floatType(from->bits / 2), part);
}

void ArgumentList::convertToParameterTypes(llvm::ArrayRef<python::KernelArgument> parameters) {
  size_t first = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    Type to = parameters[i].type;
    convertSlots(kernelArguments[i].type, to, first);
    first += slotCount(to);
  }
}

} // namespace heddle
