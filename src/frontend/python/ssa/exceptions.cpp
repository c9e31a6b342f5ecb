// `try`, `raise` and `assert`.
#include "frontend/python/ssa/builder.h"
#include "frontend/python/syntax/unsupported.h"

namespace heddle::python {
namespace {

/// Collects the pieces of an f-string: strings, and calls that format a value. True if there are any calls.
bool addPieces(const Node &node, std::vector<const Node *> &parts) {
  if (node.kind == NodeKind::Binary && BinaryOp(node.op) == BinaryOp::Add) {
    bool left = addPieces(*node.kids[0], parts), right = addPieces(*node.kids[1], parts);
    return left || right;
  }
  parts.push_back(&node);
  return node.kind == NodeKind::Call && node.kids[0]->kind == NodeKind::Literal &&
         node.kids[0]->value.text == "builtins.str";
}

} // namespace

void SsaBuilder::tryStatement(const Node &node) {
  if (f_.rules->raise != Raise::Throws)
    unsupported(node, "try statements are not supported in " + f_.rules->plural,
                insteadOf("try statements"));
  node.orelse[0]->kind == NodeKind::Finally ? tryFinally(node) : tryExcept(node);
}

void SsaBuilder::tryExcept(const Node &node) {
  Block *handler = newBlock(), *done = newBlock();
  guarded(node.body, handler, nullptr, node.span);
  if (current_ && node.orelse.back()->kind == NodeKind::Else)
    nested(node.orelse.back()->body);
  jump(done, node.span);
  leaveTo(handler);
  if (current_)
    exceptClauses(node, done);
  leaveTo(done);
}

void SsaBuilder::exceptClauses(const Node &node, Block *done) {
  Value *caught = append(Opcode::Caught, node.orelse[0]->span);
  for (const NodePtr &clause : node.orelse) {
    if (clause->kind != NodeKind::Except || !current_)
      break;
    Block *next = nullptr;
    if (clause->kids[0]) {
      Block *body = newBlock();
      next = newBlock();
      Span at = clause->kids[0]->span;
      Value *test = append(Opcode::Catches, at, {caught, expression(*clause->kids[0])});
      finish(Opcode::Branch, at, {test}, {body, next});
      enter(body);
    }
    exceptClause(*clause, caught);
    jump(done, clause->span);
    current_ = nullptr;
    if (next)
      enter(next);
  }
  if (current_)
    raiseAgain(caught, node.span);
}

void SsaBuilder::exceptClause(const Node &clause, Value *caught) {
  if (!clause.text.empty()) {
    write(clause.text, caught);
    noteAssignment(clause.text, clause.span);
  }
  caught_.push_back(caught);
  nested(clause.body);
  caught_.pop_back();
  if (clause.text.empty() || !current_)
    return;
  Value *gone = append(Opcode::Undefined, clause.span);
  gone->name = clause.text;
  write(clause.text, gone);
}

void SsaBuilder::tryFinally(const Node &node) {
  const Node &last = *node.orelse[0];
  Block *handler = newBlock(), *done = newBlock();
  guarded(node.body, handler, &last, node.span);
  if (current_)
    nested(last.body);
  jump(done, node.span);
  leaveTo(handler);
  if (current_) {
    Value *caught = append(Opcode::Caught, last.span);
    nested(last.body);
    if (current_)
      raiseAgain(caught, last.span);
  }
  leaveTo(done);
}

void SsaBuilder::guarded(const std::vector<NodePtr> &list, Block *handler, const Node *finally,
                         Span span) {
  protections_.push_back({handler, finally, loops_.size()});
  protectBy(handler, span);
  nested(list);
  protections_.pop_back();
  protectByInnermost(span);
}

void SsaBuilder::protectByInnermost(Span span) {
  protectBy(protections_.empty() ? nullptr : protections_.back().handler, span);
}

void SsaBuilder::leaveProtections(size_t kept, Span span, llvm::function_ref<void()> leave) {
  std::vector<Protection> around = protections_;
  std::vector<Loop> loopsAround = loops_;
  while (current_ && protections_.size() > kept) {
    const Node *finally = protections_.back().finally;
    loops_.resize(protections_.back().loops);
    protections_.pop_back();
    if (!finally)
      continue;
    protectByInnermost(span);
    nested(finally->body);
  }
  if (current_)
    leave();
  protections_ = std::move(around);
  loops_ = std::move(loopsAround);
  protectByInnermost(span);
}

void SsaBuilder::raiseStatement(const Node &node) {
  if (node.kids.empty() && !caught_.empty())
    return raiseAgain(caught_.back(), node.span);
  if (node.kids.empty()) { // outside an except clause there is no exception to raise again
    append(Opcode::Raise, node.span,
           {literal({.kind = ConstantKind::Exception, .text = "RuntimeError"}, node.span),
            literal(Constant::ofString("no active exception to raise again"), node.span)});
    current_ = nullptr;
    return;
  }
  const Node &what = *node.kids[0];
  if (what.kind != NodeKind::Call) {
    appendOf(Opcode::Raise, node, {expression(what)}, {&what});
  } else {
    std::vector<Value *> operands{expression(*what.kids[0])};
    std::vector<Span> spans{what.kids[0]->span};
    std::vector<std::string> pieces;
    for (size_t i = 1; i < what.kids.size(); ++i)
      addArgument(*what.kids[i], operands, spans, pieces);
    raise(node, std::move(operands), std::move(spans), std::move(pieces));
  }
  current_ = nullptr;
}

void SsaBuilder::raiseAgain(Value *caught, Span span) {
  append(Opcode::Raise, span, {caught});
  current_ = nullptr;
}

void SsaBuilder::raise(const Node &node, std::vector<Value *> operands, std::vector<Span> spans,
                       std::vector<std::string> pieces) {
  Value *v = append(Opcode::Raise, node.span, std::move(operands));
  v->operandSpans = std::move(spans);
  v->names = std::move(pieces);
}

void SsaBuilder::assertStatement(const Node &node) {
  Block *wrong = newBlock(), *right = newBlock();
  condition(*node.kids[0], right, wrong);
  enter(wrong);
  std::vector<Value *> operands{
      literal({.kind = ConstantKind::Exception, .text = "AssertionError"}, node.span)};
  std::vector<Span> spans{node.span};
  std::vector<std::string> pieces;
  if (node.kids.size() > 1)
    addArgument(*node.kids[1], operands, spans, pieces);
  raise(node, std::move(operands), std::move(spans), std::move(pieces));
  enter(right);
}

void SsaBuilder::addArgument(const Node &node, std::vector<Value *> &operands,
                             std::vector<Span> &spans, std::vector<std::string> &pieces) {
  std::vector<const Node *> parts;
  bool isText = f_.rules->raise == Raise::Throws && addPieces(node, parts);
  if (!isText)
    parts = {&node};
  for (const Node *part : parts) {
    bool isWritten = isText && part->kind == NodeKind::Call;
    operands.push_back(expression(isWritten ? *part->kids[1] : *part));
    spans.push_back(part->span);
    pieces.push_back(!isText ? "" : part == parts.front() ? "text" : "more");
  }
}

} // namespace heddle::python
