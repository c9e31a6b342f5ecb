#include "bindings/source/constants.h"

#include "bindings/kernels/declared_functions.h"
#include "bindings/runtime.h"
#include "bindings/source/environment.h"
#include "bindings/source/host_objects.h"
#include "bindings/source/named_arrays.h"
#include "bindings/types/dtypes.h"
#include "bindings/types/python_classes.h"
#include "bindings/types/types.h"
#include "bindings/values/numbers.h"
#include "bindings/values/numpy_classes.h"
#include "bindings/values/value_kind.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using namespace python;

namespace {

bool isInstance(nb::handle object, nb::handle type) {
  return PyObject_IsInstance(object.ptr(), type.ptr()) == 1;
}
bool isEnumClass(nb::handle object) {
  return isInstance(object, nb::module_::import_("enum").attr("EnumMeta"));
}
bool isSubclass(nb::handle object, nb::handle type) {
  return PyType_Check(object.ptr()) && PyObject_IsSubclass(object.ptr(), type.ptr()) == 1;
}

Constant constantOfObjectAtDepth(nb::handle object, unsigned depth);

/// The constant for a number, converted to the declared type of a structure's field.
Constant makeFieldConstant(Type type, nb::handle value) {
  if (type.isBool())
    return Constant::ofBool(nb::cast<bool>(nb::bool_(value)));
  if (type.isFloat())
    return Constant::ofFloat(PyFloat_AsDouble(value.ptr()), type);
  nb::object integer = nb::steal(PyNumber_Index(value.ptr()));
  if (!integer.is_valid())
    throw nb::python_error();
  Constant number = constantOfObjectAtDepth(integer, 0);
  number.type = type;
  return number;
}

Constant arrayConstant(nb::handle object) {
  Type element = typeOfDtype(object.attr("dtype"));
  if (!element)
    return hostObjectConstant(ConstantKind::Other, object,
                              "an array of dtype " + pythonStrOf(object.attr("dtype")));
  auto array = std::make_shared<ConstantArray>();
  array->element = element;
  for (nb::handle extent : object.attr("shape"))
    array->shape.push_back(nb::cast<int64_t>(extent));
  nb::bytes bytes(object.attr("tobytes")("C"));
  array->bytes.assign(bytes.c_str(), bytes.size());
  return {.kind = ConstantKind::Array, .array = std::move(array)};
}

/// Kernels do not use deeper tuples, and the compiler walks tuples recursively.
constexpr unsigned maxConstantDepth = 100;

Constant tupleConstant(nb::handle object, unsigned depth) {
  if (depth == maxConstantDepth)
    return hostObjectConstant(ConstantKind::Other, object,
                              "a tuple nested more than " + std::to_string(maxConstantDepth) +
                                  " deep");
  Constant tuple{.kind = ConstantKind::Tuple};
  if (!PyTuple_CheckExact(object.ptr()))
    tuple.type = typeOfTupleClass(object.type()).value_or(Type());
  for (nb::handle item : nb::borrow<nb::tuple>(object)) {
    size_t i = tuple.items.size();
    bool isDeclared = tuple.type && tuple.type.isStructure() && tuple.type->elements[i].isScalar();
    tuple.items.push_back(isDeclared ? makeFieldConstant(tuple.type->elements[i], item)
                                     : constantOfObjectAtDepth(item, depth + 1));
  }
  if (tuple.type)
    tuple.type = tuple.valueType();
  return tuple;
}

Constant sliceConstant(nb::handle object) {
  Constant slice{.kind = ConstantKind::Slice};
  for (const char *part : {"start", "stop", "step"}) {
    slice.items.push_back(constantOfObjectAtDepth(nb::object(object.attr(part)), 1));
    if (slice.items.back().kind != ConstantKind::None &&
        slice.items.back().kind != ConstantKind::Int)
      return hostObjectConstant(ConstantKind::Other, object, "a slice of what is no integer");
  }
  return slice;
}

Constant tupleClassConstant(nb::handle object, Type type) {
  Constant c = hostObjectConstant(ConstantKind::TupleClass, object, nameOfObject(object));
  c.type = type;
  nb::object defaults = object.attr("__new__").attr("__defaults__");
  if (!defaults.is_none())
    for (nb::handle value : defaults)
      c.items.push_back(constantOfObjectAtDepth(value, 1));
  return c;
}

Constant enumMemberConstant(nb::handle object, unsigned depth) {
  Constant value = constantOfObjectAtDepth(object.attr("value"), depth + 1);
  bool number = value.kind == ConstantKind::Int || value.kind == ConstantKind::Float ||
                value.kind == ConstantKind::Bool;
  if (!number)
    return hostObjectConstant(ConstantKind::Namespace, object,
                              "enumeration member '" + pythonStrOf(object) +
                                  "', whose value is no number");
  value.type = enumTypeOf(object, value.type);
  value.text = pythonStrOf(object.attr("name"));
  return value;
}

Constant numberConstant(nb::handle object, llvm::function_ref<std::string()> describe) {
  llvm::SmallVector<uint64_t, 2> slots;
  Type type = appendNumberSlots(object, slots);
  return type ? numberConstantFromSlots(type, slots)
              : hostObjectConstant(ConstantKind::Other, object, describe());
}

/// A type of heddle.types, a dtype, or a class of NumPy scalars.
Constant typeConstant(nb::handle object) {
  if (nb::isinstance<PythonType>(object)) {
    Type type = nb::cast<PythonType &>(object).type;
    bool isNamed = type.canBeArrayElement() || python::canBeTypedContainerElement(type);
    return isNamed ? Constant::ofType(type)
                   : hostObjectConstant(ConstantKind::Other, object, "type " + type.name());
  }
  nb::object dtype;
  try {
    dtype = nb::handle(reinterpret_cast<PyObject *>(NumPyClasses::get().dtype))(object);
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_TypeError))
      throw;
    return hostObjectConstant(ConstantKind::Other, object,
                              "NumPy's abstract class " + nameOfObject(object));
  }
  Type element = typeOfDtype(dtype);
  return element ? Constant::ofType(element)
                 : hostObjectConstant(ConstantKind::Other, object,
                                      "the NumPy type " + pythonStrOf(dtype),
                                      unsupportedDtypeMessage(dtype));
}

