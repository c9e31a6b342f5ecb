// Assignments to names, elements and attributes, and del statements.
#include "frontend/python/ssa/builder.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {
namespace {

/// True if `v` is a tuple display of `count` elements. Each target then gets its element as in a separate statement, so
/// that the type of an element such as an empty list can follow from another.
bool isWrittenTuple(const Value &v, size_t count) {
  return v.opcode == Opcode::Tuple && v.operands.size() == count &&
         llvm::none_of(v.operands,
                       [](const Value *element) { return element->opcode == Opcode::Starred; });
}

} // namespace

void SsaBuilder::assign(const Node &target, Value *v, Span from) {
  switch (target.kind) {
  case NodeKind::Name:
    if (!locals_.count(target.text))
      unsupported(target,
                  "assignment to the global '" + target.text + "' is not supported in " +
                      f_.rules->plural,
                  "pass an array of one element and write to it");
    if (auto type = source_.declaredVariables.find(target.text);
        type != source_.declaredVariables.end() && type->second.isElement())
      v = append(Opcode::Call, from, {literal(Constant::ofType(type->second), from), v});
    write(target.text, v, from);
    return noteAssignment(target.text, target.span, v);
  case NodeKind::Tuple:
    if (isWrittenTuple(*v, target.kids.size())) {
      for (auto [kid, element] : llvm::zip_equal(target.kids, v->operands))
        assign(*kid, element, from);
      return;
    }
    for (size_t i = 0; i < target.kids.size(); ++i) {
      Value *part = append(Opcode::Unpack, target.span, {v});
      part->index = i;
      part->count = target.kids.size();
      assign(*target.kids[i], part, from);
    }
    return;
  case NodeKind::Subscript: {
    Value *object = expression(*target.kids[0]);
    Value *index = expression(*target.kids[1]);
    Value *store = appendOf(Opcode::StoreIndex, target, {object, index, v},
                            {target.kids[0].get(), target.kids[1].get()});
    store->operandSpans.push_back(from);
    return;
  }
  case NodeKind::Attribute:
    storeField(target, expression(*target.kids[0]), v, from);
    return;
  default:
    unsupported(target, "this assignment target is not supported in " + f_.rules->plural);
  }
}

void SsaBuilder::storeField(const Node &target, Value *object, Value *v, Span from) {
  Value *name = literal(Constant::ofString(target.text), target.span);
  Value *store = append(Opcode::StoreIndex, target.span, {object, name, v});
  store->name = target.text;
  store->operandSpans = {target.kids[0]->span, target.span, from};
}

void SsaBuilder::augmented(const Node &node) {
  const Node &target = *node.kids[0];
  auto combine = [&](Value *old) {
    Value *operand = expression(*node.kids[1]);
    Value *v = appendOfKids(Opcode::Binary, node, {old, operand});
    v->op = node.op;
    v->inPlace = true;
    return v;
  };
  if (target.kind == NodeKind::Name)
    return assign(target, combine(nameValue(target)), node.kids[1]->span);
  if (target.kind == NodeKind::Attribute) {
    Value *object = expression(*target.kids[0]);
    Value *old = appendOfKids(Opcode::Attribute, target, {object});
    old->name = target.text;
    storeField(target, object, combine(old), node.span);
    return;
  }
  if (target.kind != NodeKind::Subscript)
    unsupported(target, "this assignment target is not supported in " + f_.rules->plural);
  Value *object = expression(*target.kids[0]);
  Value *index = expression(*target.kids[1]);
  Value *v = combine(appendOfKids(Opcode::Index, target, {object, index}));
  Value *store = appendOfKids(Opcode::StoreIndex, target, {object, index, v});
  store->operandSpans.push_back(node.span);
}

void SsaBuilder::deleteTarget(const Node &target) {
  if (target.kind == NodeKind::Tuple) {
    for (const NodePtr &kid : target.kids)
      deleteTarget(*kid);
    return;
  }
  if (target.kind == NodeKind::Subscript && f_.rules->makesArrays) {
    Value *object = expression(*target.kids[0]);
    Value *method = appendOfKids(Opcode::Attribute, target, {object});
    method->name = "__delitem__";
    Value *index = expression(*target.kids[1]);
    std::vector<Value *> call{method};
    if (index->opcode == Opcode::Slice) // list methods take the bounds separately
      call.insert(call.end(), index->operands.begin(), index->operands.end());
    else
      call.push_back(index);
    append(Opcode::Call, target.span, std::move(call));
    return;
  }
  if (target.kind != NodeKind::Name)
    unsupported(target, "del of an element or an attribute is not supported in " + f_.rules->plural,
                "del takes the names of variables");
  Value *v = append(Opcode::Undefined, target.span);
  v->name = target.text;
  write(target.text, v);
  noteAssignment(target.text, target.span);
}

} // namespace heddle::python
