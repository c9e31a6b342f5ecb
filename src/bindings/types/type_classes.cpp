#include "bindings/types/type_classes.h"

#include "bindings/types/python_classes.h"
#include "frontend/python/types/characters.h"
#include "frontend/python/types/slices.h"

#include "llvm/ADT/StringMap.h"

namespace nb = nanobind;

namespace heddle {

using python::Type;
using python::TypeKind;

namespace {

/// A class, and the kind of its types (the attribute `kind`), which `issubclass(..., types.Integer)` reads.
struct TypeClass {
  const char *name, *kind;
};

constexpr TypeClass classes[] = {
    {"Array", "array"},
    {"Boolean", "bool"},
    {"Bytes", "array"},
    {"CPointer", "pointer"},
    {"CharSeq", "characters"},
    {"ClassInstanceType", "instance"},
    {"Complex", "complex"},
    {"DictType", "dict"},
    {"EllipsisType", "ellipsis"},
    {"EnumMember", "enumeration"},
    {"Float", "float"},
    {"IntEnumMember", "integer enumeration"},
    {"Integer", "int"},
    {"List", "list"},
    {"ListType", "list"},
    {"NPDatetime", "datetime"},
    {"NPTimedelta", "timedelta"},
    {"NamedTuple", "tuple"},
    {"NamedUniTuple", "tuple"},
    {"NoneType", "none"},
    {"NumPyRandomGeneratorType", "random generator"},
    {"Optional", "optional"},
    {"RangeType", "range"},
    {"RawPointer", "pointer"},
    {"Record", "record"},
    {"Set", "set"},
    {"SliceType", "slice"},
    {"Tuple", "tuple"},
    {"UniTuple", "tuple"},
    {"UnicodeCharSeq", "unicode characters"},
    {"UnicodeType", "string"},
    {"VectorType", "vector"},
};

llvm::StringMap<PyTypeObject *> &classesByName() {
  static auto *made = new llvm::StringMap<PyTypeObject *>;
  return *made;
}

const char *nameOfTupleClass(Type type) {
  if (python::isSliceValue(type))
    return "SliceType";
  if (type.isStructure())
    return "";
  bool isNamed = classOf(type).is_valid();
  bool isUniform = !type->elements.empty() && llvm::all_equal(type->elements);
  if (isNamed)
    return isUniform ? "NamedUniTuple" : "NamedTuple";
  return isUniform ? "UniTuple" : "Tuple";
}

/// The name of numba's class for a type; empty if there is none.
const char *numbaClassNameOf(Type type) {
  if (type == python::randomGeneratorType())
    return "NumPyRandomGeneratorType";
  if (type.isEnumMember())
    return type.isInteger() ? "IntEnumMember" : "EnumMember";
  switch (type.kind()) {
  case TypeKind::None:
    return "NoneType";
  case TypeKind::Bool:
    return "Boolean";
  case TypeKind::Int:
  case TypeKind::UInt:
    return "Integer";
  case TypeKind::Float:
    return "Float";
  case TypeKind::Complex:
    return "Complex";
  case TypeKind::Tuple:
    return nameOfTupleClass(type);
  case TypeKind::Vector:
    return "VectorType";
  case TypeKind::Array:
    return type->ofBytes ? "Bytes" : "Array";
  case TypeKind::Record:
    return "Record";
  case TypeKind::Characters:
    return type->element->bits == 8 ? "CharSeq" : "UnicodeCharSeq";
  case TypeKind::Pointer:
    return type->element == python::noneType() ? "RawPointer" : "CPointer";
  case TypeKind::DateTime:
    return "NPDatetime";
  case TypeKind::TimeDelta:
    return "NPTimedelta";
  case TypeKind::Range:
    return "RangeType";
  case TypeKind::List:
    return type.isShared() ? "ListType" : "List";
  case TypeKind::Dict:
    return "DictType";
  case TypeKind::Set:
    return "Set";
  case TypeKind::Instance:
    return "ClassInstanceType";
  case TypeKind::Slice:
    return "SliceType";
  case TypeKind::String:
    return "UnicodeType";
  case TypeKind::Ellipsis:
    return "EllipsisType";
  case TypeKind::Optional:
    return "Optional";
  case TypeKind::Enum:
  case TypeKind::Choice:
  case TypeKind::Grid:
  case TypeKind::Iterator:
  case TypeKind::Generator:
  case TypeKind::Caught:
  case TypeKind::Closure:
  case TypeKind::Object:
    return "";
  }
  return "";
}

} // namespace

PyTypeObject *typeClassOf(Type type) noexcept {
  return type ? classesByName().lookup(numbaClassNameOf(type)) : nullptr;
}

void makeTypeClasses(nb::handle base) {
  nb::handle metaclass = reinterpret_cast<PyObject *>(Py_TYPE(base.ptr()));
  for (const TypeClass &row : classes) {
    nb::dict space;
    space["__slots__"] = nb::tuple();
    space["__module__"] = "heddle.types";
    space["_kinds"] = nb::make_tuple(row.kind);
    nb::object made = metaclass(row.name, nb::make_tuple(base), space);
    classesByName()[row.name] = reinterpret_cast<PyTypeObject *>(made.release().ptr());
  }
}

} // namespace heddle
