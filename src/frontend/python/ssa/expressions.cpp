// Expressions.
#include "frontend/python/ssa/builder.h"
#include "frontend/python/syntax/unsupported.h"
#include "frontend/python/types/literal_lists.h"

#include <set>

namespace heddle::python {

Value *SsaBuilder::appendOf(Opcode opcode, const Node &node, std::vector<Value *> operands,
                            std::initializer_list<const Node *> nodes) {
  Value *v = append(opcode, node.span, std::move(operands));
  for (const Node *n : nodes)
    v->operandSpans.push_back(n->span);
  return v;
}

Value *SsaBuilder::appendOfKids(Opcode opcode, const Node &node, std::vector<Value *> operands) {
  Value *v = append(opcode, node.span, std::move(operands));
  for (const NodePtr &kid : node.kids)
    v->operandSpans.push_back(kid ? kid->span : node.span);
  return v;
}

std::string SsaBuilder::temporary() { return "." + std::to_string(temporaries_++); }

Value *SsaBuilder::expression(const Node &node) {
  switch (node.kind) {
  case NodeKind::Name:
    return nameValue(node);
  case NodeKind::Literal:
    return literal(node.value, node.span);
  case NodeKind::Binary: {
    Value *left = expression(*node.kids[0]);
    Value *right = expression(*node.kids[1]);
    Value *v = appendOfKids(Opcode::Binary, node, {left, right});
    v->op = node.op;
    return v;
  }
  case NodeKind::Unary: {
    Value *operand = expression(*node.kids[0]);
    if (UnaryOp(node.op) == UnaryOp::Not)
      operand = append(Opcode::Truth, node.kids[0]->span, {operand});
    Value *v = appendOfKids(Opcode::Unary, node, {operand});
    v->op = node.op;
    return v;
  }
  case NodeKind::And:
  case NodeKind::Or:
    return shortCircuit(node);
  case NodeKind::Compare:
    return node.ops.size() == 1
               ? compare(node.ops[0], expression(*node.kids[0]), *node.kids[1], node.span)
               : chainedCompare(node);
  case NodeKind::Call:
    return call(node);
  case NodeKind::IfElse:
    return conditional(node);
  case NodeKind::Attribute: {
    Value *v = appendOfKids(Opcode::Attribute, node, {expression(*node.kids[0])});
    v->name = node.text;
    return v;
  }
  case NodeKind::Subscript: {
    Value *object = expression(*node.kids[0]);
    Value *index = expression(*node.kids[1]);
    return appendOfKids(Opcode::Index, node, {object, index});
  }
  case NodeKind::Slice: {
    std::vector<Value *> parts;
    for (const NodePtr &kid : node.kids)
      parts.push_back(kid ? expression(*kid) : literal(Constant{}, node.span));
    return appendOfKids(Opcode::Slice, node, std::move(parts));
  }
  case NodeKind::Tuple:
    return appendOfKids(Opcode::Tuple, node, elements(node.kids));
  case NodeKind::List:
    if (f_.rules->makesArrays)
      return appendOfKids(Opcode::List, node, elements(node.kids));
    unsupported(node, node.text + " are not supported in " + f_.rules->plural,
                insteadOf(node.text));
  case NodeKind::Dict:
    return dict(node);
  case NodeKind::Set:
    return set(node);
  case NodeKind::Comprehension:
    return comprehension(node);
  case NodeKind::Walrus: {
    Value *v = expression(*node.kids[1]);
    assign(*node.kids[0], v, node.kids[1]->span);
    return v;
  }
  case NodeKind::Lambda:
    return closure(node);
  case NodeKind::Yield: {
    if (!f_.rules->makesArrays || !source_.yields)
      unsupported(node,
                  f_.rules->makesArrays ? "yield is not supported here"
                                        : "generators are not supported in " + f_.rules->plural,
                  insteadOf("generators"));
    if (!node.text.empty())
      unsupported(node, "yield from is not supported in " + f_.rules->plural,
                  insteadOf("yield from"));
    Value *given = node.kids.empty() ? literal(Constant{}, node.span) : expression(*node.kids[0]);
    return appendOfKids(Opcode::Yield, node, {given});
  }
  case NodeKind::Starred:
    unsupported(node,
                "unpacking with * outside of a call or a tuple is not supported in " +
                    f_.rules->plural,
                "concatenate tuples with +");
  default:
    unsupported(node, node.text + " are not supported in " + f_.rules->plural,
                insteadOf(node.text));
  }
}

std::vector<Value *> SsaBuilder::elements(const std::vector<NodePtr> &nodes, bool takesLists) {
  std::vector<Value *> values;
  for (const NodePtr &node : nodes) {
    values.push_back(node->kind == NodeKind::Starred
                         ? appendOfKids(Opcode::Starred, *node, {expression(*node->kids[0])})
                     : node->kind == NodeKind::List && takesLists
                         ? appendOfKids(Opcode::Tuple, *node, elements(node->kids, true))
                         : expression(*node));
    if (node->kind == NodeKind::List && takesLists)
      values.back()->name = nameOfArgumentLists;
  }
  return values;
}

void SsaBuilder::needContainers(const Node &node, const std::string &noun) {
  if (!f_.rules->makesArrays)
    unsupported(node, noun + " are not supported in " + f_.rules->plural, insteadOf(noun));
}

Value *SsaBuilder::dict(const Node &node) {
  needContainers(node, "dicts");
  Value *made = append(Opcode::Dict, node.span);
  for (size_t i = 0; i < node.kids.size(); i += 2) {
    const Node &key = *node.kids[i], &item = *node.kids[i + 1];
    Value *k = expression(key), *v = expression(item);
    append(Opcode::StoreIndex, node.span, {made, k, v})->operandSpans = {node.span, key.span,
                                                                         item.span};
  }
  return made;
}

Value *SsaBuilder::set(const Node &node) {
  needContainers(node, "sets");
  Value *made = append(Opcode::Set, node.span);
  for (const NodePtr &kid : node.kids) {
    Value *item = expression(*kid);
    Value *add = append(Opcode::Attribute, kid->span, {made});
    add->name = "add";
    append(Opcode::Call, node.span, {add, item});
  }
  return made;
}

Value *SsaBuilder::comprehension(const Node &node) {
  needContainers(node, node.names[0]);
  Opcode made = node.names[0] == "dict comprehensions"  ? Opcode::Dict
                : node.names[0] == "set comprehensions" ? Opcode::Set
                                                        : Opcode::List;
  write(node.text, append(made, node.span));
  statements(node.body);
  return read(node.text, node.span);
}

Value *SsaBuilder::container(const Node &node) {
  return node.kind == NodeKind::List ? appendOfKids(Opcode::Tuple, node, elements(node.kids))
                                     : expression(node);
}

Value *SsaBuilder::compare(uint8_t op, Value *left, const Node &right, Span span) {
  bool isIn = CompareOp(op) == CompareOp::In || CompareOp(op) == CompareOp::NotIn;
  Value *v = append(Opcode::Compare, span, {left, isIn ? container(right) : expression(right)});
  v->op = op;
  return v;
}

Value *SsaBuilder::chainedCompare(const Node &node) {
  std::string result = temporary();
  Block *done = newBlock();
  Value *left = expression(*node.kids[0]);
  for (size_t i = 0; i < node.ops.size(); ++i) {
    Value *test = compare(node.ops[i], left, *node.kids[i + 1], node.span);
    left = test->operands[1];
    write(result, test);
    if (i + 1 == node.ops.size()) {
      jump(done, node.span);
      break;
    }
    Block *next = newBlock();
    finish(Opcode::Branch, node.span, {truth(test, node.span)}, {next, done});
    enter(next);
  }
  enter(done);
  return read(result, node.span);
}

Value *SsaBuilder::shortCircuit(const Node &node) {
  std::string result = temporary();
  Block *done = newBlock();
  for (size_t i = 0; i < node.kids.size(); ++i) {
    Value *v = expression(*node.kids[i]);
    write(result, v);
    if (i + 1 == node.kids.size()) {
      jump(done, node.span);
      break;
    }
    Block *next = newBlock();
    Value *test = truth(v, node.kids[i]->span);
    bool isAnd = node.kind == NodeKind::And;
    finish(Opcode::Branch, node.span, {test}, {isAnd ? next : done, isAnd ? done : next});
    enter(next);
  }
  enter(done);
  return read(result, node.span);
}

Value *SsaBuilder::conditional(const Node &node) {
  std::string result = temporary();
  Block *yes = newBlock(), *no = newBlock(), *done = newBlock();
  condition(*node.kids[0], yes, no);
  enter(yes);
  Value *a = expression(*node.kids[1]);
  write(result, a);
  jump(done, node.span);
  enter(no);
  Value *b = expression(*node.kids[2]);
  write(result, b);
  jump(done, node.span);
  enter(done);
  return read(result, node.span);
}

std::optional<Constant> SsaBuilder::globalNamed(const Node &node) {
  if (node.kind == NodeKind::Name && !locals_.count(node.text))
    return source_.environment->lookup(node.text);
  if (node.kind != NodeKind::Attribute)
    return {};
  std::optional<Constant> owner = globalNamed(*node.kids[0]);
  bool isModule = owner && owner->kind == ConstantKind::Namespace && owner->object;
  return isModule ? owner->object->attribute(node.text) : std::nullopt;
}

bool SsaBuilder::takesTuples(const Node &function) {
  static const std::set<std::string> ofLists = {"append", "insert", "remove",     "index",
                                                "count",  "get",    "setdefault", "pop"};
  std::optional<Constant> named = globalNamed(function);
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
  const Node *root = function.kids[0].get();
  while (root->kind == NodeKind::Attribute)
    root = root->kids[0].get();
  return root->kind == NodeKind::Name && !locals_.count(root->text);
}

Value *SsaBuilder::call(const Node &node) {
  Value *v = appendOfKids(Opcode::Call, node, elements(node.kids, takesTuples(*node.kids[0])));
  v->names = node.names;
  return v;
}

Value *SsaBuilder::truth(Value *v, Span span) { return append(Opcode::Truth, span, {v}); }

} // namespace heddle::python
