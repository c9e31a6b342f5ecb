#include "bindings/host/number_attributes.h"

#include "bindings/host/results.h"
#include "bindings/host/shared_containers.h"
#include "bindings/types/types.h"
#include "frontend/python/emit/emitter.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Type;

namespace {

/// Never freed, because instance types live as long as the process.
struct NumberAttribute {
  std::string name;
  Type type;
  size_t slot;
  nb::object write; ///< a function that takes the instance and the value
  PyGetSetDef definition{};
};

PyObject *getNumberAttribute(PyObject *self, void *closure) {
  auto &attribute = *static_cast<NumberAttribute *>(closure);
  SharedContainer *instance = nb::inst_ready(self) ? nb::inst_ptr<SharedContainer>(self) : nullptr;
  if (!instance || !instance->owner()) {
    PyErr_SetString(PyExc_AttributeError, "the instance has no attributes before __init__");
    return nullptr;
  }
  const auto *slots = reinterpret_cast<const uint64_t *>(instance->owner()->elements);
  return makePythonNumber(attribute.type, slots[attribute.slot]);
}

int setNumberAttribute(PyObject *self, PyObject *value, void *closure) {
  auto &attribute = *static_cast<NumberAttribute *>(closure);
  if (!value) {
    PyErr_Format(PyExc_AttributeError, "attribute '%s' cannot be deleted", attribute.name.c_str());
    return -1;
  }
  PyObject *done = PyObject_CallFunctionObjArgs(attribute.write.ptr(), self, value, nullptr);
  Py_XDECREF(done);
  return done ? 0 : -1;
}

bool isPlainNumberOrBool(Type type) {
  return (type.isNumber() || type.isBool()) && !type.isTime() && !type.isEnumMember();
}

nb::object makeNumberAttribute(nb::handle instanceClass, const PythonType &instance,
                               const std::string &name, nb::object write) {
  const auto &names = instance.type->names;
  size_t number = size_t(std::find(names.begin(), names.end(), name) - names.begin());
  Type type = instance.type->elements[number];
  if (!isPlainNumberOrBool(type))
    return nb::none();
  llvm::LLVMContext context;
  size_t slot = 0;
  for (size_t i = 0; i < number; ++i)
    slot += python::partTypes(context, instance.type->elements[i]).size();
  auto *attribute = new NumberAttribute{name, type, slot, std::move(write)};
  attribute->definition = {attribute->name.c_str(), getNumberAttribute, setNumberAttribute, nullptr,
                           attribute};
  PyObject *made = PyDescr_NewGetSet(reinterpret_cast<PyTypeObject *>(instanceClass.ptr()),
                                     &attribute->definition);
  if (!made)
    throw nb::python_error();
  return nb::steal(made);
}

} // namespace

void bindNumberAttributes(nb::module_ &m) {
  m.def("number_attribute", makeNumberAttribute, nb::arg("instance_class"),
        nb::arg("instance_type"), nb::arg("name"), nb::arg("write"),
        "A descriptor that reads a numeric attribute of instances; None for other attributes.");
}

} // namespace heddle
