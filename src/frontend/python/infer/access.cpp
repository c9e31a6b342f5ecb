// Types of attributes, elements, stores and tuples.

#include "frontend/python/infer/visits.h"
#include "frontend/python/rows/hints.h"
#include "frontend/python/rows/indexing.h"
#include "frontend/python/rows/members.h"
#include "frontend/python/rows/row.h"
#include "frontend/python/types/characters.h"
#include "frontend/python/types/constant_text.h"
#include "frontend/python/types/iteration.h"
#include "frontend/python/types/literal_dicts.h"
#include "frontend/python/types/literal_lists.h"
#include "frontend/python/types/records.h"
#include "frontend/python/types/slices.h"

#include <algorithm>

namespace heddle::python {
namespace {

void setConstantIfKnown(Value &v, const Constant &constant) {
  if (constant.kind == ConstantKind::Unknown)
    v.constant.reset();
  else
    v.constant = constant;
}

std::vector<size_t> requireConstantSlice(FunctionTyping &t, Value &index, size_t size) {
  if (index.opcode != Opcode::Slice)
    t.error(index, "a slice of a tuple or a string must be written in the brackets");
  std::optional<std::vector<size_t>> selected = positionsSelectedBySlice(index, size);
  if (!selected)
    t.error(index,
            "a slice of a tuple or a string needs constant bounds, and a step that is not 0");
  return std::move(*selected);
}

/// The Choice type for the elements of a tuple of functions; unknown for other tuples.
Type elementFunctionTagType(const FunctionTyping &t, const Value &tuple) {
  Type choice;
  for (size_t i = 0; i < tuple.type->elements.size(); ++i) {
    Type element = tuple.type->elements[i];
    if (element == objectType())
      element = tuple.constant ? tagTypeOfFunction(t, tuple.constant->items[i]) : Type();
    if (!element || !element.isChoice())
      return {};
    choice = unify(choice, element);
  }
  return choice;
}

bool visitTupleIndex(FunctionTyping &t, Value &v, Value &object, Value &index) {
  const std::vector<Type> &elements = object.type->elements;
  if (index.type == sliceType()) {
    std::vector<Type> selected;
    Constant known{.kind = ConstantKind::Tuple};
    bool isKnown = object.constant && object.constant->kind == ConstantKind::Tuple;
    for (size_t i : requireConstantSlice(t, index, elements.size())) {
      selected.push_back(elements[i]);
      if (isKnown)
        known.items.push_back(object.constant->items[i]);
    }
    if (isKnown)
      v.constant = std::move(known);
    return setType(v, isLiteralList(object.type) ? literalListType(std::move(selected))
                                                 : tupleType(std::move(selected)));
  }
  if (!index.type.isInteger() && !index.type.isBool())
    t.errorAt(v, 1, "a tuple's index must be an integer", index.type.name());
  bool uniform =
      !elements.empty() && std::equal(elements.begin() + 1, elements.end(), elements.begin());
  if (!index.constant) {
    if (Type choice = elementFunctionTagType(t, object))
      return setType(v, choice);
    if (!uniform || holdsCompileTimeObject(object.type))
      t.errorAt(v, 1, "the index of a tuple with elements of different types must be a constant",
                object.type.name());
    return setType(v, elements[0]);
  }
  int64_t i = index.constant->integer;
  i += i < 0 ? int64_t(elements.size()) : 0;
  if (i < 0 || size_t(i) >= elements.size())
    t.errorAt(v, 1,
              "tuple index " + std::to_string(index.constant->integer) + " is out of range for " +
                  std::to_string(elements.size()) +
                  (elements.size() == 1 ? " element" : " elements"));
  if (object.constant && object.constant->kind == ConstantKind::Tuple)
    setConstantIfKnown(v, object.constant->items[i]);
  return setType(v, elements[i]);
}

/// Types a constant index or slice of a constant string.
bool visitStringIndex(FunctionTyping &t, Value &v, const std::string &text, Value &index) {
  std::vector<std::string> characters = charactersOf(text);
  std::vector<size_t> selected;
  if (index.type == sliceType()) {
    selected = requireConstantSlice(t, index, characters.size());
  } else {
    if (!index.type.isInteger() || !index.constant)
      t.errorAt(v, 1, "the index of a string must be a constant integer", describeType(index));
    int64_t i = index.constant->integer;
    selected = {size_t(i < 0 ? i + int64_t(characters.size()) : i)};
    if (selected[0] >= characters.size())
      t.errorAt(v, 1,
                "string index " + std::to_string(i) + " is out of range for " +
                    std::to_string(characters.size()) +
                    (characters.size() == 1 ? " character" : " characters"));
  }
  std::string part;
  for (size_t i : selected)
    part += characters[i];
  return setConstant(v, Constant::ofString(std::move(part)));
}

/// True if the selected part of a string is a compile-time constant and in range.
bool isConstantIndex(const Value &text, const Value &index) {
  if (!text.constant)
    return false;
  int64_t size = int64_t(charactersOf(text.constant->text).size());
  if (index.type == sliceType())
    return index.opcode == Opcode::Slice && positionsSelectedBySlice(index, size_t(size));
  return index.constant && index.type.isInteger() && index.constant->integer < size &&
         index.constant->integer >= -size;
}

/// Fails unless the value of `store` can be assigned to the elements of the view `target`.
void checkViewStore(FunctionTyping &t, const Value &store, Type target) {
  const Value &value = *store.operands[2];
  Type from = value.type, element = target->element;
  bool numbers = from.isTuple() && !from->elements.empty();
  for (size_t i = 0; numbers && i < from->elements.size(); ++i)
    numbers = isStorable(from->elements[i], element);
  // Host functions check at run time that the leading dimensions have extent 1.
  if (from.isArray() && from->ndim > target->ndim && !t.rules().makesArrays)
    t.errorAt(store, 2, "this array has more dimensions than the view that it is assigned to",
              from.name(), "the view is " + target.name() + ": index the array to fit");
  Type given = from.isArray() ? from->element : from;
  if (!(numbers && target->ndim > 0) && (from.isTuple() || !isStorable(given, element)))
    t.errorAt(store, 2, "cannot assign " + describeType(value) + " to the view " + target.name(),
              describeType(value), "assign a number, an array or a tuple of numbers");
}

/// Inserts np.array(list) before a store of the list to a view.
Value *insertListToArrayConversion(FunctionTyping &t, Value &store, Value &list) {
  return t.insertCall(store, store.spanOf(2), *t.findLibraryFunction("numpy.array"), {&list});
}

/// NumPy's letter for the kind of a number type, but "i" for all integers, as in numba. Empty for other types.
const char *dtypeKindLetter(Type type) {
  return type.isBool()                 ? "b"
         : type.isInteger()            ? "i"
         : type.isFloat()              ? "f"
         : type.isComplex()            ? "c"
         : type.is(TypeKind::DateTime) ? "M"
         : type.isTime()               ? "m"
         : type.isRecord()             ? "V"
                                       : "";
}

std::optional<Constant> dtypeAttribute(Type type, const std::string &name) {
  std::string kind = dtypeKindLetter(type);
  if (name == "type")
    return Constant::ofType(type);
  if (name == "kind" && !kind.empty())
    return Constant::ofString(kind);
  if (name == "itemsize" && !kind.empty())
    return Constant::ofInt(type->bytes());
  return {};
}

/// True for the imaginary part of an array of real numbers: a new array of zeros.
bool isImaginaryPartOfReals(const FunctionTyping &t, const Value &v) {
  Type array = v.operands[0]->type;
  return v.name == "imag" && t.rules().makesArrays && array.isArray() && array->element.isScalar();
}

} // namespace

bool visitAttribute(FunctionTyping &t, Value &v) {
  convertToString(t, v, 0);
  if (v.operands[0]->opcode == Opcode::Slice)
    convertSlicesToValues(t, v);
  Value &object = *v.operands[0];
  if (object.constant && object.type == objectType()) {
    if (v.type)
      return false;
    if (object.constant->kind == ConstantKind::Type)
      if (std::optional<Constant> method = t.source.environment->findMemberOrOverload(
              object.constant->type, classMethodKey(v.name), t.rules().target))
        return setConstant(v, std::move(*method));
    if (object.constant->kind == ConstantKind::Type)
      if (std::optional<Constant> found = dtypeAttribute(object.constant->type, v.name))
        return setConstant(v, std::move(*found));
    if (object.constant->kind == ConstantKind::Type && !object.constant->object)
      t.error(v, object.constant->describe() + " has no attribute '" + v.name + "' in " +
                     t.rules().plural);
    if (object.constant->kind == ConstantKind::Intrinsic) // a class
      if (std::optional<Constant> method =
              t.findLibraryFunction(object.constant->text + "." + v.name))
        return setConstant(v, std::move(*method));
    if (!object.constant->object)
      t.error(v, object.constant->describe() + " has no attribute '" + v.name + "'");
    std::optional<Constant> found = object.constant->object->attribute(v.name);
    if (!found) {
      HostObject &host = *object.constant->object;
      fail(t.source, v.span, ErrorKind::Member, host.missingAttributeMessage(v.name), "",
           hintForMember(object.constant->text, v.name, host.attributeNames()));
    }
    return bindNameToConstant(t, v, std::move(*found), v.name);
  }
  if (std::optional<Constant> found =
          t.source.environment->findMemberOrOverload(object.type, v.name, t.rules().target)) {
    if (found->kind != ConstantKind::Overload)
      return setConstant(v, std::move(*found));
    return replaceWithCall(t, v, std::move(*found));
  }
  if (isImaginaryPartOfReals(t, v))
    return replaceWithCallOf(t, v, "numpy.imag");
  if (std::string methods = libraryPrefixOfMethods(object.type); !methods.empty()) {
    std::optional<Constant> found;
    if (isBytes(object.type))
      found = t.findLibraryFunction("bytes." + v.name);
    if (!found)
      found = t.findLibraryFunction(methods + v.name);
    if (found && found->kind == ConstantKind::Overload)
      found->kind = ConstantKind::Method;
    if (found && (found->object || !object.type.isArray()))
      return setConstant(v, std::move(*found));
  }
  Member member = findAttribute(object.type, v.name, t.rules());
  if (object.constant && object.type->identity)
    member = addConstantToMember(*object.constant, v.name, member);
  if (!member.type) {
    std::string hint = hintForAttribute(object.type, v.name, t.rules());
    t.error(v, describeType(object) + " has no attribute '" + v.name + "' in " + t.rules().plural,
            "", hint.empty() ? member.hint : hint);
  }
  v.constant = member.constant;
  // The library may implement the method for more types than the row.
  if (v.constant && v.constant->kind == ConstantKind::Intrinsic)
    if (std::optional<Constant> found = t.findLibraryFunction(v.constant->text))
      v.constant = std::move(*found);
  return setType(v, member.type);
}

namespace {

/// The arguments of a template instance, "int32, 256"; empty for other indices.
std::string formatTemplateArguments(const Constant &index) {
  if (index.kind == ConstantKind::Type)
    return index.type.name();
  if (index.kind == ConstantKind::Int)
    return std::to_string(index.integer);
  std::string text;
  if (index.kind == ConstantKind::Tuple)
    for (const Constant &item : index.items)
      text += (text.empty() ? "" : ", ") + formatTemplateArguments(item);
  return text;
}

/// The enum member selected by name, as in Color["red"], or an instance of a class template. For
/// cub.BlockReduce[float32, 256], that is the attribute with the name "[float32, 256]".
std::optional<Constant> findMemberBySubscript(const Value &object, const Value &index) {
  if (!object.constant || object.constant->kind != ConstantKind::Namespace || !index.constant)
    return std::nullopt;
  // Among namespaces with members, only enums are classes.
  if (index.constant->kind == ConstantKind::String)
    return object.constant->object->isClassOf(noneType())
               ? object.constant->object->attribute(index.constant->text)
               : std::nullopt;
  std::string arguments = formatTemplateArguments(*index.constant);
  return arguments.empty() ? std::nullopt
                           : object.constant->object->attribute("[" + arguments + "]");
}

/// The type of a.flat[i].
Type flatElementType(FunctionTyping &t, const Value &v) {
  Type index = v.operands[1]->type;
  if (!index.isInteger() && !index.isBool())
    t.errorAt(v, 1, "the index of a.flat must be an integer", index.name());
  return elementOf(v.operands[0]->type->elements[0]);
}

} // namespace

Value &insertZeroDimRead(FunctionTyping &t, Value &user, size_t i) {
  Value *nothing = t.insertBefore(user, Opcode::Tuple, user.spanOf(i), {});
  t.visit(*nothing);
  Value *number = t.insertBefore(user, Opcode::Index, user.spanOf(i), {user.operands[i], nothing});
  t.visit(*number);
  return *number;
}

namespace {

/// Replaces a zero-dimensional array in an index by its number. If arrays select elements, a zero-dimensional bool
/// array remains a mask.
void replaceZeroDimIndices(FunctionTyping &t, Value &v) {
  auto read = [&](Value &user, size_t i) {
    Type array = user.operands[i]->type;
    bool isNumber =
        array.isArray() && array->ndim == 0 && !(array->element.isBool() && t.rules().makesArrays);
    if (isNumber)
      user.operands[i] = &insertZeroDimRead(t, user, i);
  };
  if (!v.operands[0]->type.isArray())
    return;
  read(v, 1);
  Value &index = *v.operands[1];
  if (index.opcode != Opcode::Tuple || !index.type.isTuple())
    return;
  for (size_t i = 0; i < index.operands.size(); ++i)
    read(index, i);
  t.visit(index);
}

} // namespace

namespace {

/// An array type such as float64[:, ::1]; unknown if `index` is not valid for types.
Type arrayTypeFromIndex(Type element, const Value &index) {
  std::vector<const Value *> slices(index.operands.begin(), index.operands.end());
  if (index.opcode == Opcode::Slice)
    slices = {&index};
  else if (index.opcode != Opcode::Tuple || slices.empty())
    return {};
  auto isNone = [](const Value *bound) { return bound->type.is(TypeKind::None); };
  auto isDense = [](const Value &slice) {
    const std::optional<Constant> &step = slice.operands[2]->constant;
    return step && step->kind == ConstantKind::Int && step->integer == 1;
  };
  for (const Value *slice : slices)
    if (slice->opcode != Opcode::Slice || !isNone(slice->operands[0]) ||
        !isNone(slice->operands[1]) || !(isNone(slice->operands[2]) || isDense(*slice)))
      return {};
  ArrayTraits traits{.layout = isDense(*slices.back())    ? Layout::C
                               : isDense(*slices.front()) ? Layout::F
                                                          : Layout::Any};
  return element.canBeArrayElement() ? arrayType(element, slices.size(), traits) : Type();
}

} // namespace

bool visitIndex(FunctionTyping &t, Value &v) {
  convertToString(t, v, 0);
  replaceZeroDimIndices(t, v);
  Value &object = *v.operands[0], &index = *v.operands[1];
  if (object.constant && object.constant->kind == ConstantKind::Type)
    if (Type arrays = arrayTypeFromIndex(object.constant->type, index))
      return setConstant(v, Constant::ofType(arrays));
  if (object.type.isList())
    return index.type == sliceType() ? replaceByCallWithSliceBounds(t, v, "list.slice")
                                     : setType(v, listElementType(t, v));
  if (object.type.isTable())
    return visitTableIndex(t, v);
  if (std::optional<bool> ofInstance = visitInstanceItem(t, v))
    return *ofInstance;
  if (isFlatIterator(object.type))
    return setType(v, flatElementType(t, v));
  if (object.type.isArray() && object.type->element.isRecord() && index.type.isString())
    return setType(v, fieldArrayType(object.type, fieldSelectedByKey(t, v, object.type->element)));
  if (isFancyIndexing(t, v))
    return visitFancyIndexing(t, v);
  if (object.type.isArray())
    return setType(v, typeOfIndexing(object.type, parseIndex(t.function, v)));
  if (isLiteralDict(object.type))
    return visitLiteralDictIndex(t, v);
  if (object.type.isTuple())
    return visitTupleIndex(t, v, object, index);
  if (object.type.isRecord())
    return setType(v, fieldType(object.type, fieldSelectedByKey(t, v, object.type)));
  if (object.type.isPointer())
    return setType(v, pointerElementType(t, v));
  if (isCharacters(object.type) && index.type.isInteger())
    return setType(v, object.type->element);
  if (object.type == runtimeStringType() && !isConstantIndex(object, index))
    return visitTextIndex(t, v);
  if (object.constant && object.constant->kind == ConstantKind::String)
    return visitStringIndex(t, v, object.constant->text, index);
  if (std::optional<Constant> member = findMemberBySubscript(object, index))
    return setConstant(v, std::move(*member));
  std::string described = describeType(object);
  constexpr const char *withAxes[] = {"cuda.threadIdx", "cuda.blockIdx", "cuda.blockDim",
                                      "cuda.gridDim"};
  bool hasAxes = std::ranges::find(withAxes, described) != std::end(withAxes);
  t.error(v, "cannot index " + described, described,
          hasAxes ? "its numbers have names: " + described + ".x, .y and .z" : "");
}

namespace {

/// a[index] = x for an integer or bool array that selects elements.
bool visitFancyIndexStore(FunctionTyping &t, Value &v) {
  Value &object = *v.operands[0], &index = *v.operands[1], &value = *v.operands[2];
  Type element = index.type->element;
  if (index.type->ndim != 1 || !(element.isInteger() || element.isBool()))
    t.errorAt(v, 1, "an index array must be one-dimensional and hold integers or bools",
              index.type.name(), "assign in a loop over its elements");
  if (object.type->ndim < 1)
    t.errorAt(v, 0, "a zero-dimensional array cannot be indexed", object.type.name());
  if (value.type.isArray() || !isStorable(value.type, object.type->element))
    t.errorAt(v, 2, "only one number can be assigned to the elements that an array selects",
              describeType(value), "assign in a loop over its elements");
  return setType(v, noneType());
}

} // namespace

bool visitStore(FunctionTyping &t, Value &v) {
  replaceZeroDimIndices(t, v);
  Value &object = *v.operands[0], &value = *v.operands[2];
  bool flat = isFlatIterator(object.type);
  if (object.type.isTable())
    return visitTableStore(t, v);
  if (object.type.isInstance())
    return visitInstanceStore(t, v);
  if (object.type.isStructure())
    if (std::optional<bool> byFunction =
            v.name.empty() ? visitInstanceItem(t, v) : visitPropertySetter(t, v))
      return *byFunction;
  if (object.type.isList()) {
    if (v.operands[1]->type == sliceType())
      return replaceByCallWithSliceBounds(t, v, "list.assign");
    listElementType(t, v);
    if (!listAcceptsItem(object.type, value.type))
      t.errorAt(v, 2, "cannot put " + value.type.name() + " into " + object.type.name());
    return setType(v, noneType());
  }
  if (!object.type.isArray() && !object.type.isRecord() && !object.type.isPointer() && !flat)
    t.error(v,
            v.name.empty()
                ? "cannot assign to an element of " + describeType(object)
                : "cannot assign to attribute '" + v.name + "' of " + describeType(object),
            describeType(object),
            isLiteralDict(object.type) ? "a dict with values of several types cannot be changed"
            : object.type.isTuple()    ? "tuples cannot be changed; build a new one"
                                       : "");
  bool bySelection = object.type.isArray() && v.operands[1]->type.isArray();
  bool byCall = isFancyIndexing(t, v);
  Type target = flat                    ? flatElementType(t, v)
                : bySelection || byCall ? object.type
                                        : typeOfAssignmentTarget(t, v, object.type);
  if (flat ? object.type->elements[0]->readOnly : object.type->readOnly)
    t.error(
        v,
        std::string("cannot write to a read-only ") + (object.type.isArray() ? "array" : "record"),
        object.type.name(),
        object.constant
            ? "a global array is a constant of the " + t.rules().noun + ": pass it as an argument"
            : "pass an array whose flags.writeable is True");
  if (byCall)
    return visitFancyIndexing(t, v);
  if (bySelection)
    return visitFancyIndexStore(t, v);
  if (target.isArray()) {
    if (value.type.isList()) {
      v.operands[2] = insertListToArrayConversion(t, v, value);
      return v.operands[2]->type && t.visit(v);
    }
    checkViewStore(t, v, target);
    return setType(v, noneType());
  }
  bool isString =
      value.type == runtimeStringType() && isCharacters(target) && target->element->bits == 32;
  if (isCharacters(target) && (isString || convertsToCharacters(value, target->element)))
    return setType(v, noneType());
  if (value.type.isArray() && value.type->ndim == 0 && isStorable(value.type->element, target)) {
    v.operands[2] = &insertZeroDimRead(t, v, 2);
    return t.visit(v);
  }
  if (!isStorable(value.type, target))
    t.errorAt(v, 2,
              "cannot store " + describeType(value) + " in " +
                  (!object.type.isRecord() ? "an element of " + object.type.name()
                                           : "a field of type " + target.name()),
              describeType(value),
              value.type.isComplex() ? "take its real part, x.real, or its magnitude, abs(x)" : "");
  return setType(v, noneType());
}

bool visitTuple(FunctionTyping &t, Value &v) {
  expandStarred(t, v, 0);
  std::vector<Type> elements;
  Constant tuple{.kind = ConstantKind::Tuple};
  for (Value *e : v.operands) {
    elements.push_back(e->type);
    tuple.items.push_back(e->constant.value_or(Constant{.kind = ConstantKind::Unknown}));
  }
  if (v.name == nameOfLiteralDicts)
    return setType(v, literalDictType(v.names, std::move(elements)));
  if (v.name == nameOfSlices)
    return setType(v, sliceValueType(std::move(elements)));
  v.constant = tuple.isFullyKnown() ? std::optional(std::move(tuple)) : tuple.toConstantObject();
  return setType(v, v.name == nameOfLiteralLists ? literalListType(std::move(elements))
                                                 : tupleType(std::move(elements)));
}

namespace {

/// Replaces the iterable by a list of the first values of generators, at most one more than there are names. All
/// unpacks of the assignment read the list, because a generator yields each value only once.
void replaceGeneratorsByListOfFirstValues(FunctionTyping &t, Value &v) {
  Value *generators = v.operands[0];
  Value *function = t.insertConstant(v, v.span, *t.findLibraryFunction("iterator.first_values"));
  Value *most = t.insertConstant(v, v.span, Constant::ofInt(int64_t(v.count) + 1));
  Value *list = t.insertBefore(v, Opcode::Call, v.span, {function, generators, most});
  std::vector<Value *> &values = v.block->values;
  unsigned next = v.index;
  for (auto at = std::find(values.begin(), values.end(), &v); at != values.end() && next < v.count;
       ++at)
    if ((*at)->opcode == Opcode::Unpack && (*at)->operands[0] == generators &&
        (*at)->index == next) {
      (*at)->operands[0] = list;
      ++next;
    }
  t.visit(*list);
}

/// Unpacks an iterable: its first items, whose number must equal that of the names.
bool visitUnpackIterable(FunctionTyping &t, Value &v) {
  Value &iterable = *v.operands[0];
  std::optional<size_t> most = maxTripCount(iterable.type);
  if (most && (*most < v.count || (hasFixedTripCount(iterable.type) && *most != v.count)))
    t.error(v,
            "cannot unpack " + std::to_string(*most) + (*most == 1 ? " value" : " values") +
                " into " + std::to_string(v.count) + (v.count == 1 ? " name" : " names"),
            iterable.type.name());
  if (iterable.constant)
    v.constant = constantOfItem(iterable.type, *iterable.constant, v.index);
  return setType(v, itemType(iterable.type, v.index));
}

} // namespace

bool visitUnpack(FunctionTyping &t, Value &v) {
  if (resumesGenerators(v.operands[0]->type))
    replaceGeneratorsByListOfFirstValues(t, v);
  Value &tuple = *v.operands[0];
  bool isCaptured = tuple.type.is(TypeKind::Closure) && !v.count; // for a call of the function
  if (isCaptured) {
    if (tuple.constant)
      setConstantIfKnown(v, tuple.constant->items[v.index]);
    return setType(v, tuple.type->elements[v.index]);
  }
  if (!tuple.type.isTuple() && isIterable(tuple.type))
    return visitUnpackIterable(t, v);
  std::string names = std::to_string(v.count) + (v.count == 1 ? " name" : " names");
  if (!tuple.type.isTuple() || tuple.type.isStructure() || isLiteralDict(tuple.type))
    t.error(v, "cannot unpack " + describeType(tuple) + " into " + names, describeType(tuple));
  size_t size = tuple.type->elements.size();
  if (size != v.count)
    t.error(v,
            "cannot unpack " + std::to_string(size) + (size == 1 ? " value" : " values") +
                " into " + names,
            tuple.type.name());
  if (tuple.constant && tuple.constant->kind == ConstantKind::Tuple)
    setConstantIfKnown(v, tuple.constant->items[v.index]);
  return setType(v, tuple.type->elements[v.index]);
}

} // namespace heddle::python
