#include "bindings/source/environment.h"

#include "bindings/host/results.h"
#include "bindings/host/shared_containers.h"
#include "bindings/interpreter/gil.h"
#include "bindings/kernels/declared_functions.h"
#include "bindings/runtime.h"
#include "bindings/source/named_arrays.h"
#include "bindings/source/python_function.h"
#include "bindings/types/dtypes.h"
#include "bindings/types/python_classes.h"
#include "bindings/types/structures.h"
#include "bindings/types/types.h"
#include "bindings/values/numbers.h"
#include "bindings/values/numpy_classes.h"
#include "bindings/values/value_kind.h"
#include "frontend/python/rows/row.h"

#include <set>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using namespace python;

namespace {

std::string text(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }
std::string typeName(nb::handle object) {
  return nb::cast<std::string>(object.type().attr("__name__"));
}

std::string nameOf(nb::handle object) {
  return nb::hasattr(object, "__name__") ? text(object.attr("__name__")) : typeName(object);
}

/// The target's name in heddle.extension.overloads.
const char *nameOf(Target target) { return target == Target::Host ? "cpu" : "cuda"; }

bool isPlainNumber(const Constant &constant) {
  return (constant.kind == ConstantKind::Int && constant.type == python::int64Type()) ||
         constant.kind == ConstantKind::Bool;
}

/// An argument as the Python implementation selector sees it: its type; for a constant string also the string; for a
/// type the type itself. takesNumbers: the same for constant integers and bools.
nb::object typeForPython(const CallArgument &argument, bool takesNumbers) {
  if (takesNumbers && argument.constant && isPlainNumber(*argument.constant)) {
    bool isBool = argument.constant->kind == ConstantKind::Bool;
    nb::object value = isBool ? nb::object(nb::bool_(argument.constant->integer != 0))
                              : nb::object(nb::int_(argument.constant->integer));
    nb::object literal = nb::module_::import_("heddle.types").attr("literal")(value);
    if (argument.isWanted)
      literal.attr("is_wanted") = true;
    return literal;
  }
  if (argument.type.is(TypeKind::String) && argument.constant)
    return nb::module_::import_("heddle.types").attr("StringLiteral")(argument.constant->text);
  if (argument.constant && argument.constant->kind == ConstantKind::Type)
    return nb::module_::import_("heddle.types")
        .attr("TypeRef")(nb::cast(PythonType{argument.constant->type}));
  return nb::cast(PythonType{argument.type});
}

/// Converts a constant integer, or a tuple of them, to Python; null for other arguments.
nb::object integersForPython(const Constant *constant) {
  if (constant && constant->kind == ConstantKind::Int)
    return nb::int_(constant->integer);
  if (!constant || constant->kind != ConstantKind::Tuple)
    return {};
  nb::list items;
  for (const Constant &item : constant->items) {
    if (item.kind != ConstantKind::Int)
      return {};
    items.append(nb::int_(item.integer));
  }
  return nb::tuple(items);
}

/// The function that heddle.extension.overloads.Implementations selects for these arguments and this target.
std::optional<Constant> selectImplementation(nb::handle implementations,
                                             const std::vector<CallArgument> &arguments,
                                             Target target) {
  nb::list positional;
  nb::dict named;
  bool takesNumbers = nb::hasattr(implementations, "takes_literals");
  bool takesIntegers = nb::hasattr(implementations, "takes_integers");
  for (const CallArgument &a : arguments) {
    nb::object type = takesIntegers ? integersForPython(a.constant) : nb::object();
    if (!type.is_valid())
      type = typeForPython(a, takesNumbers);
    if (a.name.empty())
      positional.append(type);
    else
      named[a.name.c_str()] = type;
  }
  nb::object found = implementations.attr("choose")(positional, named, nameOf(target));
  return found.is_none() ? std::nullopt : std::optional(constantOf(found));
}

/// Calls host functions at compile time; returns None, or a tuple with the result.
nb::object &constantCaller() {
  static auto *function = new nb::object;
  return *function;
}

/// The Python object for a constant; invalid if there is none.
nb::object valueOf(const Constant &constant) {
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
      nb::object value = valueOf(item);
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
    return constantOf(nb::steal(found));
  }

