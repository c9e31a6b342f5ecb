#include "bindings/types/python_classes.h"

#include "bindings/interpreter/made_once.h"
#include "bindings/types/structures.h"
#include "frontend/python/types/literal_dicts.h"
#include "frontend/python/types/literal_lists.h"
#include "frontend/python/types/slices.h"

#include <set>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Type;

namespace {

std::string shortNameOf(nb::handle type) { return nb::cast<std::string>(type.attr("__name__")); }

} // namespace

const void *keptClass(nb::handle type) {
  static auto *known = new std::set<PyObject *>; // types live as long as the process, so do classes
  if (known->insert(type.ptr()).second)
    Py_INCREF(type.ptr());
  return type.ptr();
}

std::string classNameOf(nb::handle value) { return shortNameOf(value.type()); }

bool isOfLoaded(nb::handle object, const char *module, const char *name) {
  nb::object found = nb::borrow(PySys_GetObject("modules")).attr("get")(module);
  return !found.is_none() && PyObject_IsInstance(object.ptr(), found.attr(name).ptr()) == 1;
}

std::optional<Type> namedTupleOf(nb::handle type) {
  if (!PyType_Check(type.ptr()) || !PyType_IsSubtype((PyTypeObject *)type.ptr(), &PyTuple_Type) ||
      !nb::hasattr(type, "_fields"))
    return std::nullopt;
  if (std::optional<Type> structure = structureOf(type))
    return structure;
  std::vector<std::string> names;
  for (nb::handle field : nb::object(type.attr("_fields"))) {
    if (!PyUnicode_Check(field.ptr()))
      return std::nullopt;
    names.push_back(nb::cast<std::string>(field));
  }
  if (nb::hasattr(type, "__heddle_structure__")) // one of heddle's own
    return python::structureType(shortNameOf(type), keptClass(type), std::move(names), {});
  return python::namedTupleType(shortNameOf(type), keptClass(type), std::move(names), {});
}

bool isEnumMember(nb::handle object) {
  static std::atomic<nb::object *> found{nullptr};
  nb::object &enumeration =
      madeOnce(found, [] { return new nb::object(nb::module_::import_("enum").attr("Enum")); });
  return PyType_IsSubtype(Py_TYPE(object.ptr()), (PyTypeObject *)enumeration.ptr());
}

Type enumTypeOf(nb::handle member, Type value) {
  nb::handle type = member.type();
  return python::enumType(shortNameOf(type), keptClass(type), value,
                          PyLong_Check(member.ptr()) && value.isInteger());
}

Type instanceTypeOf(nb::handle type, std::vector<std::string> names, std::vector<Type> types,
                    const std::string &typeName) {
  return python::instanceType(typeName.empty() ? "instance.jitclass." + shortNameOf(type)
                                               : typeName,
                              keptClass(type), std::move(names), std::move(types));
}

nb::handle programsClassOf(Type type) {
  nb::handle known = classOf(type);
  static PyObject *name = PyUnicode_InternFromString("__heddle_proxy__");
  PyObject *proxy = PyObject_GetAttr(known.ptr(), name);
  if (!proxy) {
    PyErr_Clear(); // a class of jitclass is the program's own
    return known;
  }
  Py_DECREF(proxy); // `known` refers to it
  return proxy;
}

nb::handle classOf(Type type) {
  if (python::isSliceValue(type) || python::isLiteralList(type) || python::isLiteralDict(type))
    return {};
  return (PyObject *)const_cast<void *>(type->identity);
}

} // namespace heddle
