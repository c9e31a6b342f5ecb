#include "bindings/types/types.h"

#include "bindings/arguments/arguments.h"
#include "bindings/host/host_values.h"
#include "bindings/interpreter/serialized_scope.h"
#include "bindings/source/constants.h"
#include "bindings/types/dtypes.h"
#include "bindings/types/python_classes.h"
#include "bindings/types/structures.h"
#include "bindings/types/type_attributes.h"
#include "bindings/types/type_classes.h"
#include "frontend/python/types/characters.h"
#include "frontend/python/types/promotion.h"

#include <mutex>
#include <optional>
#include <unordered_map>

#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace heddle {

using python::Layout;
using python::Type;

std::string formatSignature(const Signature &signature) {
  std::string out = "(";
  for (size_t i = 0; i < signature.arguments.size(); ++i)
    out += (i ? ", " : "") + signature.arguments[i].name();
  return out + ") -> " + (signature.result ? signature.result.name() : "none");
}

namespace {

constexpr unsigned maxDimensions = 32; // NumPy's limit before 2.0; enough for kernels

/// Interprets `float32[:, ::1]` as numba does: ::1 last is C, ::1 first is F, none is A.
Type makeArrayTypeFromSubscript(Type element, nb::handle index) {
  if (!element.canBeArrayElement())
    throw nb::type_error(("arrays cannot have elements of type " + element.name()).c_str());
  nb::tuple axes =
      nb::isinstance<nb::tuple>(index) ? nb::borrow<nb::tuple>(index) : nb::make_tuple(index);
  size_t n = axes.size();
  if (n == 0 || n > maxDimensions)
    throw nb::type_error("an array type has 1 to 32 dimensions");
  Layout layout = Layout::Any;
  for (size_t i = 0; i < n; ++i) {
    nb::object axis = axes[i];
    if (!nb::isinstance<nb::slice>(axis) || !axis.attr("start").is_none() ||
        !axis.attr("stop").is_none())
      throw nb::type_error("write an array type as float32[:], float32[:, ::1] and so on");
    nb::object step = axis.attr("step");
    if (step.is_none())
      continue;
    if (!step.equal(nb::int_(1)) || (i != 0 && i != n - 1) || layout != Layout::Any)
      throw nb::type_error(
          "an array type may have the step ::1 only in its first or last dimension");
    layout = i == n - 1 ? Layout::C : Layout::F;
  }
  return arrayType(element, n, {.layout = layout});
}

/// The type with this name, such as "float32"; unknown for other names.
Type findBuiltInType(const std::string &name) {
  return name == "none"                                 ? python::noneType()
         : name == "unicode_type"                       ? python::runtimeStringType()
         : name == python::randomGeneratorType().name() ? python::randomGeneratorType()
                                                        : python::scalarTypeNamed(name);
}

/// An argument type in a signature. A literal's type becomes the type of any such value, and a type object becomes a
/// compile-time constant. nullopt if the object is not a type.
std::optional<Type> parseArgumentType(nb::handle object) {
  if (object.is_none())
    return python::noneType();
  if (nb::isinstance(object, nb::module_::import_("heddle.types").attr("TypeRef")))
    return python::objectType();
  nb::object type = nb::getattr(object, "literal_type", nb::borrow(object));
  if (!nb::isinstance<PythonType>(type))
    return std::nullopt;
  return python::resolveDeferred(nb::cast<PythonType &>(type).type);
}

/// `float32(x)` casts a Python number; `void(float32[:], int32)` makes a signature.
nb::object castOrMakeSignature(const PythonType &self, nb::args arguments) {
  bool types = true; // int64() is also a signature
  for (nb::handle a : arguments)
    types = types && parseArgumentType(a);
  if (types) {
    Signature signature{python::resolveDeferred(self.type), {}};
    for (nb::handle a : arguments)
      signature.arguments.push_back(*parseArgumentType(a));
    return nb::cast(std::move(signature));
  }
  bool casts = self.type.canBeArrayElement() && !self.type.isRecord() && !self.type.isStructure() &&
               !self.type.is(python::TypeKind::Characters) && self.type != python::bfloat16Type() &&
               typeAfterLoad(self.type) == self.type;
  if (!casts || arguments.size() != 1)
    throw nb::type_error(
        (self.type.name() + "(...) takes one number to cast, or types to make a signature")
            .c_str());
  nb::object value = nb::module_::import_("numpy").attr("asarray")(arguments[0]);
  return value.attr("astype")(dtypeOf(self.type))[nb::make_tuple()];
}

PythonType makeArrayType(const PythonType &element, unsigned ndim, const std::string &layout,
                         bool readOnly, bool ofBytes) {
  if (!element.type.canBeArrayElement())
    throw nb::type_error(("arrays cannot have elements of type " + element.type.name()).c_str());
  if (ndim > maxDimensions || (layout != "C" && layout != "F" && layout != "A"))
    throw nb::value_error("an array type has 0 to 32 dimensions and the layout 'C', 'F' or 'A'");
  return {arrayType(element.type, ndim,
                    {.layout = Layout(layout[0]), .readOnly = readOnly, .ofBytes = ofBytes})};
}

/// The type with another dtype, rank, layout or mutability.
PythonType copyArrayTypeWithChanges(const PythonType &self, std::optional<PythonType> element,
                                    std::optional<unsigned> ndim, std::optional<std::string> layout,
                                    std::optional<bool> readOnly) {
  if (!self.type.isArray())
    return self;
  return makeArrayType(element.value_or(PythonType{self.type->element}),
                       ndim.value_or(self.type->ndim),
                       layout.value_or(std::string(1, char(self.type->layout))),
                       readOnly.value_or(self.type->readOnly), self.type->ofBytes);
}

PythonType makeTupleType(const std::vector<PythonType> &elements) {
  std::vector<Type> types;
  for (const PythonType &e : elements)
    types.push_back(e.type);
  return {tupleType(std::move(types))};
}

PythonType makeNamedTupleType(nb::handle tupleClass, const std::vector<PythonType> &elements) {
  std::optional<Type> named = typeOfTupleClass(tupleClass);
  if (!named || (*named)->names.size() != elements.size())
    throw nb::type_error("expected a named tuple class and the types of all its fields");
  return {tupleTypeLike(*named, makeTupleType(elements).type->elements)};
}

PythonType makeEnumType(nb::handle enumeration) {
  for (nb::handle member : enumeration)
    if (isEnumMember(member))
      return {typeOf(member)};
  throw nb::type_error("expected an enumeration with at least one member");
}

/// Replaces fixed-length strings of arrays by strings, as functions store them.
Type replaceFixedLengthStrings(Type type) {
  if (python::isCharacters(type) && type->element->bits == 32)
    return python::runtimeStringType();
  if (!type.isTuple())
    return type;
  std::vector<Type> elements;
  for (Type element : type->elements)
    elements.push_back(replaceFixedLengthStrings(element));
  return tupleTypeLike(type, std::move(elements));
}

Type requireContainerElement(const PythonType &t, bool isKey) {
  Type type = replaceFixedLengthStrings(t.type);
  bool is = isKey ? python::isKeyType(type) : python::canBeTypedContainerElement(type);
  if (!is)
    throw nb::type_error(
        ("a typed container does not hold " + t.type.name() + (isKey ? " as a key" : "")).c_str());
  return type;
}

/// The type of a jitclass attribute. A declared Python list becomes a typed list; assignments convert to it.
Type typeOfJitclassAttribute(Type declared) {
  bool isPythons = declared.isList() && !declared.isShared();
  if (!isPythons)
    return declared;
  Type item = typeOfJitclassAttribute(declared->element);
  return python::canBeTypedContainerElement(item) ? python::typedListType(item) : declared;
}

PythonType makeInstanceType(nb::handle instanceClass, std::vector<std::string> names,
                            const std::vector<PythonType> &types, const std::string &typeName) {
  std::vector<Type> attributes;
  for (size_t i = 0; i < types.size(); ++i) {
    Type type = replaceFixedLengthStrings(typeOfJitclassAttribute(types[i].type));
    if (!python::isAttributeType(type))
      throw nb::type_error(
          ("attribute '" + names[i] + "' cannot be " + type.name() +
           ": attributes are numbers, strings, arrays, typed lists and dicts, instances of "
           "jitclasses, tuples of these, optional ones, and None")
              .c_str());
    attributes.push_back(type);
  }
  return {instanceTypeOf(instanceClass, std::move(names), std::move(attributes), typeName)};
}

void defineDeferredType(const PythonType &self, const PythonType &is) {
  if (!self.type.isInstance() || !self.type->deferred)
    throw nb::attribute_error(
        ("only a deferred_type() is defined, not " + self.type.name()).c_str());
  if (!is.type.isInstance() || is.type->deferred)
    throw nb::type_error(
        ("a deferred type is one of instances of a jitclass or of structures, not " +
         is.type.name() + "\n  hint: define(Node.class_type.instance_type)")
            .c_str());
  if (!python::defineDeferred(self.type, is.type))
    throw nb::type_error("this deferred type is already defined");
}

/// Formats a typed container's type as numba does: with brackets as text, as a call in a program.
std::string formatContainerType(Type type) {
  if (!type.isShared() || type.isInstance())
    return type.name();
  if (type.isList())
    return "ListType(" + formatContainerType(type->element) + ")";
  return "DictType(" + formatContainerType(type->elements[0]) + ", " +
         formatContainerType(type->elements[1]) + ")";
}

nb::dict scalarTypes() {
  nb::dict out;
  for (const char *name : {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                           "float16", "bfloat16", "float32", "float64", "complex64", "complex128"})
    out[name] = PythonType{python::scalarTypeNamed(name)};
  out["boolean"] = PythonType{python::boolType()};
  out["unicode_type"] = PythonType{python::runtimeStringType()};
  out["void"] = PythonType{python::noneType()};
  return out;
}

} // namespace

