// Types of objects with named parts: records, named tuples, enum members.

#include "frontend/python/infer/visits.h"
#include "frontend/python/rows/indexing.h"
#include "frontend/python/types/records.h"

#include <algorithm>

namespace heddle::python {

const Field &fieldSelectedByKey(FunctionTyping &t, const Value &v, Type record) {
  const Value &key = *v.operands[1];
  if (!key.constant || (!key.type.isString() && !key.type.isInteger()))
    t.errorAt(v, 1, "a field is selected by a constant string", describeType(key),
              "write r['x'] or r.x");
  const Field *field = selectField(record, *key.constant);
  if (!field)
    fail(t.source, v.spanOf(1), ErrorKind::Member,
         "the record has no field " + key.constant->describe(), "", describeFields(record));
  return *field;
}

Type pointerElementType(FunctionTyping &t, const Value &v) {
  Type pointer = v.operands[0]->type, index = v.operands[1]->type;
  if (!index.isInteger())
    t.errorAt(v, 1, "the index of a pointer must be an integer", index.name());
  if (!pointer->element.canBeArrayElement())
    t.errorAt(v, 0, "this pointer has no element type", pointer.name(),
              "carray(ptr, shape, dtype) makes it an array");
  return pointer->element.isRecord() ? recordTypeInSpace(pointer->element, pointer->space, false)
                                     : typeAfterLoad(pointer->element);
}

Type typeOfAssignmentTarget(FunctionTyping &t, const Value &v, Type object) {
  if (object.isRecord())
    return fieldType(object, fieldSelectedByKey(t, v, object));
  if (object.isPointer())
    return pointerElementType(t, v);
  if (v.name.empty() && !v.operands[1]->type.isString())
    return typeOfIndexing(object, parseIndex(t.function, v));
  if (object->element.isRecord())
    return fieldArrayType(object, fieldSelectedByKey(t, v, object->element));
  if (v.name.empty())
    return typeOfIndexing(object,
                          parseIndex(t.function, v)); // throws an error that shows the index
  t.error(v, "cannot assign to attribute '" + v.name + "' of " + object.name());
}

Member addConstantToMember(const Constant &object, const std::string &name, Member member) {
  if (object.kind == ConstantKind::Tuple) {
    // The items of a literal list have no names.
    for (size_t i = 0; object.type && member.type && i < object.type->names.size(); ++i)
      if (object.type->names[i] == name && object.items[i].kind != ConstantKind::Unknown)
        member.constant = object.items[i];
  } else if (name == "name") {
    member.constant = Constant::ofString(object.text);
    member.type = constantStringType();
  } else if (name == "value") {
    member.constant = object;
    member.constant->type = member.type;
    member.constant->text.clear();
  }
  return member;
}

bool visitNamedTupleConstructor(FunctionTyping &t, Value &v, const Constant &tupleClass) {
  const std::vector<std::string> &names = tupleClass.type->names;
  size_t positional = v.operands.size() - 1 - v.names.size(), count = names.size();
  auto wrong = [&](const std::string &message) {
    std::string head = tupleClass.text + "(";
    for (size_t i = 0; i < count; ++i)
      head += (i ? ", " : "") + names[i];
    t.error(v, tupleClass.text + "() " + message, "", "it is defined as " + head + ")");
  };
  if (positional > count)
    wrong("has " + std::to_string(count) + " fields, " + std::to_string(positional) +
          " values were given");
  std::vector<Value *> fields(count, nullptr);
  std::vector<Span> spans(count, v.span);
  for (size_t k = 0; k + 1 < v.operands.size(); ++k) {
    size_t i = k;
    if (k >= positional)
      i = std::find(names.begin(), names.end(), v.names[k - positional]) - names.begin();
    if (i == count || fields[i])
      wrong("got " + std::string(i == count ? "an unknown" : "a second") + " field '" +
            v.names[k - positional] + "'");
    fields[i] = v.operands[k + 1];
    spans[i] = v.spanOf(k + 1);
  }
  std::vector<Type> types;
  for (size_t i = 0; i < count; ++i) {
    if (!fields[i]) {
      size_t first = count - tupleClass.items.size(); // defaults belong to the last fields
      if (i < first)
        wrong("needs a value for '" + names[i] + "'");
      fields[i] = t.function.makeValue(Opcode::Constant, v.span);
      fields[i]->constant = tupleClass.items[i - first];
      fields[i]->type = fields[i]->constant->valueType();
      fields[i]->block = v.block;
    }
    types.push_back(fields[i]->type);
  }
  fields.insert(fields.begin(), v.operands[0]);
  spans.insert(spans.begin(), v.spanOf(0));
  v.operands = std::move(fields);
  v.operandSpans = std::move(spans);
  v.names.clear();
  return setType(v, tupleTypeLike(tupleClass.type, std::move(types)));
}

bool visitEnumCompare(FunctionTyping &t, Value &v) {
  Value &a = *v.operands[0], &b = *v.operands[1];
  CompareOp op = CompareOp(v.op);
  bool integers = a.type.isInteger() && b.type.isInteger();
  if (op == CompareOp::Is || op == CompareOp::IsNot) {
    op = op == CompareOp::Is ? CompareOp::Eq : CompareOp::Ne;
    integers = false; // members of different enums may be equal, but never identical
  }
  bool equality = op == CompareOp::Eq || op == CompareOp::Ne;
  if (!equality && (!integers || op > CompareOp::Ge))
    t.error(v, "enum members cannot be compared with " + std::string(symbolOf(CompareOp(v.op))),
            describeType(a) + " and " + describeType(b),
            "compare with ==, or compare their .value");
  if (!equality)
    return setType(v, boolType());
  bool sameKind = a.type == b.type || integers;
  if (sameKind && !(a.constant && b.constant)) {
    v.op = uint8_t(op);
    return setType(v, boolType());
  }
  bool same = sameKind && a.constant->integer == b.constant->integer &&
              a.constant->real == b.constant->real;
  return setConstant(v, Constant::ofBool(same == (op == CompareOp::Eq)));
}

} // namespace heddle::python
