// Conditions, `if` and `match`.
#include "frontend/python/ssa/builder.h"
#include "frontend/python/syntax/unsupported.h"

namespace heddle::python {

void SsaBuilder::buildCondition(const Node &node, Block *yes, Block *no) {
  if (node.kind == NodeKind::Unary && UnaryOp(node.op) == UnaryOp::Not)
    return buildCondition(*node.children[0], no, yes);
  if (node.kind == NodeKind::And || node.kind == NodeKind::Or) {
    for (size_t i = 0; i + 1 < node.children.size(); ++i) {
      Block *next = newBlock();
      buildCondition(*node.children[i], node.kind == NodeKind::And ? next : yes,
                     node.kind == NodeKind::And ? no : next);
      sealAndEnterBlock(next);
    }
    return buildCondition(*node.children.back(), yes, no);
  }
  Value *test = buildTruth(buildExpression(node), node.span);
  terminateBlock(Opcode::Branch, node.span, {test}, {yes, no});
}

void SsaBuilder::buildIf(const Node &node) {
  Block *yes = newBlock(), *done = newBlock();
  Block *no = node.orelse.empty() ? done : newBlock();
  buildCondition(*node.children[0], yes, no);
  sealAndEnterBlock(yes);
  buildNestedStatements(node.body);
  jump(done, node.span);
  if (no != done) {
    sealAndEnterBlock(no);
    buildNestedStatements(node.orelse);
    jump(done, node.span);
  }
  enterBlockIfReachable(done);
}

void SsaBuilder::buildMatch(const Node &node) {
  Value *subject = buildExpression(*node.children[0]);
  Block *done = newBlock();
  for (const NodePtr &alternative : node.body) {
    const Node &pattern = *alternative->children[0];
    Block *body = newBlock(), *next = newBlock();
    buildPatternMatch(pattern, subject, node.children[0]->span, next);
    if (const NodePtr &guard = alternative->children[1])
      buildCondition(*guard, body, next);
    else
      jump(body, pattern.span);
    sealAndEnterBlock(body);
    buildNestedStatements(alternative->body);
    jump(done, node.span);
    enterBlockIfReachable(next);
    if (!current_)
      break; // the pattern matches everything
  }
  jump(done, node.span);
  enterBlockIfReachable(done);
}

void SsaBuilder::buildPatternMatch(const Node &pattern, Value *v, Span from, Block *otherwise) {
  switch (pattern.kind) {
  case NodeKind::MatchValue: {
    Block *fits = newBlock();
    Value *test = buildCompare(pattern.op, v, *pattern.children[0], pattern.span);
    terminateBlock(Opcode::Branch, pattern.span, {buildTruth(test, pattern.span)},
                   {fits, otherwise});
    return sealAndEnterBlock(fits);
  }
  case NodeKind::MatchAs:
    if (pattern.children[0])
      buildPatternMatch(*pattern.children[0], v, from, otherwise);
    if (pattern.text.empty())
      return;
    writeVariable(pattern.text, v, from);
    return recordAssignment(pattern.text, pattern.span, v);
  case NodeKind::MatchOr: {
    Block *fits = newBlock();
    for (const NodePtr &one : pattern.children) {
      Block *next = one == pattern.children.back() ? otherwise : newBlock();
      buildPatternMatch(*one, v, from, next);
      jump(fits, one->span);
      if (next == otherwise)
        break;
      enterBlockIfReachable(next);
      if (!current_)
        break;
    }
    return sealAndEnterBlock(fits);
  }
  default:
    failUnsupported(pattern, pattern.text + " are not supported in " + f_.rules->plural,
                    hintForUnsupported(pattern.text));
  }
}

} // namespace heddle::python
