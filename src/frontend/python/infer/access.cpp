// Types of attributes, elements, stores and tuples.

#include "frontend/python/infer/inference.h"
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

} // namespace

bool Inference::visitAttribute(Value &v) {
  Value &object = *v.operands[0];
  if (object.constant && object.type == objectType()) {
    if (v.type)
      return false;
    if (object.constant->kind == ConstantKind::Type)
      if (std::optional<Constant> method =
              source_.environment->extension(object.constant->type, classMethodKey(v.name)))
        return setConstant(v, std::move(*method));
    if (object.constant->kind == ConstantKind::Type && !object.constant->object)
      error(v, object.constant->describe() + " has no attribute '" + v.name + "' in kernels");
    if (!object.constant->object)
      error(v, object.constant->describe() + " has no attribute '" + v.name + "'");
    std::optional<Constant> found = object.constant->object->attribute(v.name);
    if (!found) {
      std::string near = nearest(v.name, object.constant->object->attributeNames());
      error(v, object.constant->object->missing(v.name), "",
            near.empty() ? "" : "did you mean '" + near + "'?");
    }
    return resolved(v, std::move(*found), v.name);
  }
  if (std::optional<Constant> found = source_.environment->extension(object.type, v.name)) {
    if (found->kind == ConstantKind::Method)
      return setConstant(v, std::move(*found));
    // What reads the attribute calls the function that computes it.
    Value *function = insertBefore(v, Opcode::Constant, v.span, {});
    function->constant = std::move(found);
    visit(*function);
    v.opcode = Opcode::Call;
    v.operands = {function, &object};
    v.operandSpans.clear();
    return visit(v);
  }
  Member member = memberOf(object.type, v.name);
  if (object.constant && object.type->identity)
    member = memberOfConstant(*object.constant, v.name, member);
  if (!member.type) {
    std::string hint = hintForAttribute(object.type, v.name);
    error(v, describeType(object) + " has no attribute '" + v.name + "' in kernels", "",
          hint.empty() ? member.hint : hint);
  }
  v.constant = member.constant;
  return set(v, member.type);
}

bool Inference::visitIndex(Value &v) {
  Value &object = *v.operands[0], &index = *v.operands[1];
  if (object.type.isArray() && object.type->element.isRecord() && index.type == stringType())
    return set(v, fieldOfEach(object.type, fieldOf(v, object.type->element)));
  if (object.type.isArray())
    return set(v, indexedType(object.type, indexItems(source_, v)));
  if (object.type.isTuple())
    return visitTupleIndex(v, object, index);
  if (object.type.isRecord())
    return set(v, fieldType(object.type, fieldOf(v, object.type)));
  if (object.type.isPointer())
    return set(v, elementOfPointer(v));
  if (object.constant && object.constant->kind == ConstantKind::String)
    return visitStringIndex(v, object.constant->text, index);
  error(v, "cannot index " + describeType(object), describeType(object));
}

bool Inference::visitTupleIndex(Value &v, Value &object, Value &index) {
  const std::vector<Type> &elements = object.type->elements;
  if (index.type == sliceType()) {
    auto [from, to] = constantSlice(index, elements.size());
    if (object.constant && object.constant->kind == ConstantKind::Tuple) {
      const std::vector<Constant> &items = object.constant->items;
      v.constant = Constant{.kind = ConstantKind::Tuple,
                            .items = {items.begin() + from, items.begin() + std::max(from, to)}};
    }
    return set(v, tupleType({elements.begin() + from, elements.begin() + std::max(from, to)}));
  }
  if (!index.type.isInteger() && !index.type.isBool())
    errorAt(v, 1, "a tuple's index must be an integer", index.type.name());
  bool uniform =
      !elements.empty() && std::equal(elements.begin() + 1, elements.end(), elements.begin());
  if (!index.constant) {
    if (!uniform || holdsObject(object.type))
      errorAt(v, 1, "the index of a tuple with elements of different types must be a constant",
              object.type.name());
    return set(v, elements[0]);
  }
  int64_t i = index.constant->integer;
  i += i < 0 ? int64_t(elements.size()) : 0;
  if (i < 0 || size_t(i) >= elements.size())
    errorAt(v, 1,
            "tuple index " + std::to_string(index.constant->integer) + " is out of range for " +
                std::to_string(elements.size()) +
                (elements.size() == 1 ? " element" : " elements"));
  if (object.constant && object.constant->kind == ConstantKind::Tuple)
    setKnown(v, object.constant->items[i]);
  return set(v, elements[i]);
}

