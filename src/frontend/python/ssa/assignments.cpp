// Assignments to names, elements and attributes, and del statements.
#include "frontend/python/ssa/builder.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {
namespace {

/// True if `v` is a tuple display of `count` elements. Each target then gets its element as in a separate statement, so
/// that the type of an element such as an empty list can follow from another.
bool isTupleDisplay(const Value &v, size_t count) {
  return v.opcode == Opcode::Tuple && v.operands.size() == count &&
         llvm::none_of(v.operands,
                       [](const Value *element) { return element->opcode == Opcode::Starred; });
}

} // namespace

void SsaBuilder::assign(const Node &target, Value *v, Span from) {
  switch (target.kind) {
  case NodeKind::Name:
    if (!locals_.count(target.text))
      failUnsupported(target,
                      "assignment to the global '" + target.text + "' is not supported in " +
                          f_.rules->plural,
                      "pass an array of one element and write to it");
    if (auto type = source_.declaredVariables.find(target.text);
        type != source_.declaredVariables.end() && type->second.canBeArrayElement())
      v = append(Opcode::Call, from, {appendConstant(Constant::ofType(type->second), from), v});
    writeVariable(target.text, v, from);
    return recordAssignment(target.text, target.span, v);
  case NodeKind::Tuple:
    if (isTupleDisplay(*v, target.children.size())) {
      for (auto [kid, element] : llvm::zip_equal(target.children, v->operands))
        assign(*kid, element, from);
      return;
    }
    for (size_t i = 0; i < target.children.size(); ++i) {
      Value *part = append(Opcode::Unpack, target.span, {v});
      part->index = i;
      part->count = target.children.size();
      assign(*target.children[i], part, from);
    }
    return;
  case NodeKind::Subscript: {
    Value *object = buildExpression(*target.children[0]);
    Value *index = buildExpression(*target.children[1]);
    Value *store = appendWithNodeSpans(Opcode::StoreIndex, target, {object, index, v},
                                       {target.children[0].get(), target.children[1].get()});
    store->operandSpans.push_back(from);
    return;
  }
  case NodeKind::Attribute:
    storeField(target, buildExpression(*target.children[0]), v, from);
    return;
  default:
    failUnsupported(target, "this assignment target is not supported in " + f_.rules->plural);
  }
}

void SsaBuilder::storeField(const Node &target, Value *object, Value *v, Span from) {
  Value *name = appendConstant(Constant::ofString(target.text), target.span);
  Value *store = append(Opcode::StoreIndex, target.span, {object, name, v});
  store->name = target.text;
  store->operandSpans = {target.children[0]->span, target.span, from};
}

void SsaBuilder::buildAugmentedAssignment(const Node &node) {
  const Node &target = *node.children[0];
  auto combine = [&](Value *old) {
    Value *operand = buildExpression(*node.children[1]);
    Value *v = appendWithChildSpans(Opcode::Binary, node, {old, operand});
    v->op = node.op;
    v->inPlace = true;
    return v;
  };
  if (target.kind == NodeKind::Name)
    return assign(target, combine(buildName(target)), node.children[1]->span);
  if (target.kind == NodeKind::Attribute) {
    Value *object = buildExpression(*target.children[0]);
    Value *old = appendWithChildSpans(Opcode::Attribute, target, {object});
    old->name = target.text;
    storeField(target, object, combine(old), node.span);
    return;
  }
  if (target.kind != NodeKind::Subscript)
    failUnsupported(target, "this assignment target is not supported in " + f_.rules->plural);
  Value *object = buildExpression(*target.children[0]);
  Value *index = buildExpression(*target.children[1]);
  Value *v = combine(appendWithChildSpans(Opcode::Index, target, {object, index}));
  Value *store = appendWithChildSpans(Opcode::StoreIndex, target, {object, index, v});
  store->operandSpans.push_back(node.span);
}

void SsaBuilder::deleteTarget(const Node &target) {
  if (target.kind == NodeKind::Tuple) {
    for (const NodePtr &kid : target.children)
      deleteTarget(*kid);
    return;
  }
  if (target.kind == NodeKind::Subscript && f_.rules->makesArrays) {
    Value *object = buildExpression(*target.children[0]);
    Value *method = appendWithChildSpans(Opcode::Attribute, target, {object});
    method->name = "__delitem__";
    Value *index = buildExpression(*target.children[1]);
    std::vector<Value *> call{method};
    if (index->opcode == Opcode::Slice) // list methods take the bounds separately
      call.insert(call.end(), index->operands.begin(), index->operands.end());
    else
      call.push_back(index);
    append(Opcode::Call, target.span, std::move(call));
    return;
  }
  if (target.kind != NodeKind::Name)
    failUnsupported(target,
                    "del of an element or an attribute is not supported in " + f_.rules->plural,
                    "del takes the names of variables");
  Value *v = append(Opcode::Undefined, target.span);
  v->name = target.text;
  writeVariable(target.text, v);
  recordAssignment(target.text, target.span);
}

} // namespace heddle::python