Constant textConstant(nb::handle object) {
  std::string text;
  return nb::try_cast(object, text) ? Constant::ofString(std::move(text))
                                    : hostObjectConstant(ConstantKind::Other, object,
                                                         "a string that is not valid Unicode");
}

Constant unsupportedContainerConstant(nb::handle object) {
  return hostObjectConstant(
      ConstantKind::Other, object, "a " + classNameOf(object),
      PyList_Check(object.ptr())
          ? "make it a tuple or a NumPy array, which become part of the kernel"
          : "use a tuple or a NumPy array, which become part of the kernel");
}

/// An object that exists at compile time only, such as a module, a class or a library function.
Constant objectConstant(nb::handle object, unsigned depth) {
  if (std::optional<Constant> array = deviceArrayConstant(object))
    return *array;
  if (nb::isinstance<DeclaredFunction>(object))
    return hostObjectConstant(ConstantKind::Function, object,
                              "function '" + nb::cast<DeclaredFunction &>(object).source().name +
                                  "'");
  if (PyModule_Check(object.ptr()))
    return hostObjectConstant(ConstantKind::Namespace, object,
                              "module '" + nameOfObject(object) + "'");
  nb::handle type = object.type();
  if (nb::hasattr(type, "__heddle_intrinsic__"))
    return Constant::ofIntrinsic(pythonStrOf(object.attr("name")));
  if (PyType_Check(object.ptr()) && nb::hasattr(object, "__heddle_row__"))
    return hostLibraryFunction(pythonStrOf(object.attr("__heddle_row__")), object,
                               "class '" + nameOfObject(object) + "', which runs on the host only",
                               "pass an array to the kernel");
  if (nb::hasattr(type, "__heddle_namespace__"))
    return hostObjectConstant(ConstantKind::Namespace, object, pythonStrOf(object.attr("name")));
  if (isInstanceOfTypesClass(object, "UnionType")) // int | float, for isinstance
    return constantOfObjectAtDepth(nb::object(object.attr("__args__")), depth + 1);
  if (isInstanceOfTypesClass(object, "GenericAlias"))
    return hostObjectConstant(ConstantKind::Other, object,
                              "the type " + pythonStrOf(nb::repr(object)));
  if (isSubclass(object, nb::handle(PyExc_BaseException)))
    return {.kind = ConstantKind::Exception, .text = recordExceptionClass(object)};
  if (classNameOf(object) == "FFI") // from cffi
    return hostObjectConstant(ConstantKind::Namespace, object, "cffi's FFI");
  if (std::optional<Type> named = typeOfTupleClass(object))
    return tupleClassConstant(object, *named);
  if (isEnumClass(object))
    return hostObjectConstant(ConstantKind::Namespace, object,
                              "enumeration '" + nameOfObject(object) + "'");
  if (isCFunction(object))
    return cFunctionConstant(object);
  if (PyCallable_Check(object.ptr()))
    return functionConstant(object);
  if (PyDict_Check(object.ptr()) || PyAnySet_Check(object.ptr()))
    return unsupportedContainerConstant(object);
  return hostObjectConstant(
      ConstantKind::Other, object, "an object of class " + classNameOf(object),
      "use its attributes that are numbers or arrays, or pass them as arguments");
}

