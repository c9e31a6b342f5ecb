// Expressions.
#include "frontend/python/ssa/builder.h"
#include "frontend/python/syntax/unsupported.h"
#include "frontend/python/types/literal_lists.h"

#include <set>

namespace heddle::python {

Value *SsaBuilder::appendWithNodeSpans(Opcode opcode, const Node &node,
                                       std::vector<Value *> operands,
                                       std::initializer_list<const Node *> nodes) {
  Value *v = append(opcode, node.span, std::move(operands));
  for (const Node *n : nodes)
    v->operandSpans.push_back(n->span);
  return v;
}

Value *SsaBuilder::appendWithChildSpans(Opcode opcode, const Node &node,
                                        std::vector<Value *> operands) {
  Value *v = append(opcode, node.span, std::move(operands));
  for (const NodePtr &kid : node.children)
    v->operandSpans.push_back(kid ? kid->span : node.span);
  return v;
}

std::string SsaBuilder::makeTemporaryName() { return "." + std::to_string(temporaries_++); }

Value *SsaBuilder::buildExpression(const Node &node) {
  switch (node.kind) {
  case NodeKind::Name:
    return buildName(node);
  case NodeKind::Literal:
    return appendConstant(node.value, node.span);
  case NodeKind::Binary: {
    Value *left = buildExpression(*node.children[0]);
    Value *right = buildExpression(*node.children[1]);
    Value *v = appendWithChildSpans(Opcode::Binary, node, {left, right});
    v->op = node.op;
    return v;
  }
  case NodeKind::Unary: {
    Value *operand = buildExpression(*node.children[0]);
    if (UnaryOp(node.op) == UnaryOp::Not)
      operand = append(Opcode::Truth, node.children[0]->span, {operand});
    Value *v = appendWithChildSpans(Opcode::Unary, node, {operand});
    v->op = node.op;
    return v;
  }
  case NodeKind::And:
  case NodeKind::Or:
    return buildShortCircuit(node);
  case NodeKind::Compare:
    return node.ops.size() == 1 ? buildCompare(node.ops[0], buildExpression(*node.children[0]),
                                               *node.children[1], node.span)
                                : buildChainedCompare(node);
  case NodeKind::Call:
    return buildCall(node);
  case NodeKind::IfElse:
    return buildConditional(node);
  case NodeKind::Attribute: {
    Value *v = appendWithChildSpans(Opcode::Attribute, node, {buildExpression(*node.children[0])});
    v->name = node.text;
    return v;
  }
  case NodeKind::Subscript: {
    Value *object = buildExpression(*node.children[0]);
    Value *index = buildExpression(*node.children[1]);
    return appendWithChildSpans(Opcode::Index, node, {object, index});
  }
  case NodeKind::Slice: {
    std::vector<Value *> parts;
    for (const NodePtr &kid : node.children)
      parts.push_back(kid ? buildExpression(*kid) : appendConstant(Constant{}, node.span));
    return appendWithChildSpans(Opcode::Slice, node, std::move(parts));
  }
  case NodeKind::Tuple:
    return appendWithChildSpans(Opcode::Tuple, node, buildElements(node.children));
  case NodeKind::List:
    if (f_.rules->makesArrays)
      return appendWithChildSpans(Opcode::List, node, buildElements(node.children));
    failUnsupported(node, node.text + " are not supported in " + f_.rules->plural,
                    hintForUnsupported(node.text));
  case NodeKind::Dict:
    return buildDict(node);
  case NodeKind::Set:
    return buildSet(node);
  case NodeKind::Comprehension:
    return buildComprehension(node);
  case NodeKind::Walrus: {
    Value *v = buildExpression(*node.children[1]);
    assign(*node.children[0], v, node.children[1]->span);
    return v;
  }
  case NodeKind::Lambda:
    return buildClosure(node);
  case NodeKind::Yield: {
    if (!f_.rules->makesArrays || !source_.yields)
      failUnsupported(node,
                      f_.rules->makesArrays ? "yield is not supported here"
                                            : "generators are not supported in " + f_.rules->plural,
                      hintForUnsupported("generators"));
    if (!node.text.empty())
      failUnsupported(node, "yield from is not supported in " + f_.rules->plural,
                      hintForUnsupported("yield from"));
    Value *given = node.children.empty() ? appendConstant(Constant{}, node.span)
                                         : buildExpression(*node.children[0]);
    return appendWithChildSpans(Opcode::Yield, node, {given});
  }
  case NodeKind::Starred:
    failUnsupported(node,
                    "unpacking with * outside of a call or a tuple is not supported in " +
                        f_.rules->plural,
                    "concatenate tuples with +");
  default:
    failUnsupported(node, node.text + " are not supported in " + f_.rules->plural,
                    hintForUnsupported(node.text));
  }
}

std::vector<Value *> SsaBuilder::buildElements(const std::vector<NodePtr> &nodes, bool takesLists) {
  std::vector<Value *> values;
  for (const NodePtr &node : nodes) {
    values.push_back(
        node->kind == NodeKind::Starred
            ? appendWithChildSpans(Opcode::Starred, *node, {buildExpression(*node->children[0])})
        : node->kind == NodeKind::List && takesLists
            ? appendWithChildSpans(Opcode::Tuple, *node, buildElements(node->children, true))
            : buildExpression(*node));
    if (node->kind == NodeKind::List && takesLists)
      values.back()->name = nameOfArgumentLists;
  }
  return values;
}

void SsaBuilder::requireContainerSupport(const Node &node, const std::string &noun) {
  if (!f_.rules->makesArrays)
    failUnsupported(node, noun + " are not supported in " + f_.rules->plural,
                    hintForUnsupported(noun));
}

Value *SsaBuilder::buildDict(const Node &node) {
  requireContainerSupport(node, "dicts");
  Value *made = append(Opcode::Dict, node.span);
  for (size_t i = 0; i < node.children.size(); i += 2) {
    const Node &key = *node.children[i], &item = *node.children[i + 1];
    Value *k = buildExpression(key), *v = buildExpression(item);
    append(Opcode::StoreIndex, node.span, {made, k, v})->operandSpans = {node.span, key.span,
                                                                         item.span};
  }
  return made;
}

Value *SsaBuilder::buildSet(const Node &node) {
  requireContainerSupport(node, "sets");
  Value *made = append(Opcode::Set, node.span);
  for (const NodePtr &kid : node.children) {
    Value *item = buildExpression(*kid);
    Value *add = append(Opcode::Attribute, kid->span, {made});
    add->name = "add";
    append(Opcode::Call, node.span, {add, item});
  }
  return made;
}

Value *SsaBuilder::buildComprehension(const Node &node) {
  requireContainerSupport(node, node.names[0]);
  Opcode made = node.names[0] == "dict comprehensions"  ? Opcode::Dict
                : node.names[0] == "set comprehensions" ? Opcode::Set
                                                        : Opcode::List;
  writeVariable(node.text, append(made, node.span));
  buildStatements(node.body);
  return readVariable(node.text, node.span);
}

Value *SsaBuilder::buildExpressionListAsTuple(const Node &node) {
  return node.kind == NodeKind::List
             ? appendWithChildSpans(Opcode::Tuple, node, buildElements(node.children))
             : buildExpression(node);
}

Value *SsaBuilder::buildCompare(uint8_t op, Value *left, const Node &right, Span span) {
  bool isIn = CompareOp(op) == CompareOp::In || CompareOp(op) == CompareOp::NotIn;
  Value *v = append(Opcode::Compare, span,
                    {left, isIn ? buildExpressionListAsTuple(right) : buildExpression(right)});
  v->op = op;
  return v;
}

Value *SsaBuilder::buildChainedCompare(const Node &node) {
  std::string result = makeTemporaryName();
  Block *done = newBlock();
  Value *left = buildExpression(*node.children[0]);
  for (size_t i = 0; i < node.ops.size(); ++i) {
    Value *test = buildCompare(node.ops[i], left, *node.children[i + 1], node.span);
    left = test->operands[1];
    writeVariable(result, test);
    if (i + 1 == node.ops.size()) {
      jump(done, node.span);
      break;
    }
    Block *next = newBlock();
    terminateBlock(Opcode::Branch, node.span, {buildTruth(test, node.span)}, {next, done});
    sealAndEnterBlock(next);
  }
  sealAndEnterBlock(done);
  return readVariable(result, node.span);
}

Value *SsaBuilder::buildShortCircuit(const Node &node) {
  std::string result = makeTemporaryName();
  Block *done = newBlock();
  for (size_t i = 0; i < node.children.size(); ++i) {
    Value *v = buildExpression(*node.children[i]);
    writeVariable(result, v);
    if (i + 1 == node.children.size()) {
      jump(done, node.span);
      break;
    }
    Block *next = newBlock();
    Value *test = buildTruth(v, node.children[i]->span);
    bool isAnd = node.kind == NodeKind::And;
    terminateBlock(Opcode::Branch, node.span, {test}, {isAnd ? next : done, isAnd ? done : next});
    sealAndEnterBlock(next);
  }
  sealAndEnterBlock(done);
  return readVariable(result, node.span);
}

Value *SsaBuilder::buildConditional(const Node &node) {
  std::string result = makeTemporaryName();
  Block *yes = newBlock(), *no = newBlock(), *done = newBlock();
  buildCondition(*node.children[0], yes, no);
  sealAndEnterBlock(yes);
  Value *a = buildExpression(*node.children[1]);
  writeVariable(result, a);
  jump(done, node.span);
  sealAndEnterBlock(no);
  Value *b = buildExpression(*node.children[2]);
  writeVariable(result, b);
  jump(done, node.span);
  sealAndEnterBlock(done);
  return readVariable(result, node.span);
}

std::optional<Constant> SsaBuilder::lookupConstant(const Node &node) {
  if (node.kind == NodeKind::Name && !locals_.count(node.text))
    return source_.environment->findConstant(node.text);
  if (node.kind != NodeKind::Attribute)
    return {};
  std::optional<Constant> owner = lookupConstant(*node.children[0]);
  bool isModule = owner && owner->kind == ConstantKind::Namespace && owner->object;
  return isModule ? owner->object->attribute(node.text) : std::nullopt;
}

bool SsaBuilder::takesListLiteralsAsTuples(const Node &function) {
  static const std::set<std::string> ofLists = {"append", "insert", "remove",     "index",
                                                "count",  "get",    "setdefault", "pop"};
  std::optional<Constant> named = lookupConstant(function);
  if (!f_.rules->makesArrays)
    return named && (named->text == "builtins.max" || named->text == "builtins.min");
  bool isOfProgram =
      named && (named->kind == ConstantKind::Function ||
                (named->kind == ConstantKind::Overload && named->text.starts_with("function ")));
  if (function.kind == NodeKind::Name)
    return named && !isOfProgram && named->text != "builtins.print" &&
           named->text != "builtins.isinstance";
  if (isOfProgram)
    return false;
  if (function.kind != NodeKind::Attribute || !ofLists.count(function.text))
    return true;
  const Node *root = function.children[0].get();
  while (root->kind == NodeKind::Attribute)
    root = root->children[0].get();
  return root->kind == NodeKind::Name && !locals_.count(root->text);
}

Value *SsaBuilder::buildCall(const Node &node) {
  Value *v = appendWithChildSpans(
      Opcode::Call, node,
      buildElements(node.children, takesListLiteralsAsTuples(*node.children[0])));
  v->names = node.names;
  return v;
}

Value *SsaBuilder::buildTruth(Value *v, Span span) { return append(Opcode::Truth, span, {v}); }

} // namespace heddle::python
