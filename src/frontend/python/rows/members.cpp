#include "frontend/python/rows/members.h"

#include "frontend/python/rows/row.h"
#include "frontend/python/syntax/syntax.h"
#include "frontend/python/types/fragments.h"
#include "frontend/python/types/iteration.h"
#include "frontend/python/types/literal_dicts.h"
#include "frontend/python/types/literal_lists.h"
#include "frontend/python/types/records.h"
#include "frontend/python/types/slices.h"

namespace heddle::python {

namespace {

/// The flags of an array, which follow from its type.
class ArrayFlags : public HostObject {
public:
  ArrayFlags(bool c, bool f) : c_(c), f_(f) {}
  std::optional<Constant> attribute(const std::string &name) override {
    if (name == "c_contiguous")
      return Constant::ofBool(c_);
    if (name == "f_contiguous")
      return Constant::ofBool(f_);
    if (name == "contiguous")
      return Constant::ofBool(c_);
    if (name == "forc")
      return Constant::ofBool(c_ || f_);
    return std::nullopt;
  }
  std::vector<std::string> attributeNames() override {
    return {"c_contiguous", "f_contiguous", "contiguous", "forc"};
  }
  std::string describe() override { return "the flags of an array"; }

private:
  bool c_, f_;
};

Constant arrayFlagsConstant(Type array) {
  bool c = array->layout == Layout::C, f = array->layout == Layout::F;
  if (array->ndim <= 1)
    c = f = c || f || array->ndim == 0;
  // One object per value, so that equal constants are identical.
  static const std::shared_ptr<HostObject> objects[2][2] = {
      {std::make_shared<ArrayFlags>(false, false), std::make_shared<ArrayFlags>(false, true)},
      {std::make_shared<ArrayFlags>(true, false), std::make_shared<ArrayFlags>(true, true)}};
  return {
      .kind = ConstantKind::Namespace, .text = "the flags of an array", .object = objects[c][f]};
}

/// The type of `flat`: a one-dimensional array in C order, or a flat iterator if no strides describe that order.
Type typeOfFlat(Type array) {
  if (array->ndim == 1)
    return array;
  if (array->layout != Layout::C && array->ndim > 0)
    return iteratorType(IteratorKind::Flat, {array});
  ArrayTraits traits = traitsOfArray(array);
  traits.layout = Layout::C;
  return arrayType(array->element, 1, traits);
}

std::string joinNames(const std::vector<std::string> &words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i)
    out += (!i ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return out;
}

constexpr const char *fields[] = {"x", "y", "z", "w"};

Member makeKnownMember(Constant constant) {
  return {.kind = MemberKind::Known, .type = constant.valueType(), .constant = constant};
}

Member makeMethodMember(const char *row) { return makeKnownMember(Constant::ofIntrinsic(row)); }

Member makeMissingMember(std::string hint) { return {.hint = std::move(hint)}; }

std::string hintForTypo(const std::string &near) {
  return near.empty() ? "" : "did you mean '" + near + "'?";
}

Member findVectorAttribute(Type vector, const std::string &name) {
  std::string names;
  for (unsigned i = 0; i < vector->elements.size(); ++i) {
    if (name == fields[i])
      return {.kind = MemberKind::Element, .type = vector->elements[i], .index = i};
    names += std::string(i ? ", " : "") + fields[i];
  }
  return makeMissingMember("its fields are " + names);
}

/// Fields of a structure are called ".name", because programs choose the attributes of the type.
Member findStructureAttribute(Type structure, const std::string &name) {
  for (unsigned i = 0; i < structure->names.size(); ++i)
    if ("." + structure->names[i] == name)
      return {.kind = MemberKind::Element, .type = structure->elements[i], .index = i};
  return makeMissingMember(
      "make_attribute_wrapper() and overload_attribute() give its type attributes");
}

Member findNamedTupleAttribute(Type tuple, const std::string &name) {
  for (unsigned i = 0; i < tuple->names.size(); ++i)
    if (tuple->names[i] == name)
      return {.kind = MemberKind::Element, .type = tuple->elements[i], .index = i};
  return makeMissingMember(hintForTypo(findClosestName(name, tuple->names)));
}

Member findInstanceAttribute(Type instance, const std::string &name) {
  const std::vector<std::string> &names = instance->names;
  for (unsigned i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return hasUndefinedDeferred(instance->elements[i])
                 ? makeMissingMember(
                       "its type is one of deferred_type() that is not defined yet: call its "
                       "method define() first")
                 : Member{.kind = MemberKind::Attribute,
                          .type = resolveDeferred(instance->elements[i]),
                          .index = i};
  std::string hint = hintForTypo(findClosestName(name, names));
  return makeMissingMember(
      !hint.empty() || names.empty() ? hint : "its attributes are " + joinNames(names));
}

Member findEnumAttribute(Type member, const std::string &name) {
  if (name != "value")
    return makeMissingMember("an enum member has value, and name if it is a constant");
  bool isInteger = !member.is(TypeKind::Enum);
  return {.kind = MemberKind::Itself,
          .type = isInteger ? intType(member->bits, member.isSigned()) : member->element};
}

Member findNumberAttribute(Type number, const std::string &name, const TargetRules &rules) {
  Type part = number.isComplex() ? floatType(number->bits / 2) : number;
  if (name == "real")
    return {.kind = MemberKind::Real, .type = part};
  if (name == "imag")
    return {.kind = MemberKind::Imaginary, .type = part};
  if (name == "conjugate")
    return makeMethodMember("number.conjugate");
  if (name == "item")
    return makeMethodMember("number.item");
  if (name == "view" && number.isScalar())
    return makeMethodMember("number.view");
  if (name == "bit_count" && number.isInteger())
    return makeMethodMember("int.bit_count");
  return makeMissingMember(std::string(number.isInteger() ? "integers have bit_count(), real, imag,"
                                                          : "numbers have real, imag,") +
                           " conjugate(), item() and view() in " + rules.plural);
}

Member findRangeAttribute(Type range, const std::string &name) {
  if (name == "start")
    return {.kind = MemberKind::Start, .type = range->element};
  if (name == "stop")
    return {.kind = MemberKind::Stop, .type = range->element};
  if (name == "step")
    return {.kind = MemberKind::Step, .type = range->element};
  return makeMissingMember("ranges have start, stop and step, and len(r)");
}

Member findRecordAttribute(Type record, const std::string &name) {
  if (const Field *field = findField(record, name))
    return {.kind = MemberKind::Field, .type = fieldType(record, *field)};
  return makeMissingMember(describeFields(record));
}

/// The array with its axes in reverse order.
Type transposedType(Type array) {
  ArrayTraits traits = traitsOfArray(array);
  if (array->ndim > 1 && traits.layout != Layout::Any)
    traits.layout = traits.layout == Layout::C ? Layout::F : Layout::C;
  return arrayType(array->element, array->ndim, traits);
}

/// The type of the real or imaginary parts of a complex array.
Type complexPartsType(Type array) {
  ArrayTraits traits = traitsOfArray(array);
  traits.layout = array->ndim ? Layout::Any : traits.layout;
  return arrayType(floatType(array->element->bits / 2), array->ndim, traits);
}

/// Attributes of all arrays other than methods.
Member findArrayLayoutAttribute(Type array, const std::string &name) {
  Type extents = tupleType(std::vector<Type>(array->ndim, int64Type()));
  bool isComplex = array->element.isComplex();
  if (name == "shape")
    return {.kind = MemberKind::Shape, .type = extents};
  if (name == "strides")
    return {.kind = MemberKind::Strides, .type = extents};
  if (name == "size")
    return {.kind = MemberKind::Size, .type = int64Type()};
  if (name == "nbytes")
    return {.kind = MemberKind::Bytes, .type = int64Type()};
  if (name == "ndim")
    return makeKnownMember(Constant::ofInt(array->ndim));
  if (name == "itemsize")
    return makeKnownMember(Constant::ofInt(array->element->bytes()));
  if (name == "dtype")
    return makeKnownMember(Constant::ofType(array->element));
  if (name == "flags")
    return makeKnownMember(arrayFlagsConstant(array));
  if (name == "ctypes")
    return {.kind = MemberKind::Pointer, .type = pointerType(array->element, array->space)};
  if (name == "T")
    return {.kind = MemberKind::Transposed, .type = transposedType(array)};
  if (name == "real")
    return {.kind = MemberKind::Itself, .type = isComplex ? complexPartsType(array) : array};
  if (name == "imag" && isComplex)
    return {.kind = MemberKind::ImaginaryOfEach, .type = complexPartsType(array)};
  if (name == "flat") {
    Type flat = typeOfFlat(array);
    return {.kind = flat.isArray() ? MemberKind::Flat : MemberKind::Itself, .type = flat};
  }
  return {};
}

/// The names of all array attributes and methods, for "did you mean".
const std::vector<std::string> &arrayMemberNames() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names{"shape", "strides", "size", "nbytes", "ndim", "itemsize",
                                   "dtype", "T",       "flat", "flags",  "real", "ctypes"};
    for (auto table : {arrayLibrary(), reductionLibrary()})
      for (const LibraryRow &row : table)
        if (row.isMethod())
          names.emplace_back(row.lastName());
    return names;
  }();
  return all;
}

Member findFragmentAttribute(Type fragment, const std::string &name) {
  if (name == "x")
    return {.kind = MemberKind::Itself,
            .type = arrayType(fragment->element, fragment->ndim, traitsOfArray(fragment))};
  if (name == "num_elements")
    return makeKnownMember(Constant::ofInt(fragment->fragment->elementsPerLane()));
  return {};
}

Member findArrayAttribute(Type array, const std::string &name, const TargetRules &rules) {
  if (array->fragment)
    if (Member found = findFragmentAttribute(array, name); found.type)
      return found;
  if (Member found = findArrayLayoutAttribute(array, name); found.type)
    return found;
  if (name == "imag")
    return makeMissingMember("the elements of " + array.name() + " have no imaginary part");
  if (name == "data" || name == "base")
    return makeMissingMember(rules.plural + " have the array itself: index it, or pass it on");
  if (const LibraryRow *row = findLibraryRow("array." + name))
    return makeMethodMember(row->name);
  if (array->element.isRecord())
    if (const Field *field = findField(array->element, name))
      return {.kind = MemberKind::FieldOfEach, .type = fieldArrayType(array, *field)};
  std::string hint = hintForTypo(findClosestName(name, arrayMemberNames()));
  return makeMissingMember(
      hint.empty() ? "arrays have " + joinNames(arrayMemberNames()) + " in " + rules.plural : hint);
}

/// Attributes of `array.ctypes` in a kernel.
Member findPointerAttribute(const std::string &name) {
  if (name == "data")
    return {.kind = MemberKind::Address, .type = intType(64, false)};
  return makeMissingMember("pointers have data, the address");
}

} // namespace

