#include "bindings/host/shared_containers.h"

#include "bindings/host/results.h"
#include "bindings/interpreter/gil.h"
#include "bindings/interpreter/serialized_scope.h"
#include "bindings/types/python_classes.h"
#include "bindings/types/types.h"
#include "frontend/python/emit/containers/tables.h"
#include "host/call.h"

namespace nb = nanobind;

namespace heddle {

using python::Type;

namespace {

thread_local const ArgumentList *keptArguments = nullptr;

/// Ranks how well an array argument matches memory at `data`: adjacent arrays may both contain the address.
int rankArrayMatch(const ArrayArgument &array, const ArgumentList &arguments, const char *data) {
  if (data == reinterpret_cast<const char *>(arguments.slots[array.slot]))
    return 3;
  if (data < array.facts.low || data > array.facts.high)
    return 0;
  return data < array.facts.high ? 2 : 1;
}

void *findArrayArgumentAt(const void *data) {
  if (!keptArguments)
    return nullptr;
  const ArrayArgument *best = nullptr;
  int fit = 0;
  for (const ArrayArgument &array : keptArguments->arrays)
    if (int own = rankArrayMatch(array, *keptArguments, static_cast<const char *>(data));
        own > fit) {
      fit = own;
      best = &array;
    }
  WithGil gil;
  return best && gil ? Py_NewRef(best->owner) : nullptr;
}

void releaseObject(void *object) {
  WithGil gil;
  if (gil)
    Py_DECREF(static_cast<PyObject *>(object));
}

/// A class of heddle.typed by name.
nb::object findTypedClass(const char *name) {
  return nb::module_::import_("heddle.typed").attr(name);
}

} // namespace

void SharedContainer::shareContainerOf(const SharedContainer &other) {
  if (owner_ || !other.owner_)
    throw nb::type_error("only a container without a type can become another");
  type_ = other.type_;
  owner_ = other.owner_;
  owner_->retain();
}

SharedContainer *sharedContainerOf(nb::handle value) {
  bool is = nb::isinstance<SharedContainer>(value) && nb::inst_ready(value);
  return is ? nb::inst_ptr<SharedContainer>(value) : nullptr;
}

nb::object makeSharedObject(Type type, host::Owner &owner) {
  nb::object itsClass = type.isInstance() ? nb::borrow(publicClassOf(type))
                                          : findTypedClass(type.isList() ? "List" : "Dict");
  nb::object made = nb::inst_alloc(itsClass);
  new (nb::inst_ptr<SharedContainer>(made)) SharedContainer(type, owner);
  nb::inst_mark_ready(made);
  return made;
}

KeptArguments::KeptArguments(const ArgumentList &arguments) : before_(keptArguments) {
  keptArguments = &arguments;
}
KeptArguments::~KeptArguments() { keptArguments = before_; }

namespace {

/// The Python object for a container of compiled code at an address.
nb::object containerObjectAt(const PythonType &type, uintptr_t address) {
  reinterpret_cast<host::Owner *>(address)->retain();
  const uint64_t slots[] = {address, address}; // the value and its owner
  return ResultReader(slots, {}, {}, 1).readValue(type.type, nullptr);
}

} // namespace

void bindSharedContainers(nb::module_ &m) {
  host::setObjectFinder(findArrayArgumentAt);
  host::setObjectReleaser(releaseObject);
  m.attr("smallest_table") = python::smallestTable;
  m.def("container_at", containerObjectAt, nb::arg("type"), nb::arg("address"),
        "The list, dict or set at an address: a typed container itself, a copy of others.");
  nb::class_<SharedContainer>(m, "SharedContainer", "What lists and dicts of heddle.typed are.")
      .def(nb::init<>())
      .def("_become", &SharedContainer::shareContainerOf, nb::arg("other"), serialized)
      .def("_is", [](const SharedContainer &a,
                     const SharedContainer &b) { return a.owner() && a.owner() == b.owner(); })
      .def_prop_ro("_numba_type_", [](const SharedContainer &c) -> nb::object {
        return c.type() ? nb::cast(PythonType{c.type()}) : nb::object(nb::none());
      });
}

} // namespace heddle
