// Records: values of a structured dtype, as places in memory with fields.
#pragma once

#include "frontend/python/types/constant.h"

namespace heddle::python {

/// A record with these fields, which lie in `bytes` bytes at an address that is a multiple of `alignment`. The value is
/// a place in memory of `space`; where it is read-only no field is assigned.
Type recordType(std::vector<Field> fields, unsigned bytes, unsigned alignment,
                simt::AddressSpace space = simt::Global, bool readOnly = false);
/// The same record in another memory.
Type recordIn(Type record, simt::AddressSpace space, bool readOnly);
/// The same record at addresses that are multiples of `alignment`, which may be more or less than is known now.
Type recordAlignedTo(Type record, unsigned alignment);

/// The same record where addresses are known to be multiples of `known`, and records follow one another:
/// the fields of a packed dtype that happen to lie well are then read at once.
Type recordInArray(Type record, unsigned known);

/// Whether two records have the same fields at the same places.
bool sameFields(Type a, Type b);
/// The type of a variable that holds one record or the other; unknown when their fields differ.
Type unifyRecords(Type a, Type b);

/// The field of that name; null when there is none.
const Field *fieldNamed(Type record, const std::string &name);
/// The field that a constant selects: by its name or its number. Null when there is none.
const Field *fieldAt(Type record, const Constant &key);
/// What `record.field` is: a value, a place, or an array.
Type fieldType(Type record, const Field &field);
/// What the address of the field's values is a multiple of.
unsigned fieldAlignment(Type record, const Field &field);
/// What `array.field` is for an array of records: the field of every record, as an array.
Type fieldOfEach(Type array, const Field &field);

/// "fields are x, y and z".
std::string describeFields(Type record);

} // namespace heddle::python