Member findAttribute(Type object, const std::string &name, const TargetRules &rules) {
  if (object.isArray())
    return findArrayAttribute(object, name, rules);
  if (object == randomGeneratorType())
    return makeMissingMember("NumPy's documentation of numpy.random.Generator lists its methods");
  if (object.isPointer())
    return findPointerAttribute(name);
  if (object.isRecord())
    return findRecordAttribute(object, name);
  if (object.isVector())
    return findVectorAttribute(object, name);
  if (object.isInstance())
    return findInstanceAttribute(object, name);
  if (object.isEnumMember())
    return findEnumAttribute(object, name);
  if (object.isScalar() || object.isComplex())
    return findNumberAttribute(object, name, rules);
  if (object.isStructure())
    return findStructureAttribute(object, name);
  if (isLiteralDict(object) && llvm::is_contained(object->names, name))
    return findNamedTupleAttribute(object, name);
  if (isLiteralDict(object))
    return makeMissingMember(
        "a dict with values of several types is read-only and indexed by constants");
  if (isLiteralList(object))
    return makeMissingMember("a list with items of several types is read-only");
  // A field of a named tuple hides the method, as in Python.
  if (object.isTuple() && (name == "index" || name == "count") &&
      !llvm::is_contained(object->names, name))
    return makeMethodMember(("tuple." + name).c_str());
  if (object.isTuple() && object->identity)
    return findNamedTupleAttribute(object, name);
  if (object.is(TypeKind::Characters))
    return makeMissingMember(
        "fixed-length strings support comparison, copying, len() and indexing; Python's "
        "strings support more");
  if (object.is(TypeKind::Range))
    return findRangeAttribute(object, name);
  if (isFlatIterator(object) && name == "size")
    return {.kind = MemberKind::Size, .type = int64Type()};
  if (object.is(TypeKind::Grid))
    return name == "sync" ? makeMethodMember("cuda.cg.GridGroup.sync")
                          : makeMissingMember("the group of all threads has sync()");
  return {};
}