namespace {

TableLock objectsMutex; ///< guards objectsByType()

/// Python objects by type. Keeps a reference.
std::unordered_map<const python::TypeData *, PyObject *> &objectsByType() {
  static auto *objects = new std::unordered_map<const python::TypeData *, PyObject *>;
  return *objects;
}

} // namespace

PyObject *cachedObjectOfType(Type type) noexcept {
  std::lock_guard lock(objectsMutex);
  auto found = objectsByType().find(type.operator->());
  return found == objectsByType().end() ? nullptr : Py_NewRef(found->second);
}

PyObject *getOrSetObjectOfType(Type type, PyObject *object) noexcept {
  if (!object || !type)
    return object;
  PyObject *own = nullptr;
  {
    std::lock_guard lock(objectsMutex);
    auto [found, isNew] = objectsByType().emplace(type.operator->(), object);
    if (isNew) {
      Py_INCREF(object);
      return object;
    }
    own = Py_NewRef(found->second); // another thread was faster
  }
  Py_DECREF(object);
  return own;
}

PyObject *newObjectOfTypeClass(const PythonType &type) noexcept {
  PyTypeObject *cls = typeClassOf(type.type);
  if (!cls)
    return nullptr;
  nb::object made = nb::inst_alloc(reinterpret_cast<PyObject *>(cls));
  new (nb::inst_ptr<PythonType>(made)) PythonType(type);
  nb::inst_mark_ready(made);
  return made.release().ptr();
}

