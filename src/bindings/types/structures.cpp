#include "bindings/types/structures.h"

#include "bindings/interpreter/serialized_scope.h"
#include "bindings/types/python_classes.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Type;

namespace {

/// Returns a structure's tuple class, its field names and types, and a flag that tells if the description is complete.
nb::object &structureDescriberFunction() {
  static auto *function = new nb::object;
  return *function;
}

/// Maps classes of objects to functions that return an object's fields.
nb::dict &fieldsFunctionsByClass() {
  static auto *known = new nb::dict;
  return *known;
}

/// The function that loadExtensions() calls.
nb::object &extensionsLoaderFunction() {
  static auto *function = new nb::object;
  return *function;
}

/// The function that returns the fields of the class's objects; null if there is none.
PyObject *findFieldsFunction(nb::handle type) {
  if (!hasRegisteredClasses())
    return nullptr;
  nb::dict &known = fieldsFunctionsByClass();
  for (nb::handle base : nb::object(type.attr("__mro__")))
    if (PyObject *function = PyDict_GetItem(known.ptr(), base.ptr()))
      return function;
  return nullptr;
}

Type makeStructureType(nb::handle description, const std::string &name) {
  std::vector<std::string> names;
  for (nb::handle field : nb::object(description[1]))
    names.push_back(nb::cast<std::string>(field));
  std::vector<Type> types;
  for (nb::handle field : nb::object(description[2]))
    types.push_back(nb::cast<PythonType &>(field).type);
  return python::structureType(name, keepClassAlive(nb::object(description[0])), std::move(names),
                               std::move(types));
}

} // namespace

void resolveStructureFields(nb::handle object, PythonType &type) noexcept {
  SerializedScope scope;
  if (!structureDescriberFunction().is_valid())
    return;
  type.isOpen = false; // prevents recursion
  try {
    nb::object description = structureDescriberFunction()(object);
    type.type = makeStructureType(description, type.type.name());
    type.isOpen = !nb::cast<bool>(nb::object(description[3]));
  } catch (nb::python_error
               &) { // the structureDescriberFunction stores exceptions of the program's class
    type.isOpen = true;
  }
}

PyObject *newReferenceToStructureObject(Type type) noexcept {
  if (!type.isStructure() || !type->identity)
    return nullptr;
  PyObject *own = PyObject_GetAttrString(classOf(type).ptr(), "__heddle_type__");
  if (!own)
    PyErr_Clear();
  return own;
}

std::optional<Type> structureTypeOfClass(nb::handle type) {
  nb::object own = nb::getattr(type, "__heddle_type__", nb::none());
  if (own.is_none())
    return std::nullopt;
  return nb::cast<PythonType &>(own).type;
}

void loadExtensions() {
  SerializedScope scope;
  if (!extensionsLoaderFunction().is_valid())
    return;
  nb::object load =
      std::move(extensionsLoaderFunction()); // cleared first, because it may compile a function
  load();
}

bool hasRegisteredClasses() { return PyDict_Size(fieldsFunctionsByClass().ptr()) != 0; }

std::optional<nb::object> fieldsOfObject(nb::handle object) {
  loadExtensions();
  PyObject *fieldsOf = findFieldsFunction(object.type());
  if (!fieldsOf)
    return std::nullopt;
  nb::object fields = nb::handle(fieldsOf)(object);
  return fields.is_none() ? std::nullopt : std::optional(std::move(fields));
}

void bindStructures(nb::module_ &m, nb::class_<PythonType> &type) {
  type.def(
      "__init__",
      [](PythonType *self, const std::string &name) {
        new (self) PythonType{python::structureType(name, nullptr, {}, {}), true};
      },
      nb::arg("name"), "Of a program's own class of types: a type of that name.");
  m.def(
      "describe_structures_by",
      [](nb::object function) { structureDescriberFunction() = std::move(function); },
      nb::arg("function"), serialized);
  m.def(
      "set_extension_loader",
      [](nb::object function) { extensionsLoaderFunction() = std::move(function); },
      nb::arg("function"), serialized);
  m.attr("classes_with_types") = fieldsFunctionsByClass();
}

} // namespace heddle
