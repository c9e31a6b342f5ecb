#include "bindings/types/python_classes.h"

#include "bindings/interpreter/get_or_make.h"
#include "bindings/interpreter/serialized_scope.h"
#include "bindings/types/dtypes.h"
#include "bindings/types/structures.h"
#include "frontend/python/types/literal_dicts.h"
#include "frontend/python/types/literal_lists.h"
#include "frontend/python/types/slices.h"

#include <mutex>
#include <set>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Type;
using python::TypeKind;

namespace {

std::string shortNameOf(nb::handle type) { return nb::cast<std::string>(type.attr("__name__")); }

} // namespace

const void *keepClassAlive(nb::handle type) {
  static auto *known = new std::set<PyObject *>; // types, and so their classes, are never freed
  static TableLock mutex;
  std::lock_guard lock(mutex);
  if (known->insert(type.ptr()).second)
    Py_INCREF(type.ptr());
  return type.ptr();
}

std::string classNameOf(nb::handle value) { return shortNameOf(value.type()); }

bool isInstanceOfImportedClass(nb::handle object, const char *module, const char *name) {
  nb::object found = nb::borrow(PySys_GetObject("modules")).attr("get")(module);
  return !found.is_none() && PyObject_IsInstance(object.ptr(), found.attr(name).ptr()) == 1;
}

std::optional<Type> typeOfTupleClass(nb::handle type) {
  if (!PyType_Check(type.ptr()) || !PyType_IsSubtype((PyTypeObject *)type.ptr(), &PyTuple_Type) ||
      !nb::hasattr(type, "_fields"))
    return std::nullopt;
  if (std::optional<Type> structure = structureTypeOfClass(type))
    return structure;
  std::vector<std::string> names;
  for (nb::handle field : nb::object(type.attr("_fields"))) {
    if (!PyUnicode_Check(field.ptr()))
      return std::nullopt;
    names.push_back(nb::cast<std::string>(field));
  }
  if (nb::hasattr(type, "__heddle_structure__")) // defined by heddle
    return python::structureType(shortNameOf(type), keepClassAlive(type), std::move(names), {});
  return python::namedTupleType(shortNameOf(type), keepClassAlive(type), std::move(names), {});
}

bool isEnumMember(nb::handle object) {
  static std::atomic<nb::object *> found{nullptr};
  nb::object &enumeration =
      getOrMake(found, [] { return new nb::object(nb::module_::import_("enum").attr("Enum")); });
  return PyType_IsSubtype(Py_TYPE(object.ptr()), (PyTypeObject *)enumeration.ptr());
}

Type enumTypeOf(nb::handle member, Type value) {
  nb::handle type = member.type();
  return python::enumType(shortNameOf(type), keepClassAlive(type), value,
                          PyLong_Check(member.ptr()) && value.isInteger());
}

Type instanceTypeOf(nb::handle type, std::vector<std::string> names, std::vector<Type> types,
                    const std::string &typeName) {
  return python::instanceType(typeName.empty() ? "instance.jitclass." + shortNameOf(type)
                                               : typeName,
                              keepClassAlive(type), std::move(names), std::move(types));
}

nb::handle publicClassOf(Type type) {
  nb::handle known = classOf(type);
  static PyObject *name = PyUnicode_InternFromString("__heddle_proxy__");
  PyObject *proxy = PyObject_GetAttr(known.ptr(), name);
  if (!proxy) {
    PyErr_Clear(); // a jitclass is the program's class itself
    return known;
  }
  Py_DECREF(proxy); // `known` keeps a reference
  return proxy;
}

namespace {

nb::object borrowTypeObject(PyTypeObject &type) { return nb::borrow((PyObject *)&type); }

nb::object importAttribute(const char *module, const char *name) {
  return nb::object(nb::module_::import_(module).attr(name));
}

std::vector<nb::object> classesOfNumber(Type type) {
  std::vector<nb::object> classes{nb::object(dtypeOf(type).attr("type"))};
  if (type.isBool())
    classes.push_back(borrowTypeObject(PyBool_Type));
  if (type == python::int64Type())
    classes.push_back(borrowTypeObject(PyLong_Type));
  return classes;
}

std::vector<nb::object> classesOfTuple(Type type) {
  if (python::isSliceValue(type))
    return {borrowTypeObject(PySlice_Type)};
  if (python::isLiteralList(type))
    return {borrowTypeObject(PyList_Type)};
  if (python::isLiteralDict(type))
    return {borrowTypeObject(PyDict_Type)};
  return {type->identity ? nb::borrow(classOf(type)) : borrowTypeObject(PyTuple_Type)};
}

} // namespace

std::vector<nb::object> pythonClassesOf(Type type) {
  switch (type.kind()) {
  case TypeKind::None:
    return {nb::borrow(nb::none().type())};
  case TypeKind::Bool:
  case TypeKind::Int:
  case TypeKind::UInt:
  case TypeKind::Float:
  case TypeKind::Complex:
    if (type.isEnumMember())
      return {nb::borrow(classOf(type))};
    return classesOfNumber(type);
  case TypeKind::Enum:
    return {nb::borrow(classOf(type))};
  case TypeKind::Tuple:
    return classesOfTuple(type);
  case TypeKind::Array:
    return {type->ofBytes ? borrowTypeObject(PyBytes_Type) : importAttribute("numpy", "ndarray")};
  case TypeKind::Record:
    return {importAttribute("numpy", "record")};
  case TypeKind::DateTime:
    return {importAttribute("numpy", "datetime64")};
  case TypeKind::TimeDelta:
    return {importAttribute("numpy", "timedelta64")};
  case TypeKind::Characters:
    return {importAttribute("numpy", type->element->bits == 8 ? "bytes_" : "str_")};
  case TypeKind::Range:
    return {borrowTypeObject(PyRange_Type)};
  case TypeKind::List:
    return {type.isShared() ? importAttribute("heddle.typed", "List")
                            : borrowTypeObject(PyList_Type)};
  case TypeKind::Dict: // as in numba, a typed dict is a dict
    if (type.isShared())
      return {importAttribute("heddle.typed", "Dict"), borrowTypeObject(PyDict_Type)};
    return {borrowTypeObject(PyDict_Type)};
  case TypeKind::Set:
    return {borrowTypeObject(PySet_Type)};
  case TypeKind::Instance:
    return {nb::borrow(publicClassOf(type))};
  case TypeKind::Slice:
    return {borrowTypeObject(PySlice_Type)};
  case TypeKind::String:
    return {borrowTypeObject(PyUnicode_Type)};
  case TypeKind::Ellipsis:
    return {nb::borrow(nb::ellipsis().type())};
  case TypeKind::Generator:
    return {importAttribute("types", "GeneratorType")};
  case TypeKind::Closure:
    return {importAttribute("types", "FunctionType")};
  default:
    return {};
  }
}

nb::handle classOf(Type type) {
  if (python::isSliceValue(type) || python::isLiteralList(type) || python::isLiteralDict(type))
    return {};
  return (PyObject *)const_cast<void *>(type->identity);
}

} // namespace heddle
