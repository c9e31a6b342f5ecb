// Loops: `while`, `for`, unrolled loops, and prange loops.
#include "frontend/python/ssa/builder.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {

void SsaBuilder::buildWhile(const Node &node) {
  Block *head = newBlock(), *body = newBlock(), *done = newBlock();
  Block *otherwise = node.orelse.empty() ? done : newBlock();
  jump(head, node.span);
  current_ = head;
  buildCondition(*node.children[0], body, otherwise);
  sealAndEnterBlock(body);
  buildLoopBody(node, head, done);
  sealBlock(head);
  buildLoopElse(node, otherwise, done);
}

void SsaBuilder::buildFor(const Node &node) {
  Span at = node.children[1]->span;
  Value *iterable = buildExpressionListAsTuple(*node.children[1]);
  Value *count = append(Opcode::IterCount, at, {iterable});
  count->name = unrolledLoopKey(node);
  if (std::optional<size_t> copies = unrollCount(count->name)) {
    count->index = true;
    count->count = *copies;
    return buildUnrolledLoop(node, iterable, count);
  }
  std::string counter = makeTemporaryName();
  writeVariable(counter, appendConstant(Constant::ofInt(0), at));
  Block *head = newBlock(), *body = newBlock(), *next = newBlock(), *done = newBlock();
  Block *otherwise = node.orelse.empty() ? done : newBlock();
  jump(head, at);
  current_ = head;
  Value *k = readVariable(counter, at);
  Value *more = append(Opcode::More, at, {k, count});
  terminateBlock(Opcode::Branch, at, {more}, {body, otherwise});
  sealAndEnterBlock(body);
  assign(*node.children[0], buildLoopItem(*count, at, iterable, k), at);
  buildLoopBody(node, next, done);
  sealAndEnterBlock(next);
  writeVariable(counter, append(Opcode::Advance, at, {k}));
  jump(head, at);
  sealBlock(head);
  buildLoopElse(node, otherwise, done);
}

void SsaBuilder::buildUnrolledLoop(const Node &node, Value *iterable, Value *count) {
  Span at = node.children[1]->span;
  std::string outer = copies_;
  Block *done = newBlock();
  Block *otherwise = node.orelse.empty() ? done : newBlock();
  for (size_t k = 0; k < count->count && current_; ++k) {
    copies_ = outer + std::to_string(k) + ",";
    Block *body = newBlock(), *next = newBlock();
    Value *iteration = appendConstant(Constant::ofInt(int64_t(k)), at);
    terminateBlock(Opcode::Branch, at, {append(Opcode::More, at, {iteration, count})},
                   {body, otherwise});
    sealAndEnterBlock(body);
    assign(*node.children[0], buildLoopItem(*count, at, iterable, iteration), at);
    buildLoopBody(node, next, done);
    enterBlockIfReachable(next);
  }
  copies_ = outer;
  jump(otherwise, at);
  buildLoopElse(node, otherwise, done);
}

void SsaBuilder::buildParallelLoop(const Node &node) {
  const Node &call = *node.children[0];
  std::vector<Value *> bounds = buildElements(call.children);
  Value *range = appendWithChildSpans(Opcode::Call, call, bounds);
  Value *count = append(Opcode::IterCount, call.span, {range});
  count->name = unrolledLoopKey(node);
  std::vector<Value *> operands{count};
  for (const Parameter &p : llvm::drop_begin(node.function->parameters, 2)) {
    bool isBound = p.name.starts_with(".bound"), isStart = p.name.starts_with(".start ");
    operands.push_back(isBound   ? bounds[p.name.back() - '0']
                       : isStart ? readVariable(p.name.substr(7), node.span)
                                 : readVariableRefreshingClosure(p.name, node.span));
  }
  Value *loop = append(Opcode::Parallel, node.span, std::move(operands));
  loop->function = node.function.get();
  for (const std::string &name : node.names)
    undefineVariableAfterLoop(node, *loop, name);
  const std::vector<Reduction> &reductions = node.function->reductions;
  for (size_t i = 0; i < reductions.size(); ++i) {
    Value *total = append(Opcode::Unpack, reductions[i].span, {loop});
    total->index = i;
    total->count = reductions.size();
    writeVariable(reductions[i].name, total, reductions[i].span);
  }
}

