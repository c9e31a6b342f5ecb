// Conditions, `if` and `match`.
#include "frontend/python/ssa/builder.h"
#include "frontend/python/syntax/unsupported.h"

namespace heddle::python {

void SsaBuilder::condition(const Node &node, Block *yes, Block *no) {
  if (node.kind == NodeKind::Unary && UnaryOp(node.op) == UnaryOp::Not)
    return condition(*node.kids[0], no, yes);
  if (node.kind == NodeKind::And || node.kind == NodeKind::Or) {
    for (size_t i = 0; i + 1 < node.kids.size(); ++i) {
      Block *next = newBlock();
      condition(*node.kids[i], node.kind == NodeKind::And ? next : yes,
                node.kind == NodeKind::And ? no : next);
      enter(next);
    }
    return condition(*node.kids.back(), yes, no);
  }
  Value *test = truth(expression(node), node.span);
  finish(Opcode::Branch, node.span, {test}, {yes, no});
}

void SsaBuilder::ifStatement(const Node &node) {
  Block *yes = newBlock(), *done = newBlock();
  Block *no = node.orelse.empty() ? done : newBlock();
  condition(*node.kids[0], yes, no);
  enter(yes);
  nested(node.body);
  jump(done, node.span);
  if (no != done) {
    enter(no);
    nested(node.orelse);
    jump(done, node.span);
  }
  leaveTo(done);
}

void SsaBuilder::matchStatement(const Node &node) {
  Value *subject = expression(*node.kids[0]);
  Block *done = newBlock();
  for (const NodePtr &alternative : node.body) {
    const Node &pattern = *alternative->kids[0];
    Block *body = newBlock(), *next = newBlock();
    matchPattern(pattern, subject, node.kids[0]->span, next);
    if (const NodePtr &guard = alternative->kids[1])
      condition(*guard, body, next);
    else
      jump(body, pattern.span);
    enter(body);
    nested(alternative->body);
    jump(done, node.span);
    leaveTo(next);
    if (!current_)
      break; // the pattern matches everything
  }
  jump(done, node.span);
  leaveTo(done);
}

void SsaBuilder::matchPattern(const Node &pattern, Value *v, Span from, Block *otherwise) {
  switch (pattern.kind) {
  case NodeKind::MatchValue: {
    Block *fits = newBlock();
    Value *test = compare(pattern.op, v, *pattern.kids[0], pattern.span);
    finish(Opcode::Branch, pattern.span, {truth(test, pattern.span)}, {fits, otherwise});
    return enter(fits);
  }
  case NodeKind::MatchAs:
    if (pattern.kids[0])
      matchPattern(*pattern.kids[0], v, from, otherwise);
    if (pattern.text.empty())
      return;
    write(pattern.text, v, from);
    return noteAssignment(pattern.text, pattern.span, v);
  case NodeKind::MatchOr: {
    Block *fits = newBlock();
    for (const NodePtr &one : pattern.kids) {
      Block *next = one == pattern.kids.back() ? otherwise : newBlock();
      matchPattern(*one, v, from, next);
      jump(fits, one->span);
      if (next == otherwise)
        break;
      leaveTo(next);
      if (!current_)
        break;
    }
    return enter(fits);
  }
  default:
    unsupported(pattern, pattern.text + " are not supported in " + f_.rules->plural,
                insteadOf(pattern.text));
  }
}

} // namespace heddle::python
