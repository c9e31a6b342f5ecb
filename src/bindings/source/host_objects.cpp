#include "bindings/source/host_objects.h"

#include "bindings/host/results.h"
#include "bindings/interpreter/gil.h"
#include "bindings/kernels/declared_functions.h"
#include "bindings/source/constants.h"
#include "bindings/source/environment.h"
#include "bindings/source/python_function.h"
#include "bindings/source/select_implementation.h"
#include "bindings/types/python_classes.h"
#include "bindings/types/types.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using namespace python;

std::string pythonStrOf(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

std::string nameOfObject(nb::handle object) {
  return nb::hasattr(object, "__name__") ? pythonStrOf(object.attr("__name__"))
                                         : classNameOf(object);
}

namespace {

/// Calls host functions at compile time; returns None, or a tuple with the result.
nb::object &compileTimeCaller() {
  static auto *function = new nb::object;
  return *function;
}

/// The Python object for a constant; invalid if there is none.
nb::object toPythonValue(const Constant &constant) {
  switch (constant.kind) {
  case ConstantKind::None:
  case ConstantKind::Bool:
  case ConstantKind::Int:
  case ConstantKind::Float:
  case ConstantKind::Complex:
  case ConstantKind::String:
  case ConstantKind::Type:
    return toPythonObject(constant);
  case ConstantKind::Tuple: {
    nb::list items;
    for (const Constant &item : constant.items) {
      nb::object value = toPythonValue(item);
      if (!value.is_valid())
        return {};
      items.append(value);
    }
    return nb::tuple(items);
  }
  default:
    if (!constant.object)
      return {};
    return nb::borrow(static_cast<PyObject *>(const_cast<void *>(constant.object->identity())));
  }
}

/// Implements the front end's HostObject for a Python object. Holds a reference.
class PythonObject : public HostObject {
public:
  PythonObject(nb::handle object, std::string description, std::string hintForCalling)
      : object_(nb::borrow(object)), description_(std::move(description)),
        insteadOfCalling_(std::move(hintForCalling)) {}
  ~PythonObject() override {
    WithGil gil;
    if (gil)
      object_.reset();
    else
      object_.release();
  }

  std::optional<Constant> attribute(const std::string &name) override {
    PyObject *found = PyObject_GetAttrString(object_.ptr(), name.c_str());
    if (!found) {
      if (!PyErr_ExceptionMatches(PyExc_AttributeError))
        throw nb::python_error();
      PyErr_Clear();
      return std::nullopt;
    }
    return constantOfObject(nb::steal(found));
  }

  std::string missingAttributeMessage(const std::string &name) override {
    if (!isHeddleModule())
      return HostObject::missingAttributeMessage(name);
    // The package recognizes numba's names and gives a specific message.
    PyObject *found = PyObject_GetAttrString(object_.ptr(), name.c_str());
    if (found) {
      Py_DECREF(found);
      return HostObject::missingAttributeMessage(name);
    }
    nb::python_error error;
    return nb::cast<std::string>(nb::str(error.value()));
  }

  std::vector<std::string> attributeNames() override {
    std::vector<std::string> names;
    for (nb::handle name : nb::steal<nb::list>(PyObject_Dir(object_.ptr())))
      names.push_back(nb::cast<std::string>(name));
    return names;
  }

  std::string describe() override { return description_; }
  std::string hintForCalling() override { return insteadOfCalling_; }

  const void *identity() const override { return object_.ptr(); }
  bool isReturnable() override { return isEnumMember(object_); }

  std::optional<bool> isClassOf(Type type) override {
    if (!PyType_Check(object_.ptr()))
      return std::nullopt;
    if (nb::hasattr(object_, "__heddle_types__"))
      return isClassOfTypes(type);
    for (const nb::object &own : pythonClassesOf(type))
      if (nb::issubclass(own, object_))
        return true;
    return isDecidedByType(type) ? std::optional(false) : std::nullopt;
  }
  std::optional<bool> isExactClassOf(Type type) override {
    if (!PyType_Check(object_.ptr()))
      return std::nullopt;
    for (const nb::object &own : pythonClassesOf(type))
      if (object_.is(own))
        return true;
    return isDecidedByType(type) ? std::optional(false) : std::nullopt;
  }

  bool isElementwise() override { return nb::hasattr(object_, "__heddle_elementwise__"); }

  std::optional<Constant> findImplementation(const std::vector<CallArgument> &arguments,
                                             Target target) override {
    return selectImplementation(nb::object(registeredOverloads()[object_]), arguments, target);
  }

  std::optional<Constant> callAtCompileTime(const std::vector<Constant> &arguments) override {
    if (!compileTimeCaller().is_valid())
      return std::nullopt;
    nb::list values;
    for (const Constant &argument : arguments) {
      nb::object value = toPythonValue(argument);
      if (!value.is_valid())
        return std::nullopt;
      values.append(value);
    }
    nb::object result = compileTimeCaller()(object_, *nb::tuple(values));
    return result.is_none() ? std::nullopt : std::optional(constantOfObject(result[0]));
  }

  nb::handle heldObject() const { return object_; }

  FunctionSource *functionSource() override {
    PythonFunction *function = nullptr;
    if (nb::try_cast(object_, function, false))
      return &function->source();
    DeclaredFunction *declared = nullptr;
    return nb::try_cast(object_, declared, false) ? &declared->source() : nullptr;
  }

private:
  /// True if the type determines if values are instances of this class. Host functions see a bytearray as an array.
  bool isDecidedByType(Type type) {
    bool isBuffer =
        object_.is((PyObject *)&PyByteArray_Type) || object_.is((PyObject *)&PyMemoryView_Type);
    return !pythonClassesOf(type).empty() && !(isBuffer && type.isArray());
  }

  /// True if the object is a class of heddle.types that includes the type.
  bool isClassOfTypes(Type type) {
    return PyObject_IsInstance(nb::cast(PythonType{type}).ptr(), object_.ptr()) == 1;
  }

  /// True if this is a heddle module or one of its groups of device operations.
  bool isHeddleModule() {
    if (!PyModule_Check(object_.ptr()))
      return nb::hasattr(object_.type(), "__heddle_namespace__");
    std::string name = nameOfObject(object_);
    return name == "heddle" || name.starts_with("heddle.");
  }

  nb::object object_;
  std::string description_;
  std::string insteadOfCalling_;
};

/// A jitclass instance or a numba.typed container. Its contents may change, so they are not constants.
class SharedObject : public PythonObject {
public:
  using PythonObject::PythonObject;
  std::optional<Constant> attribute(const std::string &) override { return {}; }
  std::string missingAttributeMessage(const std::string &) override {
    return describe() + " is no constant: pass it as an argument";
  }
};

/// A library function that kernels do not support but host functions may.
class HostLibraryFunction : public PythonObject {
public:
  HostLibraryFunction(std::string name, nb::handle object, std::string description,
                      std::string instead)
      : PythonObject(object, std::move(description), std::move(instead)), name_(std::move(name)) {}
  std::string libraryName() override { return name_; }

private:
  std::string name_;
};

/// The implementations that heddle.host_library has for a name.
class HostImplementations : public PythonObject {
public:
  HostImplementations(nb::handle choices, const std::string &name)
      : PythonObject(choices, name, ""), choices_(choices) {}
  std::optional<Constant> findImplementation(const std::vector<CallArgument> &arguments,
                                             Target target) override {
    return selectImplementation(choices_, arguments, target);
  }

private:
  nb::handle choices_; ///< kept alive by the base class
};

} // namespace

Constant hostObjectConstant(ConstantKind kind, nb::handle object, std::string description,
                            std::string hintForCalling) {
  return {.kind = kind,
          .text = description,
          .object = std::make_shared<PythonObject>(object, std::move(description),
                                                   std::move(hintForCalling))};
}

Constant unsupportedSharedContainerConstant(nb::handle object) {
  std::string shown = "the global object of class " + classNameOf(object);
  return {.kind = ConstantKind::Other,
          .text = shown,
          .object = std::make_shared<SharedObject>(object, shown, "pass it as an argument")};
}

Constant hostLibraryFunction(const std::string &name, nb::handle object, std::string description,
                             std::string instead) {
  return {.kind = ConstantKind::Other,
          .text = description,
          .object =
              std::make_shared<HostLibraryFunction>(name, object, description, std::move(instead))};
}

Constant implementationsConstant(ConstantKind kind, const std::string &name, nb::handle choices) {
  return {
      .kind = kind, .text = name, .object = std::make_shared<HostImplementations>(choices, name)};
}

int visitReferences(const Constant &constant, visitproc visit, void *arg) {
  if (constant.object && constant.object.use_count() == 1)
    if (auto *object = dynamic_cast<PythonObject *>(constant.object.get()))
      Py_VISIT(object->heldObject().ptr());
  for (const Constant &item : constant.items)
    if (int result = visitReferences(item, visit, arg))
      return result;
  return 0;
}

void bindHostObjects(nb::module_ &m) {
  m.def(
      "set_constant_caller", [](nb::object call) { compileTimeCaller() = std::move(call); },
      nb::arg("call"));
}

} // namespace heddle
