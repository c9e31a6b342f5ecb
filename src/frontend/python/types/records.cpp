#include "frontend/python/types/records.h"

#include <algorithm>
#include <numeric>

namespace heddle::python {
namespace {

std::string formatShape(const std::vector<int64_t> &shape) {
  std::string out = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + (shape.size() == 1 ? ",)" : ")");
}

/// The alignment of an address `offset` bytes after a multiple of `alignment`.
unsigned alignmentAt(unsigned alignment, unsigned offset) { return std::gcd(alignment, offset); }

/// The alignment of every element of a field.
unsigned elementsAlignment(const Field &field, unsigned recordAlignment) {
  unsigned alignment = alignmentAt(recordAlignment, field.offset);
  return field.shape.empty() ? alignment : std::gcd(alignment, field.type->bytes());
}

bool isNaturallyAligned(const Field &field, unsigned alignment) {
  return field.type.isRecord() ||
         elementsAlignment(field, alignment) % field.type->alignment() == 0;
}

std::string makeRecordName(const std::vector<Field> &fields, unsigned bytes, unsigned alignment) {
  std::string name = "Record(";
  bool aligned = true;
  for (size_t i = 0; i < fields.size(); ++i) {
    const Field &f = fields[i];
    std::string type = f.shape.empty()
                           ? f.type.name()
                           : "nestedarray(" + f.type.name() + ", " + formatShape(f.shape) + ")";
    name += (i ? "," : "") + f.name + "[type=" + type + ";offset=" + std::to_string(f.offset) + "]";
    aligned = aligned && isNaturallyAligned(f, alignment);
  }
  return name + ";" + std::to_string(bytes) + ";" + (aligned ? "True)" : "False)");
}

} // namespace

Type recordType(std::vector<Field> fields, unsigned bytes, unsigned alignment,
                simt::AddressSpace space, bool readOnly) {
  std::string key = "record " + std::to_string(bytes) + " " + std::to_string(alignment) + " " +
                    std::to_string(space) + (readOnly ? "r" : "w");
  for (Field &f : fields) {
    if (f.type.isRecord())
      f.type = recordTypeInSpace(recordTypeWithAlignment(f.type, elementsAlignment(f, alignment)),
                                 simt::Global, false);
    key += " " + std::to_string(f.name.size()) + f.name + "@" + std::to_string(f.offset) +
           formatShape(f.shape) + std::to_string(reinterpret_cast<uintptr_t>(f.type.operator->()));
  }
  TypeData data;
  data.kind = TypeKind::Record;
  data.name = makeRecordName(fields, bytes, alignment);
  data.recordBytes = bytes;
  data.recordAlignment = alignment;
  data.space = space;
  data.readOnly = readOnly;
  data.fields = std::move(fields);
  return uniqueType(key, std::move(data));
}

Type recordTypeInSpace(Type record, simt::AddressSpace space, bool readOnly) {
  if (record->space == space && record->readOnly == readOnly)
    return record;
  return recordType(record->fields, record->recordBytes, record->recordAlignment, space, readOnly);
}

Type recordTypeWithAlignment(Type record, unsigned alignment) {
  if (record->recordAlignment == alignment)
    return record;
  return recordType(record->fields, record->recordBytes, alignment, record->space,
                    record->readOnly);
}

Type recordTypeAsArrayElement(Type record, unsigned known) {
  unsigned alignment = std::gcd(known, record->recordBytes);
  return alignment > record->recordAlignment ? recordTypeWithAlignment(record, alignment) : record;
}

bool haveSameFields(Type a, Type b) {
  if (a == b)
    return true;
  return a.isRecord() && b.isRecord() && a->recordBytes == b->recordBytes &&
         a->fields.size() == b->fields.size() && startsWithFieldsOf(a, b);
}

bool startsWithFieldsOf(Type record, Type other) {
  const std::vector<Field> &own = record->fields, &wanted = other->fields;
  return own.size() >= wanted.size() &&
         std::equal(wanted.begin(), wanted.end(), own.begin(), [](const Field &x, const Field &y) {
           return x.name == y.name && x.offset == y.offset && x.shape == y.shape &&
                  haveSameFields(x.type, y.type);
         });
}

Type unifyRecords(Type a, Type b) {
  if (!haveSameFields(a, b))
    return {};
  return recordType(a->fields, a->recordBytes, std::min(a->recordAlignment, b->recordAlignment),
                    a->space == b->space ? a->space : simt::Generic, a->readOnly || b->readOnly);
}

const Field *findField(Type record, const std::string &name) {
  for (const Field &f : record->fields)
    if (f.name == name)
      return &f;
  return nullptr;
}

const Field *selectField(Type record, const Constant &key) {
  if (key.kind == ConstantKind::String)
    return findField(record, key.text);
  if (key.kind != ConstantKind::Int)
    return nullptr;
  int64_t count = record->fields.size();
  int64_t i = key.integer < 0 ? key.integer + count : key.integer;
  return i >= 0 && i < count ? &record->fields[i] : nullptr;
}

unsigned fieldAlignment(Type record, const Field &field) {
  return std::min(elementsAlignment(field, record->recordAlignment), field.type->alignment());
}

Type fieldType(Type record, const Field &field) {
  if (!field.shape.empty())
    return arrayType(field.type, field.shape.size(),
                     {.readOnly = record->readOnly,
                      .space = record->space,
                      .packed = !isNaturallyAligned(field, record->recordAlignment)});
  return field.type.isRecord() ? recordTypeInSpace(field.type, record->space, record->readOnly)
                               : typeAfterLoad(field.type);
}

Type fieldArrayType(Type array, const Field &field) {
  ArrayTraits traits = traitsOfArray(array);
  traits.layout = Layout::Any;
  traits.packed = array->packed || !isNaturallyAligned(field, array->element->alignment());
  return arrayType(field.type, array->ndim + field.shape.size(), traits);
}

std::string describeFields(Type record) {
  std::string out = "its fields are ";
  for (size_t i = 0; i < record->fields.size(); ++i)
    out += (i == 0 ? "" : i + 1 == record->fields.size() ? " and " : ", ") + record->fields[i].name;
  return out;
}

} // namespace heddle::python
