// Records: values of a structured dtype, represented as memory locations with fields.
#pragma once

#include "frontend/python/types/constant.h"

namespace heddle::python {

/// The type of a record with these fields and `bytes` bytes, aligned to `alignment`, in memory of `space`. Fields of a
/// read-only record cannot be assigned.
Type recordType(std::vector<Field> fields, unsigned bytes, unsigned alignment,
                simt::AddressSpace space = simt::Global, bool readOnly = false);
/// Returns the record type for records in address space `space`, read-only or not.
Type recordTypeInSpace(Type record, simt::AddressSpace space, bool readOnly);
/// Returns the record type with a different known alignment, higher or lower.
Type recordTypeWithAlignment(Type record, unsigned alignment);

/// The type of the same record as an element of an array that starts at a multiple of `known` bytes. Its alignment may
/// be higher than that of the dtype, so that naturally aligned fields of a packed dtype can be read with one access.
Type recordTypeAsArrayElement(Type record, unsigned known);

/// True if two records have the same fields at the same offsets.
bool haveSameFields(Type a, Type b);
/// True if the first fields of a record are all the fields of the other one, at the same offsets.
bool startsWithFieldsOf(Type record, Type other);
/// The type of a variable that holds either record; unknown if their fields differ.
Type unifyRecords(Type a, Type b);

/// The field with that name; null if there is none.
const Field *findField(Type record, const std::string &name);
/// The field that a constant selects by name or number; null if there is none.
const Field *selectField(Type record, const Constant &key);
/// The type of `record.field`: a value, a nested record, or an array.
Type fieldType(Type record, const Field &field);
/// The known alignment of a value of the field in memory.
unsigned fieldAlignment(Type record, const Field &field);
/// The type of `array.field` for an array of records: an array of the field's values, one per record.
Type fieldArrayType(Type array, const Field &field);

/// "fields are x, y and z".
std::string describeFields(Type record);

} // namespace heddle::python