  std::string missingAttributeMessage(const std::string &name) override {
    if (!isHeddles())
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
  bool isValue() override { return isEnumMember(object_); }

  std::optional<bool> isClassOf(Type type) override {
    if (!PyType_Check(object_.ptr()))
      return std::nullopt;
    if (nb::hasattr(object_, "__heddle_types__"))
      return isClassOfTypes(type);
    for (const nb::object &own : pythonClassesOf(type))
      if (nb::issubclass(own, object_))
        return true;
    return isKnown(type) ? std::optional(false) : std::nullopt;
  }
  std::optional<bool> isExactClassOf(Type type) override {
    if (!PyType_Check(object_.ptr()))
      return std::nullopt;
    for (const nb::object &own : pythonClassesOf(type))
      if (object_.is(own))
        return true;
    return isKnown(type) ? std::optional(false) : std::nullopt;
  }

  bool isElementwise() override { return nb::hasattr(object_, "__heddle_elementwise__"); }

  std::optional<Constant> implementation(const std::vector<CallArgument> &arguments,
                                         Target target) override {
    return selectImplementation(nb::object(overloads()[object_]), arguments, target);
  }

  std::optional<Constant> called(const std::vector<Constant> &arguments) override {
    if (!constantCaller().is_valid())
      return std::nullopt;
    nb::list values;
    for (const Constant &argument : arguments) {
      nb::object value = valueOf(argument);
      if (!value.is_valid())
        return std::nullopt;
      values.append(value);
    }
    nb::object result = constantCaller()(object_, *nb::tuple(values));
    return result.is_none() ? std::nullopt : std::optional(constantOf(result[0]));
  }

  nb::handle held() const { return object_; }

  FunctionSource *function() override {
    PythonFunction *function = nullptr;
    if (nb::try_cast(object_, function, false))
      return &function->source();
    DeclaredFunction *declared = nullptr;
    return nb::try_cast(object_, declared, false) ? &declared->source() : nullptr;
  }

private:
  /// True if the type determines if values are instances of this class. Host functions see a bytearray as an array.
  bool isKnown(Type type) {
    bool isBuffer =
        object_.is((PyObject *)&PyByteArray_Type) || object_.is((PyObject *)&PyMemoryView_Type);
    return !pythonClassesOf(type).empty() && !(isBuffer && type.isArray());
  }

  /// True if the object is a class of heddle.types that includes the type.
  bool isClassOfTypes(Type type) {
    return PyObject_IsInstance(nb::cast(PythonType{type}).ptr(), object_.ptr()) == 1;
  }

  /// True if this is a heddle module or one of its groups of device operations.
  bool isHeddles() {
    if (!PyModule_Check(object_.ptr()))
      return nb::hasattr(object_.type(), "__heddle_namespace__");
    std::string name = nameOf(object_);
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

Constant hostObject(ConstantKind kind, nb::handle object, std::string description,
                    std::string hintForCalling = "") {
  return {.kind = kind,
          .text = description,
          .object = std::make_shared<PythonObject>(object, std::move(description),
                                                   std::move(hintForCalling))};
}

/// Formats "the builtins that kernels have are abs, bool, ..." from the compiler's table.
std::string builtinsOfKernels() {
  std::string list;
  for (const LibraryRow *row : libraryRows())
    if (row->module() == "builtins" && row->targets.include(Target::Kernel))
      list += (list.empty() ? "" : ", ") + std::string(row->shown());
  return "the builtins that kernels have are " + list;
}

bool isInstance(nb::handle object, nb::handle type) {
  return PyObject_IsInstance(object.ptr(), type.ptr()) == 1;
}
bool isEnumClass(nb::handle object) {
  return isInstance(object, nb::module_::import_("enum").attr("EnumMeta"));
}
bool isSubclass(nb::handle object, nb::handle type) {
  return PyType_Check(object.ptr()) && PyObject_IsSubclass(object.ptr(), type.ptr()) == 1;
}

/// The object that a method is bound to; None for other objects.
nb::object selfOf(nb::handle object) { return nb::getattr(object, "__self__", nb::none()); }

Constant constantOf(nb::handle object, unsigned depth);

/// A number as the declared type of a structure's field.
Constant scalarOf(Type type, nb::handle value) {
  if (type.isBool())
    return Constant::ofBool(nb::cast<bool>(nb::bool_(value)));
  if (type.isFloat())
    return Constant::ofFloat(PyFloat_AsDouble(value.ptr()), type);
  nb::object integer = nb::steal(PyNumber_Index(value.ptr()));
  if (!integer.is_valid())
    throw nb::python_error();
  Constant number = constantOf(integer, 0);
  number.type = type;
  return number;
}

Constant arrayConstant(nb::handle object) {
  Type element = typeOfDtype(object.attr("dtype"));
  if (!element)
    return hostObject(ConstantKind::Other, object,
                      "an array of dtype " + text(object.attr("dtype")));
  auto array = std::make_shared<ConstantArray>();
  array->element = element;
  for (nb::handle extent : object.attr("shape"))
    array->shape.push_back(nb::cast<int64_t>(extent));
  nb::bytes bytes(object.attr("tobytes")("C"));
  array->bytes.assign(bytes.c_str(), bytes.size());
  return {.kind = ConstantKind::Array, .array = std::move(array)};
}

/// True if the NumPy function returns a new array that is not computed from others.
bool makesArrays(const std::string &name) {
  static const std::set<std::string> names{"zeros", "ones",       "empty",      "full",
                                           "array", "arange",     "linspace",   "eye",
                                           "copy",  "zeros_like", "empty_like", "ones_like"};
  return names.count(name) != 0;
}

/// True if the object's class is `types.name`. (The stable ABI has no checks for functions and methods.)
bool isOfType(nb::handle object, const char *name) {
  return object.type().is(nb::module_::import_("types").attr(name));
}

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

Constant hostLibraryFunction(const std::string &name, nb::handle object, std::string description,
                             std::string instead) {
  return {.kind = ConstantKind::Other,
          .text = description,
          .object =
              std::make_shared<HostLibraryFunction>(name, object, description, std::move(instead))};
}

/// The implementations that heddle.host_library has for a name.
class HostImplementations : public PythonObject {
public:
  HostImplementations(nb::handle choices, const std::string &name)
      : PythonObject(choices, name, ""), choices_(choices) {}
  std::optional<Constant> implementation(const std::vector<CallArgument> &arguments,
                                         Target target) override {
    return selectImplementation(choices_, arguments, target);
  }

private:
  nb::handle choices_; ///< kept alive by the base class
};

/// The ctypes or cffi function as heddle.compiler.c_functions.functions_of_c declares it.
Constant functionOfC(nb::handle object) {
  nb::object declared = nb::module_::import_("heddle.compiler.c_functions.functions_of_c")
                            .attr("declare_c_function")(object);
  if (nb::isinstance<nb::tuple>(declared)) // the reason why there is none
    return hostObject(ConstantKind::Other, object, text(declared[0]), text(declared[1]));
  return hostObject(ConstantKind::Function, declared, "function '" + nameOf(declared) + "'");
}

Constant functionConstant(nb::handle object) {
  std::string name = nameOf(object);
  std::string module = nb::hasattr(object, "__module__") ? text(object.attr("__module__")) : "";
  if (isInstanceOf(object, NumPyClasses::get().ufunc))
    module = "numpy";
  if (module == "cffi.api" || isInstanceOfLoaded(selfOf(object), "_cffi_backend", "FFI"))
    module = "ffi";
  if (module == "_operator" || module == "_heapq" || module == "_functools")
    module.erase(0, 1);
  if (module == "numpy.random.mtrand")
    module = "numpy.random";
  // numpy.random functions are methods of one global generator, which NumPy 1 does not reveal. Exclude other
  // generators.
  if (isInstanceOfLoaded(selfOf(object), "numpy.random.mtrand", "RandomState"))
    module = selfOf(object).is(nb::module_::import_("numpy.random.mtrand").attr("_rand"))
                 ? "numpy.random"
                 : "";
  if (nb::hasattr(object, "__self__") &&
      text(object.attr("__self__").type().attr("__module__")) == "random")
    module = "random"; // its functions are methods of a global generator
  std::string full = module + "." + name;
  if (const LibraryRow *row = findLibraryRow(full); row && row->targets.include(Target::Kernel))
    return Constant::ofIntrinsic(full);
  if (module == "numpy" || module.starts_with("numpy."))
    return hostLibraryFunction(
        full, object, "NumPy's '" + name + "', which runs on the host only",
        makesArrays(name) ? "pass the array as an argument; cuda.local.array and cuda.shared.array "
                            "make arrays of a thread and of a block"
                          : "loop over the elements; math has functions of single numbers");
  if (module == "random")
    return hostLibraryFunction(full, object, full + ", which runs on the host only",
                               "heddle.cuda.random has random numbers of kernels");
  if (module == "heapq" || full == "functools.reduce")
    return hostLibraryFunction(full, object, full + ", which runs on the host only",
                               "call it before the launch and pass an array to the kernel");
  if (module == "builtins")
    return hostLibraryFunction(full, object, "the builtin '" + name + "'", builtinsOfKernels());
  if (module == "math" || module == "cmath")
    return hostLibraryFunction(full, object, full,
                               "write it as a function decorated with @cuda.jit(device=True)");
  if (module == "heddle.cuda" || module.starts_with("heddle.cuda."))
    return hostObject(ConstantKind::Other, object, "cuda." + name + ", which runs on the host only",
                      "call it before the launch and pass the result to the kernel");
  if (name == "set_trace")
    return hostObject(ConstantKind::Other, object, "function 'set_trace' of a debugger",
                      "with HEDDLE_DISABLE_JIT=1 kernels run as plain Python, in which it stops");
  if (isOfType(object, "MethodType"))
    return hostObject(ConstantKind::Other, object,
                      "method '" + name + "' of " + typeName(object.attr("__self__")),
                      "write it as a function decorated with @cuda.jit(device=True)");
  if (PyType_Check(object.ptr()) && module.starts_with("heddle.types"))
    return hostObject(ConstantKind::Other, object, "class '" + name + "'",
                      "make the type outside of the function, as a global variable: row_type = " +
                          name + "(...)");
  if (!isOfType(object, "FunctionType"))
    return hostObject(ConstantKind::Other, object,
                      PyType_Check(object.ptr()) ? "class '" + name + "'"
                                                 : "'" + name + "', which runs on the host only",
                      "kernels call functions of math, numpy and heddle.cuda, and functions "
                      "decorated with @cuda.jit(device=True)");
  return hostObject(ConstantKind::Other, object, "function '" + name + "', which is not compiled",
                    "decorate it with @cuda.jit(device=True)");
}

/// Kernels do not use deeper tuples, and the compiler walks tuples recursively.
constexpr unsigned maxConstantDepth = 100;

Constant tupleConstant(nb::handle object, unsigned depth) {
  if (depth == maxConstantDepth)
    return hostObject(ConstantKind::Other, object,
                      "a tuple nested more than " + std::to_string(maxConstantDepth) + " deep");
  Constant tuple{.kind = ConstantKind::Tuple};
  if (!PyTuple_CheckExact(object.ptr()))
    tuple.type = namedTupleOf(object.type()).value_or(Type());
  for (nb::handle item : nb::borrow<nb::tuple>(object)) {
    size_t i = tuple.items.size();
    bool isDeclared = tuple.type && tuple.type.isStructure() && tuple.type->elements[i].isScalar();
    tuple.items.push_back(isDeclared ? scalarOf(tuple.type->elements[i], item)
                                     : constantOf(item, depth + 1));
  }
  if (tuple.type)
    tuple.type = tuple.valueType();
  return tuple;
}

Constant sliceConstant(nb::handle object) {
  Constant slice{.kind = ConstantKind::Slice};
  for (const char *part : {"start", "stop", "step"}) {
    slice.items.push_back(constantOf(nb::object(object.attr(part)), 1));
    if (slice.items.back().kind != ConstantKind::None &&
        slice.items.back().kind != ConstantKind::Int)
      return hostObject(ConstantKind::Other, object, "a slice of what is no integer");
  }
  return slice;
}

Constant tupleClass(nb::handle object, Type type) {
  Constant c = hostObject(ConstantKind::TupleClass, object, nameOf(object));
  c.type = type;
  nb::object defaults = object.attr("__new__").attr("__defaults__");
  if (!defaults.is_none())
    for (nb::handle value : defaults)
      c.items.push_back(constantOf(value, 1));
  return c;
}

Constant enumMember(nb::handle object, unsigned depth) {
  Constant value = constantOf(object.attr("value"), depth + 1);
  bool number = value.kind == ConstantKind::Int || value.kind == ConstantKind::Float ||
                value.kind == ConstantKind::Bool;
  if (!number)
    return hostObject(ConstantKind::Namespace, object,
                      "enumeration member '" + text(object) + "', whose value is no number");
  value.type = enumTypeOf(object, value.type);
  value.text = text(object.attr("name"));
  return value;
}

Constant numberConstant(nb::handle object, llvm::function_ref<std::string()> describe) {
  llvm::SmallVector<uint64_t, 2> slots;
  Type type = addNumber(object, slots);
  return type ? constantOfNumber(type, slots) : hostObject(ConstantKind::Other, object, describe());
}

/// A type of heddle.types, a dtype, or a class of NumPy scalars.
Constant typeConstant(nb::handle object) {
  if (nb::isinstance<PythonType>(object)) {
    Type type = nb::cast<PythonType &>(object).type;
    bool isNamed = type.isElement() || python::isSharedElement(type);
    return isNamed ? Constant::ofType(type)
                   : hostObject(ConstantKind::Other, object, "type " + type.name());
  }
  nb::object dtype;
  try {
    dtype = nb::handle(reinterpret_cast<PyObject *>(NumPyClasses::get().dtype))(object);
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_TypeError))
      throw;
    return hostObject(ConstantKind::Other, object, "NumPy's abstract class " + nameOf(object));
  }
  Type element = typeOfDtype(dtype);
  return element ? Constant::ofType(element)
                 : hostObject(ConstantKind::Other, object, "the NumPy type " + text(dtype),
                              unsupportedDtypeMessage(dtype));
}

Constant textConstant(nb::handle object) {
  std::string text;
  return nb::try_cast(object, text)
             ? Constant::ofString(std::move(text))
             : hostObject(ConstantKind::Other, object, "a string that is not valid Unicode");
}

Constant containerConstant(nb::handle object) {
  return hostObject(ConstantKind::Other, object, "a " + typeName(object),
                    PyList_Check(object.ptr())
                        ? "make it a tuple or a NumPy array, which become part of the kernel"
                        : "use a tuple or a NumPy array, which become part of the kernel");
}

Constant sharedContainerConstant(nb::handle object) {
  std::string shown = "the global object of class " + typeName(object);
  return {.kind = ConstantKind::Other,
          .text = shown,
          .object = std::make_shared<SharedObject>(object, shown, "pass it as an argument")};
}

/// An object that exists at compile time only, such as a module, a class or a library function.
Constant objectConstant(nb::handle object, unsigned depth) {
  if (std::optional<Constant> array = deviceArrayConstant(object))
    return *array;
  if (nb::isinstance<DeclaredFunction>(object))
    return hostObject(ConstantKind::Function, object,
                      "function '" + nb::cast<DeclaredFunction &>(object).source().name + "'");
  if (PyModule_Check(object.ptr()))
    return hostObject(ConstantKind::Namespace, object, "module '" + nameOf(object) + "'");
  nb::handle type = object.type();
  if (nb::hasattr(type, "__heddle_intrinsic__"))
    return Constant::ofIntrinsic(text(object.attr("name")));
  if (PyType_Check(object.ptr()) && nb::hasattr(object, "__heddle_row__"))
    return hostLibraryFunction(text(object.attr("__heddle_row__")), object,
                               "class '" + nameOf(object) + "', which runs on the host only",
                               "pass an array to the kernel");
  if (nb::hasattr(type, "__heddle_namespace__"))
    return hostObject(ConstantKind::Namespace, object, text(object.attr("name")));
  if (isOfType(object, "UnionType")) // int | float, for isinstance
    return constantOf(nb::object(object.attr("__args__")), depth + 1);
  if (isOfType(object, "GenericAlias"))
    return hostObject(ConstantKind::Other, object, "the type " + text(nb::repr(object)));
  if (isSubclass(object, nb::handle(PyExc_BaseException)))
    return {.kind = ConstantKind::Exception, .text = recordExceptionClass(object)};
  if (typeName(object) == "FFI") // from cffi
    return hostObject(ConstantKind::Namespace, object, "cffi's FFI");
  if (std::optional<Type> named = namedTupleOf(object))
    return tupleClass(object, *named);
  if (isEnumClass(object))
    return hostObject(ConstantKind::Namespace, object, "enumeration '" + nameOf(object) + "'");
  if (isFunctionOfC(object))
    return functionOfC(object);
  if (PyCallable_Check(object.ptr()))
    return functionConstant(object);
  if (PyDict_Check(object.ptr()) || PyAnySet_Check(object.ptr()))
    return containerConstant(object);
  return hostObject(ConstantKind::Other, object, "an object of class " + typeName(object),
                    "use its attributes that are numbers or arrays, or pass them as arguments");
}

Constant constantOf(nb::handle object, unsigned depth) {
  nb::object fields;
  switch (classify(object, fields)) {
  case ValueKind::None:
    return {};
  case ValueKind::Number:
    return numberConstant(object, [] { return "an integer that does not fit in 64 bits"; });
  case ValueKind::Scalar:
  case ValueKind::Record:
    return numberConstant(object,
                          [&] { return "a NumPy scalar of dtype " + text(object.attr("dtype")); });
  case ValueKind::EnumMember:
    return enumMember(object, depth);
  case ValueKind::Text:
    return textConstant(object);
  case ValueKind::Bytes:
    return bytesConstant(object);
  case ValueKind::Tuple:
    return tupleConstant(object, depth);
  case ValueKind::Structure:
    return tupleConstant(fields, depth);
  case ValueKind::Slice:
    return sliceConstant(object);
  case ValueKind::Ellipsis:
    return {.kind = ConstantKind::Ellipsis};
  case ValueKind::Array:
  case ValueKind::DeviceArray:
    if (std::optional<Constant> array = deviceArrayConstant(object))
      return *array;
    return arrayConstant(object);
  case ValueKind::MaskedArray:
    return hostObject(ConstantKind::Other, object, "a masked array",
                      "compiled code would also use its masked elements: name its data and its "
                      "mask, or the result of filled()");
  case ValueKind::Type:
    return typeConstant(object);
  case ValueKind::Function:
    return hostObject(ConstantKind::Function, object, "function '" + nameOf(object) + "'");
  case ValueKind::List:
  case ValueKind::Set:
    return containerConstant(object);
  case ValueKind::SharedContainer:
    return sharedContainerConstant(object);
  case ValueKind::Other:
    return objectConstant(object, depth);
  }
}

/// The constant of a function, with the user's implementations of the function.
Constant withOverloads(Constant constant, nb::handle object) {
  if (!PyDict_Size(overloads().ptr()) || !PyCallable_Check(object.ptr()) ||
      constant.kind == ConstantKind::Function)
    return constant;
  int known = PyDict_Contains(overloads().ptr(), object.ptr());
  if (known < 0)
    PyErr_Clear(); // the object is not hashable
  if (known != 1)
    return constant;
  Constant overload =
      hostObject(ConstantKind::Overload, object, "function '" + nameOf(object) + "'");
  if (constant.kind != ConstantKind::Intrinsic)
    return overload;
  constant.object = overload.object;
  return constant;
}

/// Names of attributes with Python implementations, and the function that finds the implementation.
struct AttributeOverloads {
  std::set<std::string> names;
  nb::object find;

