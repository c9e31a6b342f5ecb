#include "bindings/types/type_attributes.h"

#include "bindings/host/results.h"
#include "bindings/types/dtypes.h"
#include "bindings/types/python_classes.h"
#include "frontend/python/types/slices.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Layout;
using python::Type;
using python::TypeKind;

namespace {

nb::object literalValueOf(const PythonType &t) {
  if (!t.type->object || !t.type->element)
    throw nb::attribute_error(("no literal: " + t.type.name()).c_str());
  return toPythonObject(*t.type->object);
}

const char *kindNameOf(const PythonType &t) {
  if (t.type == python::randomGeneratorType())
    return "random generator";
  if (t.type.isEnumMember())
    return t.type.isInteger() ? "integer enumeration" : "enumeration";
  switch (t.type.kind()) {
  case TypeKind::None:
    return "none";
  case TypeKind::Bool:
    return "bool";
  case TypeKind::Int:
  case TypeKind::UInt:
    return "int";
  case TypeKind::Float:
    return "float";
  case TypeKind::Complex:
    return "complex";
  case TypeKind::Tuple:
    if (python::isSliceValue(t.type))
      return "slice";
    return t.type.isStructure() ? "structure" : "tuple";
  case TypeKind::Vector:
    return "vector";
  case TypeKind::Array:
    return "array";
  case TypeKind::Record:
    return "record";
  case TypeKind::Characters:
    return t.type->element->bits == 8 ? "characters" : "unicode characters";
  case TypeKind::Pointer:
    return "pointer";
  case TypeKind::DateTime:
    return "datetime";
  case TypeKind::TimeDelta:
    return "timedelta";
  case TypeKind::Enum:
    return "enumeration";
  case TypeKind::Choice:
    return "function";
  case TypeKind::Range:
    return "range";
  case TypeKind::List:
    return "list";
  case TypeKind::Dict:
    return "dict";
  case TypeKind::Set:
    return "set";
  case TypeKind::Instance:
    return "instance";
  case TypeKind::Slice:
    return "slice";
  case TypeKind::String:
    return "string";
  case TypeKind::Ellipsis:
    return "ellipsis";
  case TypeKind::Grid:
    return "grid";
  case TypeKind::Iterator:
    return "iterator";
  case TypeKind::Generator:
    return "generator";
  case TypeKind::Optional:
    return "optional";
  case TypeKind::Caught:
    return "exception";
  case TypeKind::Closure:
  case TypeKind::Object:
    return "object";
  }
  return "object";
}

nb::object typeOrNone(Type type) {
  return type ? nb::cast(PythonType{type}) : nb::object(nb::none());
}

/// Programs ask with hasattr and getattr if a type has an attribute.
void requireAttribute(bool present, const PythonType &t, const char *name) {
  if (!present)
    throw nb::attribute_error((t.type.name() + " has no attribute '" + name + "'").c_str());
}

bool hasElementType(Type type) {
  switch (type.kind()) {
  case TypeKind::Array:
  case TypeKind::List:
  case TypeKind::Object: // a dtype
  case TypeKind::Pointer:
  case TypeKind::Range:
  case TypeKind::Record:
  case TypeKind::Set:
  case TypeKind::Tuple:
  case TypeKind::Vector:
    return true;
  default:
    return false;
  }
}

/// The element type; for a tuple whose elements have different types None, for a record its dtype.
nb::object dtypeOfElements(const PythonType &t) {
  requireAttribute(hasElementType(t.type), t, "dtype");
  if (t.type.isRecord())
    return dtypeOf(t.type);
  if (t.type.isTuple() || t.type.isVector() || t.type.isSet()) {
    const std::vector<Type> &elements = t.type->elements;
    bool same = !elements.empty();
    for (Type e : elements)
      same = same && e == elements.front();
    return same ? typeOrNone(elements.front()) : nb::object(nb::none());
  }
  return typeOrNone(t.type->element);
}

bool hasElementTypes(Type type) { return type.isTuple() || !type->elements.empty(); }

nb::tuple elementTypesOf(const PythonType &t) {
  requireAttribute(hasElementTypes(t.type), t, "types");
  nb::list out;
  for (Type e : t.type->elements)
    out.append(PythonType{e});
  return nb::tuple(out);
}

size_t elementCountOf(const PythonType &t) {
  requireAttribute(hasElementTypes(t.type), t, "count");
  return t.type->elements.size();
}

bool isSignedInteger(const PythonType &t) {
  requireAttribute(t.type.isInteger(), t, "signed");
  return t.type.isSigned();
}

/// The types of a structure's fields, by name.
nb::object fieldTypesOf(const PythonType &t) {
  if (!t.type.isInstance())
    throw nb::attribute_error((t.type.name() + " has no 'field_dict'").c_str());
  nb::dict fields;
  for (size_t i = 0; i < t.type->names.size(); ++i)
    fields[t.type->names[i].c_str()] = PythonType{t.type->elements[i]};
  return fields;
}

bool hasLayout(const PythonType &t, Layout layout) {
  return t.type.isArray() && t.type->layout == layout;
}

/// In numba a contiguous array of rank 0 or 1 is contiguous in both orders.
bool isContiguous(const PythonType &t, Layout layout) {
  return hasLayout(t, layout) ||
         (t.type.isArray() && t.type->ndim <= 1 && !hasLayout(t, Layout::Any));
}

unsigned bitWidthOf(const PythonType &t) {
  requireAttribute(t.type.canBeArrayElement(), t, "bitwidth");
  return t.type->bits;
}

unsigned arrayRankOf(const PythonType &t) {
  requireAttribute(t.type.isArray(), t, "ndim");
  return t.type->ndim;
}

std::string layoutNameOf(const PythonType &t) {
  requireAttribute(t.type.isArray(), t, "layout");
  return std::string(1, char(t.type->layout));
}

nb::object classOrNone(const PythonType &t) {
  nb::handle found = classOf(t.type);
  return found ? nb::borrow(found) : nb::object(nb::none());
}

bool hasElements(const PythonType &t) {
  return (t.type.isTuple() && !t.type.isStructure()) || t.type.isVector();
}

PythonType itemTypeOf(const PythonType &t) {
  if (!t.type.isList())
    throw nb::attribute_error((t.type.name() + " has no items").c_str());
  return {t.type->element};
}
PythonType dictEntryType(const PythonType &t, size_t i, const char *what) {
  if (!t.type.isDict())
    throw nb::attribute_error((t.type.name() + " has no " + what).c_str());
  return {t.type->elements[i]};
}

std::string timeUnitOf(const PythonType &t) {
  if (!t.type.isTime())
    throw nb::attribute_error((t.type.name() + " has no unit of time").c_str());
  nb::object found = nb::module_::import_("numpy").attr("datetime_data")(dtypeOf(t.type));
  std::string unit = nb::cast<std::string>(found[0]);
  return unit == "generic" ? "" : unit;
}

/// The smallest or the largest value of an integer type.
nb::object extremeValueOfInteger(const PythonType &t, bool largest) {
  if (!t.type.isInteger())
    throw nb::attribute_error((t.type.name() + " has no minimum and maximum").c_str());
  unsigned bits = t.type->bits;
  if (!t.type.isSigned())
    return nb::int_(largest ? ~uint64_t(0) >> (64 - bits) : 0);
  int64_t most = int64_t(~uint64_t(0) >> (65 - bits));
  return nb::int_(largest ? most : -most - 1);
}

const python::Field &getField(const PythonType &t, const std::string &name) {
  for (const python::Field &field : t.type->fields)
    if (field.name == name)
      return field;
  throw nb::key_error(name.c_str());
}

/// The type of a record's field; may be an array.
PythonType fieldTypeOf(const PythonType &t, const std::string &name) {
  const python::Field &field = getField(t, name);
  return {field.shape.empty() ? field.type : python::arrayType(field.type, field.shape.size())};
}

/// A record's fields by name, or the names of a named tuple's elements.
nb::object fieldsOf(const PythonType &t) {
  requireAttribute(t.type.isRecord() || !t.type->names.empty(), t, "fields");
  if (t.type.isRecord()) {
    nb::object recordField = nb::module_::import_("heddle.types").attr("RecordField");
    nb::dict fields;
    for (const python::Field &field : t.type->fields)
      fields[field.name.c_str()] = recordField(fieldTypeOf(t, field.name), field.offset);
    return fields;
  }
  nb::list names;
  for (const std::string &name : t.type->names)
    names.append(nb::str(name.c_str()));
  return nb::tuple(names);
}

/// Another attribute that a program's class defines for a structure type, such as a property; a new reference, null if
/// there is none.
PyObject *attributeOfStructure(nb::handle type, nb::handle name) {
  nb::object values = classOrNone(nb::cast<const PythonType &>(type));
  nb::object made = nb::getattr(values, "__heddle_structure__", nb::none());
  if (made.is_none())
    return nullptr;
  nb::object last = nb::module_::import_("heddle.types").attr("StructRef");
  for (nb::handle base : nb::object(made.attr("__mro__"))) {
    if (base.is(last))
      break;
    nb::object space = base.attr("__dict__");
    if (!nb::cast<bool>(space.attr("__contains__")(name)))
      continue;
    nb::object found = space[name];
    bool isBound = nb::hasattr(found, "__get__");
    return (isBound ? nb::object(found.attr("__get__")(type, made)) : found).release().ptr();
  }
  return nullptr;
}

} // namespace