std::string libraryPrefixOfMethods(Type type) {
  return type.isArray()                  ? "array."
         : type.isList()                 ? "list."
         : type.isDict()                 ? "dict."
         : type.isSet()                  ? "set."
         : type == runtimeStringType()   ? "str."
         : isLiteralDict(type)           ? "literal_dict."
         : isLiteralList(type)           ? "literal_list."
         : isSliceValue(type)            ? "slice."
         : type.isChoice()               ? "choice."
         : type == randomGeneratorType() ? "Generator."
                                         : "";
}

namespace {

/// True if the library has that method for the type. Names that begin with _ are internal.
bool hasMethod(const TypedFunction &function, Type type, const std::string &name) {
  std::string methods = libraryPrefixOfMethods(type);
  if (methods.empty() || name.starts_with("_"))
    return false;
  Target target = function.rules->target;
  auto isImplementedFor = [&](const std::string &prefix) {
    return target == Target::Host &&
           function.source->environment->findHostImplementation(prefix + name);
  };
  return findLibraryRow(methods + name, target) || isImplementedFor(methods) ||
         (isBytes(type) && isImplementedFor("bytes."));
}

/// As in numba, Python's lists and sets and None have no hash function.
bool isHashable(Type type) {
  return !type.is(TypeKind::None) && !type.isSet() && (!type.isList() || type.isShared());
}

} // namespace

bool hasAttribute(const TypedFunction &function, const Value &object, const std::string &name) {
  if (object.constant && object.type == objectType())
    return object.constant->object && object.constant->object->attribute(name);
  if (name == "__hash__")
    return isHashable(object.type);
  return function.source->environment->findMemberOrOverload(object.type, name,
                                                            function.rules->target) ||
         hasMethod(function, object.type, name) ||
         findAttribute(object.type, name, *function.rules).type;
}

} // namespace heddle::python
