// `try`, `raise` and `assert`.
#include "frontend/python/ssa/builder.h"
#include "frontend/python/syntax/unsupported.h"

namespace heddle::python {
namespace {

/// Collects the pieces of an f-string: strings, and calls that format a value. True if there are any calls.
bool collectFStringPieces(const Node &node, std::vector<const Node *> &parts) {
  if (node.kind == NodeKind::Binary && BinaryOp(node.op) == BinaryOp::Add) {
    bool left = collectFStringPieces(*node.children[0], parts),
         right = collectFStringPieces(*node.children[1], parts);
    return left || right;
  }
  parts.push_back(&node);
  return node.kind == NodeKind::Call && node.children[0]->kind == NodeKind::Literal &&
         node.children[0]->value.text == "builtins.str";
}

} // namespace

void SsaBuilder::buildTry(const Node &node) {
  if (f_.rules->raise != Raise::Throws)
    failUnsupported(node, "try statements are not supported in " + f_.rules->plural,
                    hintForUnsupported("try statements"));
  node.orelse[0]->kind == NodeKind::Finally ? buildTryFinally(node) : buildTryExcept(node);
}

void SsaBuilder::buildTryExcept(const Node &node) {
  Block *handler = newBlock(), *done = newBlock();
  buildStatementsWithHandler(node.body, handler, nullptr, node.span);
  if (current_ && node.orelse.back()->kind == NodeKind::Else)
    buildNestedStatements(node.orelse.back()->body);
  jump(done, node.span);
  enterBlockIfReachable(handler);
  if (current_)
    buildExceptClauses(node, done);
  enterBlockIfReachable(done);
}

void SsaBuilder::buildExceptClauses(const Node &node, Block *done) {
  Value *caught = append(Opcode::Caught, node.orelse[0]->span);
  for (const NodePtr &clause : node.orelse) {
    if (clause->kind != NodeKind::Except || !current_)
      break;
    Block *next = nullptr;
    if (clause->children[0]) {
      Block *body = newBlock();
      next = newBlock();
      Span at = clause->children[0]->span;
      Value *test = append(Opcode::Catches, at, {caught, buildExpression(*clause->children[0])});
      terminateBlock(Opcode::Branch, at, {test}, {body, next});
      sealAndEnterBlock(body);
    }
    buildExceptClause(*clause, caught);
    jump(done, clause->span);
    current_ = nullptr;
    if (next)
      sealAndEnterBlock(next);
  }
  if (current_)
    appendReraise(caught, node.span);
}

void SsaBuilder::buildExceptClause(const Node &clause, Value *caught) {
  if (!clause.text.empty()) {
    writeVariable(clause.text, caught);
    recordAssignment(clause.text, clause.span);
  }
  caught_.push_back(caught);
  buildNestedStatements(clause.body);
  caught_.pop_back();
  if (clause.text.empty() || !current_)
    return;
  Value *gone = append(Opcode::Undefined, clause.span);
  gone->name = clause.text;
  writeVariable(clause.text, gone);
}

void SsaBuilder::buildTryFinally(const Node &node) {
  const Node &last = *node.orelse[0];
  Block *handler = newBlock(), *done = newBlock();
  buildStatementsWithHandler(node.body, handler, &last, node.span);
  if (current_)
    buildNestedStatements(last.body);
  jump(done, node.span);
  enterBlockIfReachable(handler);
  if (current_) {
    Value *caught = append(Opcode::Caught, last.span);
    buildNestedStatements(last.body);
    if (current_)
      appendReraise(caught, last.span);
  }
  enterBlockIfReachable(done);
}

void SsaBuilder::buildStatementsWithHandler(const std::vector<NodePtr> &list, Block *handler,
                                            const Node *finally, Span span) {
  protections_.push_back({handler, finally, loops_.size()});
  setExceptionHandler(handler, span);
  buildNestedStatements(list);
  protections_.pop_back();
  restoreHandler(span);
}

void SsaBuilder::restoreHandler(Span span) {
  setExceptionHandler(protections_.empty() ? nullptr : protections_.back().handler, span);
}

void SsaBuilder::leaveWithFinallyClauses(size_t kept, Span span, llvm::function_ref<void()> leave) {
  std::vector<Protection> around = protections_;
  std::vector<Loop> loopsAround = loops_;
  while (current_ && protections_.size() > kept) {
    const Node *finally = protections_.back().finally;
    loops_.resize(protections_.back().loops);
    protections_.pop_back();
    if (!finally)
      continue;
    restoreHandler(span);
    buildNestedStatements(finally->body);
  }
  if (current_)
    leave();
  protections_ = std::move(around);
  loops_ = std::move(loopsAround);
  restoreHandler(span);
}

void SsaBuilder::buildRaise(const Node &node) {
  if (node.children.empty() && !caught_.empty())
    return appendReraise(caught_.back(), node.span);
  if (node.children.empty()) { // outside an except clause there is no exception to raise again
    append(Opcode::Raise, node.span,
           {appendConstant({.kind = ConstantKind::Exception, .text = "RuntimeError"}, node.span),
            appendConstant(Constant::ofString("No active exception to reraise"), node.span)});
    current_ = nullptr;
    return;
  }
  const Node &what = *node.children[0];
  if (what.kind != NodeKind::Call) {
    appendWithNodeSpans(Opcode::Raise, node, {buildExpression(what)}, {&what});
  } else {
    std::vector<Value *> operands{buildExpression(*what.children[0])};
    std::vector<Span> spans{what.children[0]->span};
    std::vector<std::string> pieces;
    for (size_t i = 1; i < what.children.size(); ++i)
      addExceptionArgument(*what.children[i], operands, spans, pieces);
    appendRaise(node, std::move(operands), std::move(spans), std::move(pieces));
  }
  current_ = nullptr;
}

void SsaBuilder::appendReraise(Value *caught, Span span) {
  append(Opcode::Raise, span, {caught});
  current_ = nullptr;
}

void SsaBuilder::appendRaise(const Node &node, std::vector<Value *> operands,
                             std::vector<Span> spans, std::vector<std::string> pieces) {
  Value *v = append(Opcode::Raise, node.span, std::move(operands));
  v->operandSpans = std::move(spans);
  v->names = std::move(pieces);
}

void SsaBuilder::buildAssert(const Node &node) {
  Block *wrong = newBlock(), *right = newBlock();
  buildCondition(*node.children[0], right, wrong);
  sealAndEnterBlock(wrong);
  std::vector<Value *> operands{
      appendConstant({.kind = ConstantKind::Exception, .text = "AssertionError"}, node.span)};
  std::vector<Span> spans{node.span};
  std::vector<std::string> pieces;
  if (node.children.size() > 1)
    addExceptionArgument(*node.children[1], operands, spans, pieces);
  appendRaise(node, std::move(operands), std::move(spans), std::move(pieces));
  sealAndEnterBlock(right);
}

void SsaBuilder::addExceptionArgument(const Node &node, std::vector<Value *> &operands,
                                      std::vector<Span> &spans, std::vector<std::string> &pieces) {
  std::vector<const Node *> parts;
  bool isText = f_.rules->raise == Raise::Throws && collectFStringPieces(node, parts);
  if (!isText)
    parts = {&node};
  for (const Node *part : parts) {
    bool isWritten = isText && part->kind == NodeKind::Call;
    operands.push_back(buildExpression(isWritten ? *part->children[1] : *part));
    spans.push_back(part->span);
    pieces.push_back(!isText ? "" : part == parts.front() ? "text" : "more");
  }
}

} // namespace heddle::python