void SsaBuilder::undefineVariableAfterLoop(const Node &node, Value &loop, const std::string &name) {
  auto isBefore = [&](const Span &at) { return at.line < node.span.line; };
  Block *done = nullptr;
  if (llvm::any_of(locals_[name], isBefore)) { // it may keep its value
    Block *assigned = newBlock();
    done = newBlock();
    Value *assigns = append(Opcode::Assigns, node.span, {&loop});
    assigns->name = name;
    terminateBlock(Opcode::Branch, node.span, {assigns}, {assigned, done});
    sealAndEnterBlock(assigned);
  }
  Value *after = append(Opcode::Undefined, node.span);
  after->name = name;
  after->function = node.function.get();
  writeVariable(name, after);
  recordAssignment(name, node.span);
  if (!done)
    return;
  jump(done, node.span);
  enterBlockIfReachable(done);
}

void SsaBuilder::buildChunkLoop(const Node &node) {
  Span at = node.children[1]->span;
  Value *iterable = buildExpression(*node.children[1]);
  std::string counter = makeTemporaryName();
  Value *last = readVariable(".last", at);
  writeVariable(counter, readVariable(".first", at));
  Block *head = newBlock(), *body = newBlock(), *next = newBlock(), *done = newBlock();
  jump(head, at);
  current_ = head;
  Value *k = readVariable(counter, at);
  terminateBlock(Opcode::Branch, at, {append(Opcode::More, at, {k, last})}, {body, done});
  sealAndEnterBlock(body);
  for (const std::string &name : node.names) {
    std::string start = ".start " + name;
    Value *initial =
        locals_.count(start) ? readVariable(start, at) : append(Opcode::Undefined, node.span);
    if (initial->opcode == Opcode::Undefined)
      initial->name = name;
    writeVariable(name, initial);
  }
  assign(*node.children[0], append(Opcode::IterValue, at, {iterable, k}), at);
  buildLoopBody(node, next, done);
  sealAndEnterBlock(next);
  writeVariable(counter, append(Opcode::Advance, at, {k}));
  jump(head, at);
  sealBlock(head);
  enterBlockIfReachable(done);
}

Value *SsaBuilder::buildLoopItem(const Value &count, Span at, Value *iterable, Value *k) {
  Value *v = append(Opcode::IterValue, at, {iterable, k});
  v->name = count.name;
  return v;
}

std::string SsaBuilder::unrolledLoopKey(const Node &loop) const {
  return "." + std::to_string(loop.span.line) + ":" + std::to_string(loop.span.column) + "/" +
         copies_;
}

std::optional<size_t> SsaBuilder::unrollCount(const std::string &key) const {
  for (const std::string &known : {key, key.substr(0, key.find('/'))})
    if (auto found = f_.unrolled.find(known); found != f_.unrolled.end())
      return found->second == neverUnrolled ? std::nullopt : std::optional(found->second);
  return std::nullopt;
}

void SsaBuilder::buildLoopElse(const Node &node, Block *otherwise, Block *done) {
  if (otherwise != done) {
    enterBlockIfReachable(otherwise);
    buildNestedStatements(node.orelse);
    jump(done, node.span);
  }
  enterBlockIfReachable(done);
}

void SsaBuilder::buildLoopBody(const Node &node, Block *onContinue, Block *onBreak) {
  loops_.push_back({onContinue, onBreak, protections_.size()});
  buildNestedStatements(node.body);
  jump(onContinue, node.span);
  loops_.pop_back();
}

} // namespace heddle::python