bool Inference::visitStringIndex(Value &v, const std::string &text, Value &index) {
  std::vector<std::string> characters = charactersOf(text);
  size_t from = 0, to = 0;
  if (index.type == sliceType()) {
    std::tie(from, to) = constantSlice(index, characters.size());
  } else {
    if (!index.type.isInteger() || !index.constant)
      errorAt(v, 1, "the index of a string must be a constant integer", describeType(index));
    int64_t i = index.constant->integer;
    from = size_t(i < 0 ? i + int64_t(characters.size()) : i);
    to = from + 1;
    if (from >= characters.size())
      errorAt(v, 1,
              "string index " + std::to_string(i) + " is out of range for " +
                  std::to_string(characters.size()) +
                  (characters.size() == 1 ? " character" : " characters"));
  }
  std::string part;
  for (; from < to; ++from)
    part += characters[from];
  return setConstant(v, Constant::ofString(std::move(part)));
}

std::pair<size_t, size_t> Inference::constantSlice(Value &index, size_t size) {
  if (index.opcode != Opcode::Slice)
    error(index, "a slice of a tuple or a string must be written in the brackets");
  int64_t bounds[2] = {0, int64_t(size)};
  for (int k = 0; k < 3; ++k) {
    Value &part = *index.operands[k];
    if (part.type.is(TypeKind::None))
      continue;
    if (!part.constant || (k == 2 && part.constant->integer != 1))
      error(part, "a slice of a tuple or a string needs constant bounds and no step");
    if (k < 2) {
      int64_t i = part.constant->integer;
      bounds[k] = std::clamp<int64_t>(i < 0 ? i + int64_t(size) : i, 0, size);
    }
  }
  return {bounds[0], bounds[1]};
}

bool Inference::visitStore(Value &v) {
  Value &object = *v.operands[0], &value = *v.operands[2];
  if (!object.type.isArray() && !object.type.isRecord() && !object.type.isPointer())
    error(v,
          v.name.empty() ? "cannot assign to an element of " + describeType(object)
                         : "cannot assign to attribute '" + v.name + "' of " + describeType(object),
          describeType(object),
          object.type.isTuple() ? "tuples cannot be changed; build a new one" : "");
  Type target = assignedType(v, object.type);
  if (object.type->readOnly)
    error(v,
          std::string("cannot write to a read-only ") +
              (object.type.isArray() ? "array" : "record"),
          object.type.name(),
          object.constant ? "a global array is a constant of the kernel: pass it as an argument"
                          : "pass an array whose flags.writeable is True");
  if (target.isArray()) {
    checkViewStore(v, target);
    return set(v, noneType());
  }
  if (!storable(value.type, target))
    errorAt(v, 2,
            "cannot store " + describeType(value) + " in " +
                (!object.type.isRecord() ? "an element of " + object.type.name()
                                         : "a field of type " + target.name()),
            describeType(value),
            value.type.isComplex() ? "take its real part, x.real, or its size, abs(x)" : "");
  return set(v, noneType());
}

bool Inference::visitTuple(Value &v) {
  std::vector<Type> elements;
  Constant tuple{.kind = ConstantKind::Tuple};
  for (Value *e : v.operands) {
    elements.push_back(e->type);
    tuple.items.push_back(e->constant.value_or(Constant{.kind = ConstantKind::Unknown}));
  }
  v.constant = tuple.isWhole() ? std::optional(std::move(tuple)) : tuple.objects();
  return set(v, tupleType(std::move(elements)));
}

bool Inference::visitUnpack(Value &v) {
  Value &tuple = *v.operands[0];
  bool isCaptured = tuple.type.is(TypeKind::Closure) && !v.count; // for a call of the function
  if (isCaptured) {
    if (tuple.constant)
      setKnown(v, tuple.constant->items[v.index]);
    return set(v, tuple.type->elements[v.index]);
  }
  std::string names = std::to_string(v.count) + (v.count == 1 ? " name" : " names");
  if (!tuple.type.isTuple())
    error(v, "cannot unpack " + describeType(tuple) + " into " + names, describeType(tuple));
  size_t size = tuple.type->elements.size();
  if (size != v.count)
    error(v,
          "cannot unpack " + std::to_string(size) + (size == 1 ? " value" : " values") + " into " +
              names,
          tuple.type.name());
  if (tuple.constant && tuple.constant->kind == ConstantKind::Tuple)
    setKnown(v, tuple.constant->items[v.index]);
  return set(v, tuple.type->elements[v.index]);
}

} // namespace heddle::python
