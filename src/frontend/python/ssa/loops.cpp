// Loops: `while`, `for`, unrolled loops, and prange loops.
#include "frontend/python/ssa/builder.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {

void SsaBuilder::whileLoop(const Node &node) {
  Block *head = newBlock(), *body = newBlock(), *done = newBlock();
  Block *otherwise = node.orelse.empty() ? done : newBlock();
  jump(head, node.span);
  current_ = head;
  condition(*node.kids[0], body, otherwise);
  enter(body);
  loopBody(node, head, done);
  seal(head);
  afterLoop(node, otherwise, done);
}

void SsaBuilder::forLoop(const Node &node) {
  Span at = node.kids[1]->span;
  Value *iterable = container(*node.kids[1]);
  Value *count = append(Opcode::IterCount, at, {iterable});
  count->name = keyOf(node);
  if (std::optional<size_t> copies = copiesOf(count->name)) {
    count->index = true;
    count->count = *copies;
    return unrolledLoop(node, iterable, count);
  }
  std::string counter = temporary();
  write(counter, literal(Constant::ofInt(0), at));
  Block *head = newBlock(), *body = newBlock(), *next = newBlock(), *done = newBlock();
  Block *otherwise = node.orelse.empty() ? done : newBlock();
  jump(head, at);
  current_ = head;
  Value *k = read(counter, at);
  Value *more = append(Opcode::More, at, {k, count});
  finish(Opcode::Branch, at, {more}, {body, otherwise});
  enter(body);
  assign(*node.kids[0], item(*count, at, iterable, k), at);
  loopBody(node, next, done);
  enter(next);
  write(counter, append(Opcode::Advance, at, {k}));
  jump(head, at);
  seal(head);
  afterLoop(node, otherwise, done);
}

void SsaBuilder::unrolledLoop(const Node &node, Value *iterable, Value *count) {
  Span at = node.kids[1]->span;
  std::string outer = copies_;
  Block *done = newBlock();
  Block *otherwise = node.orelse.empty() ? done : newBlock();
  for (size_t k = 0; k < count->count && current_; ++k) {
    copies_ = outer + std::to_string(k) + ",";
    Block *body = newBlock(), *next = newBlock();
    Value *round = literal(Constant::ofInt(int64_t(k)), at);
    finish(Opcode::Branch, at, {append(Opcode::More, at, {round, count})}, {body, otherwise});
    enter(body);
    assign(*node.kids[0], item(*count, at, iterable, round), at);
    loopBody(node, next, done);
    leaveTo(next);
  }
  copies_ = outer;
  jump(otherwise, at);
  afterLoop(node, otherwise, done);
}

void SsaBuilder::parallelLoop(const Node &node) {
  const Node &call = *node.kids[0];
  std::vector<Value *> bounds = elements(call.kids);
  Value *range = appendOfKids(Opcode::Call, call, bounds);
  Value *count = append(Opcode::IterCount, call.span, {range});
  count->name = keyOf(node);
  std::vector<Value *> operands{count};
  for (const Parameter &p : llvm::drop_begin(node.function->parameters, 2)) {
    bool isBound = p.name.starts_with(".bound"), isStart = p.name.starts_with(".start ");
    operands.push_back(isBound   ? bounds[p.name.back() - '0']
                       : isStart ? read(p.name.substr(7), node.span)
                                 : present(p.name, node.span));
  }
  Value *loop = append(Opcode::Parallel, node.span, std::move(operands));
  loop->function = node.function.get();
  for (const std::string &name : node.names)
    afterRounds(node, *loop, name);
  const std::vector<Reduction> &reductions = node.function->reductions;
  for (size_t i = 0; i < reductions.size(); ++i) {
    Value *total = append(Opcode::Unpack, reductions[i].span, {loop});
    total->index = i;
    total->count = reductions.size();
    write(reductions[i].name, total, reductions[i].span);
  }
}

void SsaBuilder::afterRounds(const Node &node, Value &loop, const std::string &name) {
  auto isBefore = [&](const Span &at) { return at.line < node.span.line; };
  Block *done = nullptr;
  if (llvm::any_of(locals_[name], isBefore)) { // it may keep its value
    Block *assigned = newBlock();
    done = newBlock();
    Value *assigns = append(Opcode::Assigns, node.span, {&loop});
    assigns->name = name;
    finish(Opcode::Branch, node.span, {assigns}, {assigned, done});
    enter(assigned);
  }
  Value *after = append(Opcode::Undefined, node.span);
  after->name = name;
  after->function = node.function.get();
  write(name, after);
  noteAssignment(name, node.span);
  if (!done)
    return;
  jump(done, node.span);
  leaveTo(done);
}

void SsaBuilder::roundsOfLoop(const Node &node) {
  Span at = node.kids[1]->span;
  Value *iterable = expression(*node.kids[1]);
  std::string counter = temporary();
  Value *last = read(".last", at);
  write(counter, read(".first", at));
  Block *head = newBlock(), *body = newBlock(), *next = newBlock(), *done = newBlock();
  jump(head, at);
  current_ = head;
  Value *k = read(counter, at);
  finish(Opcode::Branch, at, {append(Opcode::More, at, {k, last})}, {body, done});
  enter(body);
  for (const std::string &name : node.names) {
    std::string start = ".start " + name;
    Value *initial = locals_.count(start) ? read(start, at) : append(Opcode::Undefined, node.span);
    if (initial->opcode == Opcode::Undefined)
      initial->name = name;
    write(name, initial);
  }
  assign(*node.kids[0], append(Opcode::IterValue, at, {iterable, k}), at);
  loopBody(node, next, done);
  enter(next);
  write(counter, append(Opcode::Advance, at, {k}));
  jump(head, at);
  seal(head);
  leaveTo(done);
}

Value *SsaBuilder::item(const Value &count, Span at, Value *iterable, Value *k) {
  Value *v = append(Opcode::IterValue, at, {iterable, k});
  v->name = count.name;
  return v;
}

std::string SsaBuilder::keyOf(const Node &loop) const {
  return "." + std::to_string(loop.span.line) + ":" + std::to_string(loop.span.column) + "/" +
         copies_;
}

std::optional<size_t> SsaBuilder::copiesOf(const std::string &key) const {
  for (const std::string &known : {key, key.substr(0, key.find('/'))})
    if (auto found = f_.unrolled.find(known); found != f_.unrolled.end())
      return found->second == neverUnrolled ? std::nullopt : std::optional(found->second);
  return std::nullopt;
}

void SsaBuilder::afterLoop(const Node &node, Block *otherwise, Block *done) {
  if (otherwise != done) {
    leaveTo(otherwise);
    nested(node.orelse);
    jump(done, node.span);
  }
  leaveTo(done);
}

void SsaBuilder::loopBody(const Node &node, Block *onContinue, Block *onBreak) {
  loops_.push_back({onContinue, onBreak, protections_.size()});
  nested(node.body);
  jump(onContinue, node.span);
  loops_.pop_back();
}

} // namespace heddle::python
