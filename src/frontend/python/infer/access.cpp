// Types of attributes, elements, stores and tuples.

#include "frontend/python/infer/visits.h"
#include "frontend/python/rows/indexing.h"
#include "frontend/python/rows/members.h"
#include "frontend/python/rows/row.h"
#include "frontend/python/types/constant_text.h"
#include "frontend/python/types/records.h"

#include <algorithm>
#include <tuple>

namespace heddle::python {
namespace {

void setKnown(Value &v, const Constant &constant) {
  if (constant.kind == ConstantKind::Unknown)
    v.constant.reset();
  else
    v.constant = constant;
}

std::pair<size_t, size_t> constantSlice(FunctionTyping &t, Value &index, size_t size) {
  if (index.opcode != Opcode::Slice)
    t.error(index, "a slice of a tuple or a string must be written in the brackets");
  int64_t bounds[2] = {0, int64_t(size)};
  for (int k = 0; k < 3; ++k) {
    Value &part = *index.operands[k];
    if (part.type.is(TypeKind::None))
      continue;
    if (!part.constant || (k == 2 && part.constant->integer != 1))
      t.error(part, "a slice of a tuple or a string needs constant bounds and no step");
    if (k < 2) {
      int64_t i = part.constant->integer;
      bounds[k] = std::clamp<int64_t>(i < 0 ? i + int64_t(size) : i, 0, size);
    }
  }
  return {bounds[0], bounds[1]};
}

bool visitTupleIndex(FunctionTyping &t, Value &v, Value &object, Value &index) {
  const std::vector<Type> &elements = object.type->elements;
  if (index.type == sliceType()) {
    auto [from, to] = constantSlice(t, index, elements.size());
    if (object.constant && object.constant->kind == ConstantKind::Tuple) {
      const std::vector<Constant> &items = object.constant->items;
      v.constant = Constant{.kind = ConstantKind::Tuple,
                            .items = {items.begin() + from, items.begin() + std::max(from, to)}};
    }
    return setType(v, tupleType({elements.begin() + from, elements.begin() + std::max(from, to)}));
  }
  if (!index.type.isInteger() && !index.type.isBool())
    t.errorAt(v, 1, "a tuple's index must be an integer", index.type.name());
  bool uniform =
      !elements.empty() && std::equal(elements.begin() + 1, elements.end(), elements.begin());
  if (!index.constant) {
    if (!uniform || holdsObject(object.type))
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
    setKnown(v, object.constant->items[i]);
  return setType(v, elements[i]);
}

/// A constant index or slice of a constant string.
bool visitStringIndex(FunctionTyping &t, Value &v, const std::string &text, Value &index) {
  std::vector<std::string> characters = charactersOf(text);
  size_t from = 0, to = 0;
  if (index.type == sliceType()) {
    std::tie(from, to) = constantSlice(t, index, characters.size());
  } else {
    if (!index.type.isInteger() || !index.constant)
      t.errorAt(v, 1, "the index of a string must be a constant integer", describeType(index));
    int64_t i = index.constant->integer;
    from = size_t(i < 0 ? i + int64_t(characters.size()) : i);
    to = from + 1;
    if (from >= characters.size())
      t.errorAt(v, 1,
                "string index " + std::to_string(i) + " is out of range for " +
                    std::to_string(characters.size()) +
                    (characters.size() == 1 ? " character" : " characters"));
  }
  std::string part;
  for (; from < to; ++from)
    part += characters[from];
  return setConstant(v, Constant::ofString(std::move(part)));
}

/// Fails unless the value of `store` can be assigned to the elements of the view `target`.
void checkViewStore(FunctionTyping &t, const Value &store, Type target) {
  const Value &value = *store.operands[2];
  Type from = value.type, element = target->element;
  bool numbers = from.isTuple() && !from->elements.empty();
  for (size_t i = 0; numbers && i < from->elements.size(); ++i)
    numbers = storable(from->elements[i], element);
  if (from.isArray() && from->ndim > target->ndim)
    t.errorAt(store, 2, "this array has more dimensions than the view that it is assigned to",
              from.name(), "the view is " + target.name() + ": index the array to fit");
  Type given = from.isArray() ? from->element : from;
  if (!(numbers && target->ndim > 0) && (from.isTuple() || !storable(given, element)))
    t.errorAt(store, 2, "cannot assign " + describeType(value) + " to the view " + target.name(),
              describeType(value), "assign a number, an array or a tuple of numbers");
}

} // namespace

bool visitAttribute(FunctionTyping &t, Value &v) {
  Value &object = *v.operands[0];
  if (object.constant && object.type == objectType()) {
    if (v.type)
      return false;
    if (object.constant->kind == ConstantKind::Type)
      if (std::optional<Constant> method =
              t.source.environment->extension(object.constant->type, classMethodKey(v.name)))
        return setConstant(v, std::move(*method));
    if (object.constant->kind == ConstantKind::Type && !object.constant->object)
      t.error(v, object.constant->describe() + " has no attribute '" + v.name + "' in " +
                     t.rules().plural);
    if (!object.constant->object)
      t.error(v, object.constant->describe() + " has no attribute '" + v.name + "'");
    std::optional<Constant> found = object.constant->object->attribute(v.name);
    if (!found) {
      std::string near = nearest(v.name, object.constant->object->attributeNames());
      t.error(v, object.constant->object->missing(v.name), "",
              near.empty() ? "" : "did you mean '" + near + "'?");
    }
    return resolved(t, v, std::move(*found), v.name);
  }
  if (std::optional<Constant> found = t.source.environment->extension(object.type, v.name)) {
    if (found->kind == ConstantKind::Method)
      return setConstant(v, std::move(*found));
    // What reads the attribute calls the function that computes it.
    Value *function = t.insertBefore(v, Opcode::Constant, v.span, {});
    function->constant = std::move(found);
    t.visit(*function);
    v.opcode = Opcode::Call;
    v.operands = {function, &object};
    v.operandSpans.clear();
    return t.visit(v);
  }
  Member member = memberOf(object.type, v.name, t.rules());
  if (object.constant && object.type->identity)
    member = memberOfConstant(*object.constant, v.name, member);
  if (!member.type) {
    std::string hint = hintForAttribute(object.type, v.name, t.rules());
    t.error(v, describeType(object) + " has no attribute '" + v.name + "' in " + t.rules().plural,
            "", hint.empty() ? member.hint : hint);
  }
  v.constant = member.constant;
  return setType(v, member.type);
}

namespace {

/// The member of an enumeration by its name in brackets, as in Color["red"].
std::optional<Constant> memberNamed(const Value &object, const Value &index) {
  bool isNamed = object.constant && object.constant->kind == ConstantKind::Namespace &&
                 index.constant && index.constant->kind == ConstantKind::String;
  // Of what has members, enumerations alone are classes.
  if (!isNamed || !object.constant->object->isClassOf(noneType()))
    return std::nullopt;
  return object.constant->object->attribute(index.constant->text);
}

} // namespace

bool visitIndex(FunctionTyping &t, Value &v) {
  Value &object = *v.operands[0], &index = *v.operands[1];
  if (object.type.isArray() && object.type->element.isRecord() && index.type == stringType())
    return setType(v, fieldOfEach(object.type, fieldOf(t, v, object.type->element)));
  if (object.type.isArray())
    return setType(v, indexedType(object.type, indexItems(t.function, v)));
  if (object.type.isTuple())
    return visitTupleIndex(t, v, object, index);
  if (object.type.isRecord())
    return setType(v, fieldType(object.type, fieldOf(t, v, object.type)));
  if (object.type.isPointer())
    return setType(v, elementOfPointer(t, v));
  if (object.constant && object.constant->kind == ConstantKind::String)
    return visitStringIndex(t, v, object.constant->text, index);
  if (std::optional<Constant> member = memberNamed(object, index))
    return setConstant(v, std::move(*member));
  t.error(v, "cannot index " + describeType(object), describeType(object));
}

bool visitStore(FunctionTyping &t, Value &v) {
  Value &object = *v.operands[0], &value = *v.operands[2];
  if (!object.type.isArray() && !object.type.isRecord() && !object.type.isPointer())
    t.error(v,
            v.name.empty()
                ? "cannot assign to an element of " + describeType(object)
                : "cannot assign to attribute '" + v.name + "' of " + describeType(object),
            describeType(object),
            object.type.isTuple() ? "tuples cannot be changed; build a new one" : "");
  Type target = assignedType(t, v, object.type);
  if (object.type->readOnly)
    t.error(
        v,
        std::string("cannot write to a read-only ") + (object.type.isArray() ? "array" : "record"),
        object.type.name(),
        object.constant
            ? "a global array is a constant of the " + t.rules().noun + ": pass it as an argument"
            : "pass an array whose flags.writeable is True");
  if (target.isArray()) {
    checkViewStore(t, v, target);
    return setType(v, noneType());
  }
  if (!storable(value.type, target))
    t.errorAt(v, 2,
              "cannot store " + describeType(value) + " in " +
                  (!object.type.isRecord() ? "an element of " + object.type.name()
                                           : "a field of type " + target.name()),
              describeType(value),
              value.type.isComplex() ? "take its real part, x.real, or its size, abs(x)" : "");
  return setType(v, noneType());
}

bool visitTuple(FunctionTyping &t, Value &v) {
  std::vector<Type> elements;
  Constant tuple{.kind = ConstantKind::Tuple};
  for (Value *e : v.operands) {
    elements.push_back(e->type);
    tuple.items.push_back(e->constant.value_or(Constant{.kind = ConstantKind::Unknown}));
  }
  v.constant = tuple.isWhole() ? std::optional(std::move(tuple)) : tuple.objects();
  return setType(v, tupleType(std::move(elements)));
}

bool visitUnpack(FunctionTyping &t, Value &v) {
  Value &tuple = *v.operands[0];
  bool isCaptured = tuple.type.is(TypeKind::Closure) && !v.count; // for a call of the function
  if (isCaptured) {
    if (tuple.constant)
      setKnown(v, tuple.constant->items[v.index]);
    return setType(v, tuple.type->elements[v.index]);
  }
  std::string names = std::to_string(v.count) + (v.count == 1 ? " name" : " names");
  if (!tuple.type.isTuple())
    t.error(v, "cannot unpack " + describeType(tuple) + " into " + names, describeType(tuple));
  size_t size = tuple.type->elements.size();
  if (size != v.count)
    t.error(v,
            "cannot unpack " + std::to_string(size) + (size == 1 ? " value" : " values") +
                " into " + names,
            tuple.type.name());
  if (tuple.constant && tuple.constant->kind == ConstantKind::Tuple)
    setKnown(v, tuple.constant->items[v.index]);
  return setType(v, tuple.type->elements[v.index]);
}

} // namespace heddle::python