  static AttributeOverloads &get() {
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
    return heddle::constantOf(member);
  std::string shown = "'" + name + "' of " + type.name();
  return Constant{.kind = what == "method" ? ConstantKind::Method : ConstantKind::Overload,
                  .text = shown,
                  .object = std::make_shared<HostImplementations>(member, shown)};
}

} // namespace

bool isFunctionOfC(nb::handle object) {
  return isInstanceOfLoaded(object, "_ctypes", "CFuncPtr") ||
         isInstanceOfLoaded(object, "_cffi_backend", "_CDataBase") ||
         isInstanceOfLoaded(selfOf(object), "_cffi_backend",
                            "Lib") || // from a module compiled by cffi
         (!PyType_Check(object.ptr()) && nb::hasattr(object.type(), "__wrapper_address__"));
}

int visitReferences(const Constant &constant, visitproc visit, void *arg) {
  if (constant.object && constant.object.use_count() == 1)
    if (auto *object = dynamic_cast<PythonObject *>(constant.object.get()))
      Py_VISIT(object->held().ptr());
  for (const Constant &item : constant.items)
    if (int result = visitReferences(item, visit, arg))
      return result;
  return 0;
}

Constant bytesConstant(nb::handle bytes) {
  auto array = std::make_shared<ConstantArray>();
  array->element = intType(8, false);
  array->ofBytes = true;
  array->bytes.assign(PyBytes_AsString(bytes.ptr()), PyBytes_Size(bytes.ptr()));
  array->shape = {int64_t(array->bytes.size())};
  return {.kind = ConstantKind::Array, .array = std::move(array)};
}

Constant constantOf(nb::handle object) { return withOverloads(constantOf(object, 0), object); }

nb::dict &overloads() {
  static auto *functions = new nb::dict;
  return *functions;
}

void bindOverloads(nb::module_ &m) {
  m.attr("overloads") = overloads();
  m.def(
      "set_constant_caller", [](nb::object call) { constantCaller() = std::move(call); },
      nb::arg("call"));
  m.def(
      "set_attribute_overloads",
      [](const std::string &name, nb::object find) {
        AttributeOverloads::get().names.insert(name);
        AttributeOverloads::get().find = std::move(find);
      },
      nb::arg("name"), nb::arg("find"));
}

std::optional<Constant> FunctionEnvironment::hostImplementation(const std::string &name) {
  // Not a static: while a thread imports the module, others would wait for the static with the GIL held.
  nb::dict known =
      nb::borrow<nb::dict>(nb::module_::import_("heddle.host_library").attr("implementations"));
  if (!known.contains(name.c_str()))
    return std::nullopt;
  nb::object choices = known[name.c_str()];
  return Constant{.kind = ConstantKind::Overload,
                  .text = name,
                  .object = std::make_shared<HostImplementations>(choices, name)};
}

bool FunctionEnvironment::isException(const std::string &raised, const std::string &caught) {
  nb::object type = findExceptionClass(raised), base = findExceptionClass(caught);
  return type.is_valid() && base.is_valid() && PyObject_IsSubclass(type.ptr(), base.ptr()) == 1;
}

std::optional<Constant> FunctionEnvironment::extension(Type type, const std::string &name,
                                                       Target target) {
  if (type.isInstance())
    if (std::optional<Constant> member = memberOfClass(classOf(type), type, name))
      return member;
  AttributeOverloads &attributes = AttributeOverloads::get();
  bool mayBe = attributes.names.count(name) || (type.isStructure() && attributes.find.is_valid());
  if (!mayBe)
    return std::nullopt;
  nb::object found = attributes.find(PythonType{type}, name, nameOf(target));
  if (found.is_none())
    return std::nullopt;
  bool isMethod = nb::cast<bool>(nb::object(found[0]));
  return hostObject(isMethod ? ConstantKind::Method : ConstantKind::Overload, nb::object(found[1]),
                    "'" + name + "' of " + type.name());
}

std::optional<Constant> FunctionEnvironment::lookup(const std::string &name) {
  std::optional<Constant> found = resolveName(name);
  // A decorator that compiles immediately runs before a recursive function's name is assigned.
  if (!found && compiled_.is_valid() && text(function_.attr("__name__")) == name)
    return constantOf(compiled_);
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
          return constantOf(contents);
        PyErr_Clear(); // the enclosing function has not assigned the variable yet
        return std::nullopt;
      }
      ++i;
    }
  }
  // Names introduced by the compiler's source rewriters (heddle.compiler.source.rewriters).
  if (name.starts_with("__heddle_name_"))
    return constantOf(nb::object(function_.attr("__heddle_names__")[name.c_str()]));
  nb::dict globals = nb::borrow<nb::dict>(function_.attr("__globals__"));
  if (globals.contains(name.c_str()))
    return constantOf(globals[name.c_str()]);
  nb::module_ builtins = nb::module_::import_("builtins");
  if (nb::hasattr(builtins, name.c_str()))
    return constantOf(builtins.attr(name.c_str()));
  return std::nullopt;
}

std::vector<std::string> FunctionEnvironment::names() {
  std::vector<std::string> names;
  for (nb::handle name : function_.attr("__code__").attr("co_varnames"))
    names.push_back(nb::cast<std::string>(name));
  for (nb::handle name : function_.attr("__code__").attr("co_freevars"))
    names.push_back(nb::cast<std::string>(name));
  for (auto [name, value] : nb::borrow<nb::dict>(function_.attr("__globals__")))
    names.push_back(text(name));
  for (const LibraryRow *row : libraryRows())
    if (row->module() == "builtins")
      names.emplace_back(row->lastName());
  return names;
}

} // namespace heddle