PyObject *attributeOfType(PyObject *self, PyObject *name) {
  PyObject *found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError))
    return found;
  nb::python_error missing;
  try {
    if (PyObject *ofStructure = attributeOfStructure(self, name))
      return ofStructure;
  } catch (nb::python_error &error) {
    error.restore();
    return nullptr;
  }
  missing.restore();
  return nullptr;
}

nb::object tupleElementTypeAt(const PythonType &tuple, nb::handle index) {
  return elementTypesOf(tuple).attr("__getitem__")(index);
}

void bindTypeAttributes(nb::class_<PythonType> &type) {
  type.def_prop_ro("name", [](const PythonType &t) { return t.type.name(); })
      .def_prop_ro("key", [](const PythonType &t) { return t.type.name(); })
      .def_prop_ro("bitwidth", bitWidthOf)
      .def_prop_ro("kind", kindNameOf, "The kind of the type: \"int\", \"array\" and so on.")
      .def_prop_ro("types", elementTypesOf, "The types of a tuple's elements.")
      .def_prop_ro("count", elementCountOf, "The number of a tuple's elements.")
      .def(
          "is_precise", [](const PythonType &) { return true; },
          "Always True: values of all heddle types can be compiled.")
      .def_prop_ro(
          "initial_value",
          [](const PythonType &t) {
            if (!t.type.isList() && !t.type.isDict())
              throw nb::attribute_error((t.type.name() + " has no initial value").c_str());
            return nb::none();
          },
          "The initial value of a list or dict; always None.")
      .def_prop_ro("signed", isSignedInteger)
      .def_prop_ro(
          "minval", [](const PythonType &t) { return extremeValueOfInteger(t, false); },
          "The smallest value of an integer type.")
      .def_prop_ro(
          "maxval", [](const PythonType &t) { return extremeValueOfInteger(t, true); },
          "The largest value of an integer type.")
      .def_prop_ro(
          "size",
          [](const PythonType &t) {
            if (!t.type.isRecord())
              throw nb::attribute_error((t.type.name() + " has no size").c_str());
            return t.type->recordBytes;
          },
          "The size of a record in bytes.")
      .def("typeof", fieldTypeOf, nb::arg("key"), "The type of a record's field.")
      .def(
          "offset",
          [](const PythonType &t, const std::string &name) { return getField(t, name).offset; },
          nb::arg("key"), "How many bytes behind a record's start a field lies.")
      .def_prop_ro("dtype", dtypeOfElements,
                   "The type of an array's elements, of a pointer's target, or of a tuple's "
                   "elements if all are equal; a record's dtype.")
      .def_prop_ro("type", [](const PythonType &t) { return typeOrNone(t.type->element); })
      .def_prop_ro("literal_value", literalValueOf,
                   "The value of a literal type. Raises AttributeError for other types.")
      .def_prop_ro("underlying_float",
                   [](const PythonType &t) {
                     if (!t.type.isComplex())
                       throw nb::attribute_error(
                           (t.type.name() + " is not a complex type").c_str());
                     return PythonType{python::floatType(t.type->bits / 2)};
                   })
      .def_prop_ro("ndim", arrayRankOf)
      .def_prop_ro("layout", layoutNameOf)
      .def_prop_ro("mutable",
                   [](const PythonType &t) { return t.type.isArray() && !t.type->readOnly; })
      .def_prop_ro("aligned", [](const PythonType &t) { return !t.type->packed; })
      .def_prop_ro("is_c_contig", [](const PythonType &t) { return isContiguous(t, Layout::C); })
      .def_prop_ro("is_f_contig", [](const PythonType &t) { return isContiguous(t, Layout::F); })
      .def_prop_ro(
          "is_contig",
          [](const PythonType &t) { return t.type.isArray() && t.type->layout != Layout::Any; })
      .def_prop_ro(
          "is_typed", [](const PythonType &t) { return t.type.isShared(); },
          "True for typed lists and dicts (numba.typed).")
      .def_prop_ro("item_type", itemTypeOf, "What a list holds.")
      .def_prop_ro(
          "key_type", [](const PythonType &t) { return dictEntryType(t, 0, "keys"); },
          "The type of a dict's keys.")
      .def_prop_ro(
          "value_type", [](const PythonType &t) { return dictEntryType(t, 1, "values"); },
          "The type of a dict's values.")
      .def_prop_ro(
          "keyvalue_type",
          [](const PythonType &t) {
            return PythonType{python::tupleType(
                {dictEntryType(t, 0, "keys").type, dictEntryType(t, 1, "values").type})};
          },
          "The type of a dict's items.")
      .def_prop_ro("fields", fieldsOf,
                   "A record's fields by name, or the names of a named tuple's elements.")
      .def_prop_ro(
          "members",
          [](const PythonType &t) {
            nb::list members;
            for (const python::Field &field : t.type->fields)
              members.append(nb::make_tuple(field.name, fieldTypeOf(t, field.name)));
            return members;
          },
          "A record's fields: pairs of a name and a type.")
      .def_prop_ro("field_dict", fieldTypesOf,
                   "The attribute types of a jitclass or a structure, by name.")
      .def_prop_ro("struct", fieldTypesOf, "The same as field_dict.")
      .def_prop_ro("instance_class", classOrNone,
                   "The named tuple class, the enumeration or the jitclass; None for other types.")
      .def_prop_ro("unit", timeUnitOf, "The unit of a date or a time, such as \"ns\".")
      .def("__bool__", [](const PythonType &) { return true; })
      .def("__len__",
           [](const PythonType &t) {
             if (t.type.isRecord())
               return t.type->fields.size();
             if (!hasElements(t))
               throw nb::type_error((t.type.name() + " has no length").c_str());
             return t.type->elements.size();
           })
      .def("__iter__", [](const PythonType &t) -> nb::object {
        if (!hasElements(t))
          throw nb::type_error((t.type.name() + " is not iterable").c_str());
        return elementTypesOf(t).attr("__iter__")();
      });
}

} // namespace heddle