Constant constantOfObjectAtDepth(nb::handle object, unsigned depth) {
  nb::object fields;
  switch (classify(object, fields)) {
  case ValueKind::None:
    return {};
  case ValueKind::Number:
    return numberConstant(object, [] { return "an integer that does not fit in 64 bits"; });
  case ValueKind::Scalar:
  case ValueKind::Record:
    return numberConstant(
        object, [&] { return "a NumPy scalar of dtype " + pythonStrOf(object.attr("dtype")); });
  case ValueKind::EnumMember:
    return enumMemberConstant(object, depth);
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
    return hostObjectConstant(
        ConstantKind::Other, object, "a masked array",
        "compiled code would also use its masked elements: name its data and its "
        "mask, or the result of filled()");
  case ValueKind::Type:
    return typeConstant(object);
  case ValueKind::Function:
    return hostObjectConstant(ConstantKind::Function, object,
                              "function '" + nameOfObject(object) + "'");
  case ValueKind::List:
  case ValueKind::Set:
    return unsupportedContainerConstant(object);
  case ValueKind::SharedContainer:
    return unsupportedSharedContainerConstant(object);
  case ValueKind::Other:
    return objectConstant(object, depth);
  }
}

/// The constant of a function, with the user's implementations of the function.
Constant attachOverloads(Constant constant, nb::handle object) {
  if (!PyDict_Size(registeredOverloads().ptr()) || !PyCallable_Check(object.ptr()) ||
      constant.kind == ConstantKind::Function)
    return constant;
  int known = PyDict_Contains(registeredOverloads().ptr(), object.ptr());
  if (known < 0)
    PyErr_Clear(); // the object is not hashable
  if (known != 1)
    return constant;
  nb::object inKernels = nb::getattr(object, "__heddle_instead_in_kernels__", nb::str(""));
  Constant overload =
      hostObjectConstant(ConstantKind::Overload, object, "function '" + nameOfObject(object) + "'",
                         pythonStrOf(inKernels));
  if (constant.kind != ConstantKind::Intrinsic)
    return overload;
  constant.object = overload.object;
  return constant;
}

} // namespace

Constant bytesConstant(nb::handle bytes) {
  auto array = std::make_shared<ConstantArray>();
  array->element = intType(8, false);
  array->ofBytes = true;
  array->bytes.assign(PyBytes_AsString(bytes.ptr()), PyBytes_Size(bytes.ptr()));
  array->shape = {int64_t(array->bytes.size())};
  return {.kind = ConstantKind::Array, .array = std::move(array)};
}

Constant constantOfObject(nb::handle object) {
  return attachOverloads(constantOfObjectAtDepth(object, 0), object);
}

} // namespace heddle