void bindTypes(nb::module_ &m) {
  static PyType_Slot slots[] = {
      {Py_tp_getattro, reinterpret_cast<void *>(attributeOfType)},
      {0, nullptr},
  };
  nb::class_<PythonType> type(
      m, "Type", nb::type_slots(slots),
      "The type of a kernel value. Equal types compare equal and have equal hashes.");
  makeTypeClasses(type);
  bindStructures(m, type);
  bindTypeAttributes(type);
  type.def(
          "__getitem__",
          [](const PythonType &t, nb::handle i) {
            return t.type.isTuple() && !t.type.isStructure()
                       ? tupleElementTypeAt(t, i)
                       : nb::cast(PythonType{makeArrayTypeFromSubscript(t.type, i)});
          },
          nb::arg("index").none())
      .def("__call__", castOrMakeSignature)
      .def(
          "__eq__",
          [](const PythonType &a, nb::handle b) {
            return nb::isinstance<PythonType>(b) && nb::cast<PythonType &>(b).type == a.type;
          },
          nb::arg("other").none())
      .def("__hash__",
           [](const PythonType &t) {
             // A structure's fields may become known later.
             return t.type.isStructure() ? std::hash<std::string>()(t.type.name())
                                         : std::hash<const void *>()(t.type.operator->());
           })
      .def("define", defineDeferredType, nb::arg("type"))
      .def("copy", copyArrayTypeWithChanges, nb::arg("dtype") = nb::none(),
           nb::arg("ndim") = nb::none(), nb::arg("layout") = nb::none(),
           nb::arg("readonly") = nb::none(),
           "An array type with another dtype, rank, layout or mutability; other types unchanged.")
      .def("__repr__", [](const PythonType &t) { return formatContainerType(t.type); })
      .def("__str__", [](const PythonType &t) { return t.type.name(); })
      .def("__reduce__", [](const PythonType &t) -> nb::object {
        nb::module_ self = nb::module_::import_("heddle._heddle");
        if (t.type.isArray())
          return nb::make_tuple(self.attr("array_type"),
                                nb::make_tuple(PythonType{t.type->element}, t.type->ndim,
                                               std::string(1, char(t.type->layout)),
                                               t.type->readOnly, t.type->ofBytes));
        if (t.type.isTuple()) {
          nb::list elements;
          for (Type e : t.type->elements)
            elements.append(PythonType{e});
          if (nb::handle named = classOf(t.type))
            return nb::make_tuple(self.attr("named_tuple_type"), nb::make_tuple(named, elements));
          return nb::make_tuple(self.attr("tuple_type"), nb::make_tuple(elements));
        }
        if (t.type.isShared() && t.type.isList())
          return nb::make_tuple(self.attr("list_type"),
                                nb::make_tuple(PythonType{t.type->element}));
        if (t.type.isInstance())
          throw nb::type_error(
              ("the type of a jitclass cannot be pickled: " + t.type.name()).c_str());
        if (t.type.isGenerator())
          throw nb::type_error(
              ("the type of a generator cannot be pickled: " + t.type.name()).c_str());
        if (t.type.is(python::TypeKind::Dict))
          return nb::make_tuple(
              self.attr("dict_type"),
              nb::make_tuple(PythonType{t.type->elements[0]}, PythonType{t.type->elements[1]}));
        if (t.type.isPointer() && t.type != python::randomGeneratorType())
          return nb::make_tuple(self.attr("pointer_type"),
                                nb::make_tuple(PythonType{t.type->element}));
        if (t.type.is(python::TypeKind::Optional))
          return nb::make_tuple(self.attr("optional_type"),
                                nb::make_tuple(PythonType{t.type->element}));
        if (t.type.is(python::TypeKind::Range))
          return nb::make_tuple(self.attr("range_type"),
                                nb::make_tuple(PythonType{t.type->element}));
        if (nb::handle enumeration = classOf(t.type))
          return nb::make_tuple(self.attr("enum_type"), nb::make_tuple(enumeration));
        if (t.type.isRecord() || t.type.isTime() || t.type.is(python::TypeKind::Characters))
          return nb::make_tuple(self.attr("dtype_type"), nb::make_tuple(dtypeOf(t.type)));
        if (t.type->object)
          return nb::module_::import_("heddle.types")
              .attr("FunctionType")
              .attr("reduce_stand_in")(t);
        if (t.type.isList() || t.type.isSet())
          return nb::make_tuple(
              self.attr(t.type.isList() ? "python_list_type" : "python_set_type"),
              nb::make_tuple(PythonType{t.type.isList() ? t.type->element : t.type->elements[0]}));
        if (!findBuiltInType(t.type.name()))
          throw nb::type_error(("the type cannot be pickled: " + t.type.name()).c_str());
        return nb::make_tuple(self.attr("_scalar_type"), nb::make_tuple(t.type.name()));
      });
  nb::class_<Signature>(m, "Signature", "The types of a function's arguments and of its result.")
      .def(
          "__init__",
          [](Signature *self, nb::object result, const std::vector<PythonType> &arguments) {
            new (self) Signature{result.is_none()
                                     ? Type()
                                     : python::resolveDeferred(nb::cast<PythonType &>(result).type),
                                 {}};
            for (const PythonType &a : arguments)
              self->arguments.push_back(python::resolveDeferred(a.type));
          },
          nb::arg("return_type").none(), nb::arg("args"))
      .def_prop_ro("return_type",
                   [](const Signature &s) -> nb::object {
                     return s.result ? nb::cast(PythonType{s.result}) : nb::object(nb::none());
                   })
      .def_prop_ro("args",
                   [](const Signature &s) {
                     nb::list out;
                     for (Type t : s.arguments)
                       out.append(PythonType{t});
                     return nb::tuple(out);
                   })
      .def(
          "__eq__",
          [](const Signature &a, nb::handle b) {
            if (!nb::isinstance<Signature>(b))
              return false;
            const Signature &other = nb::cast<Signature &>(b);
            return a.result == other.result && a.arguments == other.arguments;
          },
          nb::arg("other").none())
      .def("__hash__",
           [](const Signature &s) { return std::hash<std::string>()(formatSignature(s)); })
      .def("__reduce__",
           [](nb::handle self) {
             return nb::make_tuple(self.type(), nb::make_tuple(self.attr("return_type"),
                                                               nb::list(self.attr("args"))));
           })
      .def("__repr__", formatSignature);
  m.attr("scalar_types") = scalarTypes();
  m.def("_scalar_type", [](const std::string &name) { return PythonType{findBuiltInType(name)}; });
  m.def(
      "typeof",
      [](nb::handle value) {
        HostValues ofHost;
        return PythonType{typeOf(value, &ofHost)};
      },
      nb::arg("value").none(),
      "The type of a value as an argument of a host function. Raises TypeError for unsupported "
      "values.");
  m.def(
      "typeof_in_kernels", [](nb::handle value) { return PythonType{typeOf(value)}; },
      nb::arg("value").none(),
      "The type of a value as an argument of a kernel, where a string is a constant.");
  m.def(
      "known_type",
      [](nb::handle object) {
        return PythonType{python::knownObjectType(constantOfObject(object))};
      },
      nb::arg("object"),
      "The type of an argument that is exactly this object, such as a jitted function passed to a "
      "host function.");
  m.def(
      "dtype_type",
      [](nb::handle dtype) {
        Type type = typeOfDtype(dtype);
        if (!type)
          throw nb::type_error(unsupportedDtypeMessage(dtype).c_str());
        return PythonType{type};
      },
      nb::arg("dtype"), "The type of values of a NumPy dtype. Raises TypeError if there is none.");
  m.def(
      "element_dtype",
      [](const PythonType &t) {
        if (!t.type.canBeArrayElement())
          throw nb::type_error((t.type.name() + " is not the type of an array's elements").c_str());
        return dtypeOf(t.type);
      },
      nb::arg("type"),
      "The NumPy dtype of an array's elements. Raises TypeError if there is none.");
  m.def("array_type", makeArrayType, nb::arg("dtype"), nb::arg("ndim"), nb::arg("layout"),
        nb::arg("readonly") = false, nb::arg("of_bytes") = false);
  m.def("tuple_type", makeTupleType, nb::arg("elements"));
  m.def("named_tuple_type", makeNamedTupleType, nb::arg("tuple_class"), nb::arg("elements"));
  m.def(
      "pointer_type", [](const PythonType &t) { return PythonType{pointerType(t.type)}; },
      nb::arg("dtype"), "The type of an address of values of one type.");
  m.def(
      "python_list_type",
      [](const PythonType &item) { return PythonType{python::listType(item.type)}; },
      nb::arg("item_type"), "The type of a list of Python's in functions of the host.");
  m.def(
      "python_set_type",
      [](const PythonType &item) {
        if (!python::isKeyType(item.type))
          throw nb::type_error(("a set cannot hold " + item.type.name()).c_str());
        return PythonType{python::hashSetType(item.type)};
      },
      nb::arg("item_type"), "The type of a set of Python's in functions of the host.");
  m.def(
      "list_type",
      [](const PythonType &item) {
        return PythonType{python::typedListType(requireContainerElement(item, false))};
      },
      nb::arg("item_type"), "The type of a typed list.");
  m.def(
      "dict_type",
      [](const PythonType &key, const PythonType &value) {
        return PythonType{python::typedDictType(requireContainerElement(key, true),
                                                requireContainerElement(value, false))};
      },
      nb::arg("key_type"), nb::arg("value_type"), "The type of a typed dict.");
  m.def("enum_type", makeEnumType, nb::arg("enumeration"));
  m.def("instance_type", makeInstanceType, nb::arg("instance_class"), nb::arg("names"),
        nb::arg("types"), nb::arg("type_name") = "",
        "The type of instances of a jitclass or a structure.");
  m.def(
      "deferred_type", [] { return PythonType{python::makeDeferredType()}; },
      "The type of instances of a class that is defined later: deferred_type().define(type).");
  m.def(
      "optional_type",
      [](const PythonType &t) {
        Type type = python::unify(t.type, python::noneType());
        if (!type || type.is(python::TypeKind::None))
          throw nb::type_error(
              (t.type.name() + " is the type of nothing that may be None").c_str());
        return PythonType{type};
      },
      nb::arg("type"), "The type of None and of values of another type.");
  m.def(
      "range_type",
      [](const PythonType &t) {
        bool counts = t.type == python::int32Type() || t.type == python::int64Type() ||
                      t.type == python::intType(64, false);
        if (!counts)
          throw nb::type_error("a range counts in int32, int64 or uint64");
        return PythonType{python::rangeType(t.type)};
      },
      nb::arg("dtype"));
}

} // namespace heddle
