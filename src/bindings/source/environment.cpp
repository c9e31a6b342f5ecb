#include "bindings/source/environment.h"

#include "bindings/interpreter/gil.h"
#include "bindings/interpreter/serialized_scope.h"
#include "bindings/runtime.h"
#include "bindings/source/constants.h"
#include "bindings/source/host_objects.h"
#include "bindings/source/select_implementation.h"
#include "bindings/types/dtypes.h"
#include "bindings/types/python_classes.h"
#include "bindings/types/types.h"
#include "frontend/python/rows/row.h"

#include <set>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using namespace python;

namespace {

/// Names of attributes with Python implementations, and the function that finds the implementation.
struct AttributeOverloads {
  std::set<std::string> names;
  nb::object find;

  static AttributeOverloads &instance() {
    static auto *overloads = new AttributeOverloads;
    return *overloads;
  }
};

/// The member of a jitclass with this name, from heddle.experimental.classes: a method, a property's getter, or a
/// static method.
std::optional<Constant> memberOfClass(nb::handle instanceClass, Type type,
                                      const std::string &name) {
  nb::object found =
      nb::object(instanceClass.attr("__heddle_members__")).attr("get")(nb::str(name.c_str()));
  if (found.is_none())
    return std::nullopt;
  std::string what = nb::cast<std::string>(nb::object(found[0]));
  nb::object member = found[1];
  if (what == "static method")
    return heddle::constantOfObject(member);
  std::string shown = "'" + name + "' of " + type.name();
  return implementationsConstant(what == "method" ? ConstantKind::Method : ConstantKind::Overload,
                                 shown, member);
}

} // namespace

nb::dict &registeredOverloads() {
  static auto *functions = new nb::dict;
  return *functions;
}

void bindOverloads(nb::module_ &m) {
  m.attr("overloads") = registeredOverloads();
  bindHostObjects(m);
  m.def(
      "set_attribute_overloads",
      [](const std::string &name, nb::object find) {
        AttributeOverloads::instance().names.insert(name);
        AttributeOverloads::instance().find = std::move(find);
      },
      nb::arg("name"), nb::arg("find"), serialized);
}

std::optional<Constant> FunctionEnvironment::findHostImplementation(const std::string &name) {
  // Not a static: while a thread imports the module, others would wait for the static with the GIL held.
  nb::dict known =
      nb::borrow<nb::dict>(nb::module_::import_("heddle.host_library").attr("implementations"));
  if (!known.contains(name.c_str()))
    return std::nullopt;
  nb::object choices = known[name.c_str()];
  return implementationsConstant(ConstantKind::Overload, name, choices);
}

Type FunctionEnvironment::findStructuredDtype(const std::string &text) {
  nb::object dtype;
  try {
    dtype = nb::module_::import_("numpy").attr("dtype")(text);
  } catch (nb::python_error &) { // not the name of a dtype
    return {};
  }
  Type type = typeOfDtype(dtype);
  return type && type.isRecord() ? type : Type();
}

bool FunctionEnvironment::isExceptionSubclass(const std::string &raised,
                                              const std::string &caught) {
  nb::object type = findExceptionClass(raised), base = findExceptionClass(caught);
  return type.is_valid() && base.is_valid() && PyObject_IsSubclass(type.ptr(), base.ptr()) == 1;
}

std::optional<Constant>
FunctionEnvironment::findMemberOrOverload(Type type, const std::string &name, Target target) {
  if (type.isInstance())
    if (std::optional<Constant> member = memberOfClass(classOf(type), type, name))
      return member;
  AttributeOverloads &attributes = AttributeOverloads::instance();
  bool mayBe = attributes.names.count(name) || (type.isStructure() && attributes.find.is_valid());
  if (!mayBe)
    return std::nullopt;
  nb::object found = attributes.find(PythonType{type}, name, nameOfTarget(target));
  if (found.is_none())
    return std::nullopt;
  bool isMethod = nb::cast<bool>(nb::object(found[0]));
  return hostObjectConstant(isMethod ? ConstantKind::Method : ConstantKind::Overload,
                            nb::object(found[1]), "'" + name + "' of " + type.name());
}

std::optional<Constant> FunctionEnvironment::findConstant(const std::string &name) {
  std::optional<Constant> found = resolveName(name);
  // A decorator that compiles immediately runs before a recursive function's name is assigned.
  if (!found && compiled_.is_valid() && pythonStrOf(function_.attr("__name__")) == name)
    return constantOfObject(compiled_);
  return found;
}

std::optional<Constant> FunctionEnvironment::resolveName(const std::string &name) {
  nb::object code = function_.attr("__code__");
  nb::object closure = function_.attr("__closure__");
  if (!closure.is_none()) {
    size_t i = 0;
    for (nb::handle freeName : code.attr("co_freevars")) {
      if (nb::cast<std::string>(freeName) == name) {
        nb::object contents =
            nb::steal(PyObject_GetAttrString(nb::object(closure[i]).ptr(), "cell_contents"));
        if (contents.is_valid())
          return constantOfObject(contents);
        PyErr_Clear(); // the enclosing function has not assigned the variable yet
        return std::nullopt;
      }
      ++i;
    }
  }
  // Names introduced by the compiler's source rewriters (heddle.compiler.source.rewriters).
  if (name.starts_with("__heddle_name_"))
    return constantOfObject(nb::object(function_.attr("__heddle_names__")[name.c_str()]));
  nb::dict globals = nb::borrow<nb::dict>(function_.attr("__globals__"));
  if (globals.contains(name.c_str()))
    return constantOfObject(globals[name.c_str()]);
  nb::module_ builtins = nb::module_::import_("builtins");
  if (nb::hasattr(builtins, name.c_str()))
    return constantOfObject(builtins.attr(name.c_str()));
  return std::nullopt;
}

std::vector<std::string> FunctionEnvironment::visibleNames() {
  std::vector<std::string> names;
  for (nb::handle name : function_.attr("__code__").attr("co_varnames"))
    names.push_back(nb::cast<std::string>(name));
  for (nb::handle name : function_.attr("__code__").attr("co_freevars"))
    names.push_back(nb::cast<std::string>(name));
  for (auto [name, value] : nb::borrow<nb::dict>(function_.attr("__globals__")))
    names.push_back(pythonStrOf(name));
  for (const LibraryRow *row : libraryRows())
    if (row->module() == "builtins")
      names.emplace_back(row->lastName());
  return names;
}

} // namespace heddle
