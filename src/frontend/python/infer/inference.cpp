#include "frontend/python/infer/inference.h"
#include "frontend/python/infer/check_captures.h"
#include "frontend/python/types/iteration.h"

#include "frontend/python/rows/indexing.h"
#include "frontend/python/rows/row.h"

#include <algorithm>
#include <set>

namespace heddle::python {
namespace {

std::string trimmed(const std::string &line) {
  size_t start = line.find_first_not_of(" \t");
  return start == std::string::npos ? "" : line.substr(start);
}

} // namespace

std::string variableName(const std::string &name) {
  return name.empty() || name[0] == '.' ? "this expression" : "'" + name + "'";
}

std::string describeType(const Value &v) {
  if (v.type == objectType() && v.constant)
    return v.constant->describe();
  return v.type.name();
}

bool Inference::run() {
  orderBlocks();
  unsigned rounds = 0;
  for (bool changed = true; changed;) {
    keepTypes_ = ++rounds > mostRounds;
    postponed_.clear();
    question_ = nullptr;
    doubted_ = nullptr;
    changes_ = markReachable();
    visitBlocks(0, order_.size());
    if (rebuild_)
      return false;
    changed = changes_;
    if (!changed && question_ && dependsOnPostponed(*question_))
      changed = mixIntegers_ = true; // the question is about a type that is not the last
    answer_ = !changed && question_;
    if (answer_) {
      changed = true;
      rounds = 0;
    }
    if (!changed && !postponed_.empty() && !mixIntegers_)
      changed = mixIntegers_ = true;
  }
  if (doubted_)
    std::rethrow_exception(doubted_);
  return true;
}

bool Inference::hasOpenQuestion() {
  return llvm::any_of(f_.blocks, [&](const std::unique_ptr<Block> &block) {
    return llvm::any_of(block->values, [&](const Value *v) {
      return v->opcode == Opcode::Call && !v->type && asksForType(*v);
    });
  });
}

bool Inference::visitWithDoubt(Value &v) {
  try {
    return visit(v);
  } catch (const CompileError &) {
    bool isAnswer = v.opcode == Opcode::Call && asksForType(v);
    if (isAnswer || !hasOpenQuestion())
      throw;
    if (!doubted_)
      doubted_ = std::current_exception();
    return false;
  }
}

void Inference::visitBlocks(size_t begin, size_t end) {
  for (size_t i = begin; i < end && !rebuild_; i = std::max(i + 1, loopEnds_[i])) {
    unsigned before, rounds = 0;
    do {
      before = changes_;
      visitBlock(*order_[i]);
      visitBlocks(i + 1, loopEnds_[i]);
    } while (loopEnds_[i] && changes_ != before && ++rounds < mostRounds && !rebuild_);
  }
}

void Inference::visitBlock(Block &block) {
  if (!block.reachable)
    return;
  for (size_t i = 0; i < block.values.size() && !rebuild_; ++i) // a visit may insert values
    changes_ += visitWithDoubt(*block.values[i]);
  changes_ += reachSuccessors(block);
}

void Inference::checkComplete() {
  for (auto &block : f_.blocks)
    for (Value *v : block->values)
      if (block->reachable && v->opcode == Opcode::Call && !v->type &&
          std::all_of(v->operands.begin(), v->operands.end(), [](Value *o) { return o->type; }))
        fail(source_, v->span, ErrorKind::Typing,
             "cannot tell the type of this recursive call: no path returns without another call",
             "", "add a path that returns a value without calling '" + source_.name + "'");
  checkAssigned();
  checkCalled();
  checkCaptures(f_);
  if (!f_.result)
    f_.result = noneType(); // every path ends in raise or in an endless loop
}

void Inference::checkAssigned() {
  for (auto &block : f_.blocks)
    for (Value *v : block->values)
      for (Value *&operand : v->operands)
        if (block->reachable && v->opcode != Opcode::Phi && operand->opcode == Opcode::Phi &&
            !operand->type)
          errorAt(*v, &operand - v->operands.data(),
                  "variable " + variableName(operand->name) + " is used before it is assigned", "",
                  hintForUnassigned(source_, operand->name));
}

void Inference::checkCalled() {
  std::set<const Value *> used;
  for (auto &v : f_.values)
    used.insert(v->operands.begin(), v->operands.end());
  for (auto &block : f_.blocks)
    for (Value *v : block->values)
      if (block->reachable && !used.count(v) && v->constant &&
          v->constant->kind == ConstantKind::Intrinsic &&
          (v->opcode == Opcode::Attribute || v->opcode == Opcode::Global))
        error(*v, std::string(shownName(v->constant->text)) + " is named here, but not called", "",
              "write " + std::string(shownName(v->constant->text)) + "()");
}

Type Inference::merge(Type a, Type b, const Value &at) {
  Type merged = unify(a, b);
  if (mixIntegers_ || !a || !merged.isFloat() || a.isFloat() || b.isFloat())
    return merged;
  postponed_.insert(&at);
  return a;
}

bool Inference::dependsOnPostponed(const Value &v) const {
  std::set<const Value *> seen;
  std::vector<const Value *> rest{&v};
  while (!rest.empty() && !postponed_.empty()) {
    const Value *next = rest.back();
    rest.pop_back();
    if (!seen.insert(next).second)
      continue;
    if (postponed_.count(next))
      return true;
    rest.insert(rest.end(), next->operands.begin(), next->operands.end());
  }
  return false;
}

void Inference::orderBlocks() {
  struct Step {
    Block *block;
    size_t
        left; ///< successors: the last first, so that a loop's blocks come before what follows it
  };
  Block *first = f_.blocks[0].get();
  std::vector<Step> stack{{first, first->successors.size()}};
  std::set<Block *> seen{first};
  while (!stack.empty()) {
    auto &[block, left] = stack.back();
    if (!left) {
      order_.push_back(block);
      stack.pop_back();
    } else if (Block *s = block->successors[--left]; seen.insert(s).second) {
      stack.push_back({s, s->successors.size()});
    }
  }
  std::reverse(order_.begin(), order_.end());
  std::map<Block *, size_t> places;
  for (size_t i = 0; i < order_.size(); ++i) {
    places[order_[i]] = i;
    loopEnds_.push_back(0);
    for (Block *s : order_[i]->successors)
      if (auto head = places.find(s); head != places.end())
        loopEnds_[head->second] = i + 1;
  }
  for (size_t head = order_.size(); head-- > 0;) // a loop ends where those in it do
    for (size_t i = head + 1; i < loopEnds_[head]; ++i)
      loopEnds_[head] = std::max(loopEnds_[head], loopEnds_[i]);
}

bool Inference::markReachable() {
  bool changed = false;
  std::vector<Block *> work{f_.blocks[0].get()};
  std::set<Block *> seen{work[0]};
  while (!work.empty()) {
    Block *block = work.back();
    work.pop_back();
    for (Block *s : block->successors)
      if (isLiveEdge(*block, *s) && branchKnown(*block) && seen.insert(s).second)
        work.push_back(s);
  }
  for (auto &block : f_.blocks) {
    bool reachable = seen.count(block.get()) || (keepTypes_ && block->reachable);
    changed |= reachable != block->reachable;
    block->reachable = reachable;
  }
  return changed;
}

bool Inference::reachSuccessors(Block &block) {
  bool changed = false;
  for (Block *s : block.successors)
    if (!s->reachable && isLiveEdge(block, *s) && branchKnown(block))
      changed = s->reachable = true;
  return changed;
}

bool Inference::branchKnown(const Block &block) {
  const Value &end = *block.values.back();
  return end.opcode != Opcode::Branch || end.operands[0]->type;
}

namespace {

/// Whether what is known of such a value follows from its operands; a name's is looked up once.
bool isComputed(Opcode opcode) {
  return opcode != Opcode::Constant && opcode != Opcode::Parameter && opcode != Opcode::Global &&
         opcode != Opcode::Attribute;
}

} // namespace

bool Inference::visit(Value &v) {
  if (v.opcode == Opcode::Phi)
    return visitPhi(v);
  for (Value *&operand : v.operands)
    if (!operand->type) {
      if (operand->opcode == Opcode::Undefined)
        errorAt(v, &operand - v.operands.data(),
                "variable " + variableName(operand->name) + " is used before it is assigned", "",
                hintForUnassigned(source_, operand->name));
      return false;
    }
  unwrapOptionals(v);
  if (isComputed(v.opcode))
    v.constant.reset(); // it may follow from a type that is another one now
  switch (v.opcode) {
  case Opcode::Parameter:
  case Opcode::Undefined:
  case Opcode::Jump:
  case Opcode::Branch:
  case Opcode::Phi:
    return false;
  case Opcode::Constant:
    return set(v, v.constant->valueType());
  case Opcode::Global:
    return visitGlobal(v);
  case Opcode::Unary:
    return visitUnary(v);
  case Opcode::Binary:
    return visitBinary(v);
  case Opcode::Compare:
    return visitCompare(v);
  case Opcode::Truth:
    return visitTruth(v);
  case Opcode::Attribute:
    return visitAttribute(v);
  case Opcode::Index:
    return visitIndex(v);
  case Opcode::StoreIndex:
    return visitStore(v);
  case Opcode::Call:
    return visitCall(v);
  case Opcode::Tuple:
    return visitTuple(v);
  case Opcode::Unpack:
    return visitUnpack(v);
  case Opcode::Slice:
    for (size_t i = 0; i < v.operands.size(); ++i)
      if (Type t = v.operands[i]->type; !t.isInteger() && !t.isBool() && !t.is(TypeKind::None))
        errorAt(v, i, "slice bounds must be integers", t.name());
    return set(v, sliceType());
  case Opcode::IterCount:
    return visitIterCount(v);
  case Opcode::IterValue:
    return visitIterValue(v);
  case Opcode::Closure:
    return visitClosure(v);
  case Opcode::Unwrap:
    return visitUnwrap(v);
  case Opcode::Starred:
    if (!v.operands[0]->type.isTuple())
      error(v, "* in a call takes a tuple, not " + describeType(*v.operands[0]));
    return set(v, v.operands[0]->type);
  case Opcode::Advance:
    return set(v, int64Type());
  case Opcode::More:
    if (v.operands[0]->constant && v.operands[1]->constant)
      v.constant =
          Constant::ofBool(v.operands[0]->constant->integer < v.operands[1]->constant->integer);
    return set(v, boolType());
  case Opcode::Raise:
    return visitRaise(v);
  case Opcode::Return:
    return visitReturn(v);
  }
  return false;
}

Value *Inference::insertBefore(Value &at, Opcode opcode, Span span, std::vector<Value *> operands) {
  Value *v = f_.make(opcode, span);
  v->operands = std::move(operands);
  v->block = at.block;
  std::vector<Value *> &values = at.block->values;
  values.insert(std::find(values.begin(), values.end(), &at), v);
  return v;
}

void Inference::unwrapOperand(Value &v, size_t operand) {
  Value *optional = v.operands[operand];
  if (!optional->type.is(TypeKind::Optional))
    return;
  Span span = v.spanOf(operand);
  while (v.operandSpans.size() < v.operands.size())
    v.operandSpans.push_back(v.operands[v.operandSpans.size()]->span);
  v.operands[operand] = insertBefore(v, Opcode::Unwrap, span, {optional});
  visit(*v.operands[operand]);
}

void Inference::unwrapOptionals(Value &v) {
  auto isNone = [&](size_t i) { return v.operands[i]->type.is(TypeKind::None); };
  switch (v.opcode) {
  case Opcode::Phi:
  case Opcode::Truth:
  case Opcode::Tuple:
  case Opcode::Unpack:
  case Opcode::Closure:
  case Opcode::Return:
  case Opcode::Unwrap:
  case Opcode::Call: // what it calls decides
    return;
  case Opcode::Compare:
    if (isNone(0) || isNone(1))
      return;
    break;
  default:
    break;
  }
  for (size_t i = 0; i < v.operands.size(); ++i)
    unwrapOperand(v, i);
}

bool Inference::visitUnwrap(Value &v) {
  Type type = v.operands[0]->type;
  return set(v, type.is(TypeKind::Optional) ? type->element : type);
}

bool Inference::visitPhi(Value &phi) {
  Type type = keepTypes_ ? phi.type : Type();
  unsigned live = 0;
  for (size_t i = 0; i < phi.operands.size(); ++i) {
    Block *from = phi.block->predecessors[i];
    Value *operand = phi.operands[i];
    if (!from->reachable || !isLiveEdge(*from, *phi.block) || !operand->type)
      continue;
    if (holdsObject(operand->type) && !mergeConstant(phi, *operand))
      error(phi, variableName(phi.name) + " is a different object on each path",
            describeType(*operand),
            "functions, modules, types and strings must be the same on every path");
    if (++live > 1 && operand->type.is(TypeKind::Closure) && !operand->type->elements.empty())
      error(*operand, "the function " + variableName(phi.name) + " may have captured other values",
            "", "define it where every path passes, before the branch or the loop");
    Type merged = merge(type, operand->type, phi);
    if (!merged)
      mergeError(phi, type, *operand);
    type = merged;
  }
  return type && set(phi, type);
}

bool Inference::mergeConstant(Value &phi, const Value &operand) {
  std::optional<Constant> objects =
      operand.constant ? operand.constant->objects() : std::optional<Constant>();
  if (!phi.constant)
    phi.constant = objects;
  return objects && *phi.constant == *objects;
}

namespace {

/// A value that a variable is given, and where the program gives it.
struct Assignment {
  const Value *value;
  Span span;
};

/// The assignments that reach a merge of a variable's values, through other merges of it.
void collectAssignments(const Value &phi, std::set<const Value *> &seen,
                        std::vector<Assignment> &out) {
  if (!seen.insert(&phi).second)
    return;
  for (size_t i = 0; i < phi.operands.size(); ++i) {
    const Value &operand = *phi.operands[i];
    if (operand.opcode == Opcode::Phi && operand.name == phi.name)
      collectAssignments(operand, seen, out);
    else if (operand.type)
      out.push_back({&operand, phi.spanOf(i)});
  }
}

} // namespace

void Inference::mergeError(const Value &phi, Type type, const Value &second) {
  std::set<const Value *> seen;
  std::vector<Assignment> all;
  collectAssignments(phi, seen, all);
  std::sort(all.begin(), all.end(), [](const Assignment &a, const Assignment &b) {
    return std::pair(a.span.line, a.span.column) < std::pair(b.span.line, b.span.column);
  });
  std::string hint = "give the two values different names, or convert one of them";
  for (const Assignment &later : all)
    for (const Assignment &earlier : all) {
      if (&earlier == &later)
        break;
      if (unify(earlier.value->type, later.value->type))
        continue;
      auto note = [&](const Assignment &a) {
        return describeType(*a.value) + " in line " + std::to_string(a.span.line) + ": " +
               trimmed(source_.text.line(a.span.line));
      };
      fail(source_, later.span, ErrorKind::Typing,
           variableName(phi.name) + " cannot be both " + describeType(*earlier.value) + " and " +
               describeType(*later.value),
           describeType(*later.value), hint, {note(earlier), note(later)});
    }
  error(second,
        variableName(phi.name) + " cannot be both " + type.name() + " and " + second.type.name(),
        second.type.name(), hint);
}

const std::optional<Constant> &Inference::global(const std::string &name) {
  auto [known, isNew] = globals_.try_emplace(name);
  if (isNew)
    known->second = source_.environment->lookup(name);
  return known->second;
}

bool Inference::visitGlobal(Value &v) {
  if (v.type)
    return false;
  const std::optional<Constant> &bound = global(v.name);
  if (!bound) {
    std::string near = nearest(v.name, source_.environment->names());
    error(v, "name '" + v.name + "' is not defined", "",
          near.empty() ? "" : "did you mean '" + near + "'?");
  }
  return resolved(v, *bound, v.name);
}

bool Inference::resolved(Value &v, Constant constant, const std::string &name) {
  if (constant.kind == ConstantKind::Intrinsic) {
    const LibraryEntry *entry = findLibraryEntry(constant.text);
    if (!entry)
      error(v, constant.text + " is not supported in kernels", "", suggestion(constant.text));
    if (entry->isValue()) {
      v.library = entry;
      CallTyping typing(source_, v, *entry);
      return set(v, entry->type(typing));
    }
  }
  return setConstant(v, std::move(constant));
}

std::string Inference::suggestion(const std::string &name) {
  std::vector<std::string> names;
  for (const LibraryEntry *entry : libraryEntries())
    names.push_back(entry->name);
  std::string near = nearest(name, names);
  return near.empty() ? "" : "did you mean " + near + "?";
}

bool Inference::visitIterCount(Value &v) {
  Type iterable = v.operands[0]->type;
  if (!isIterable(iterable))
    error(v, "cannot loop over " + describeType(*v.operands[0]), "",
          iterable.isInteger()
              ? "count with range(...)"
              : "kernels loop over ranges, tuples, arrays, and enumerate, zip or reversed of them");
  std::optional<size_t> most = mostItems(iterable);
  bool unroll = needsUnrolling(iterable);
  bool isUnrolled = v.index, fits = isUnrolled ? most == v.count : !unroll;
  if (!fits) {
    // Other copies of the same loop most likely go over tuples of the same length.
    if (!f_.unrolled.emplace(v.name.substr(0, v.name.find('/')), unroll ? *most : neverUnrolled)
             .second)
      f_.unrolled[v.name] = unroll ? *most : neverUnrolled;
    rebuild_ = true;
    return true;
  }
  if (isOfFixedLength(iterable))
    v.constant = Constant::ofInt(int64_t(*most));
  return set(v, int64Type());
}

bool Inference::visitIterValue(Value &v) {
  Value &iterable = *v.operands[0];
  const std::optional<Constant> &round = v.operands[1]->constant;
  if (round && iterable.constant)
    v.constant = itemConstant(iterable.type, *iterable.constant, size_t(round->integer));
  return set(v, itemType(iterable.type,
                         round ? std::optional(size_t(round->integer)) : std::optional<size_t>()));
}

bool Inference::visitClosure(Value &v) {
  std::vector<Type> captured;
  Constant known{.kind = ConstantKind::Tuple};
  for (Value *operand : v.operands) {
    captured.push_back(operand->type);
    known.items.push_back(operand->constant.value_or(Constant{.kind = ConstantKind::Unknown}));
  }
  v.constant = std::move(known);
  return set(v, closureType(v.function, v.function->name, std::move(captured)));
}

std::string Inference::messageOf(const Value &raise) {
  std::string message;
  for (size_t i = 1; i < raise.operands.size(); ++i) {
    const std::optional<Constant> &part = raise.operands[i]->constant;
    if (!part || !part->isWhole()) {
      if (raise.name == "AssertionError")
        return "assertion failed";
      fail(source_, raise.spanOf(i), ErrorKind::Unsupported,
           "the arguments of an exception raised in a kernel must be constants", "",
           "the message is fixed while compiling: leave out what is known only at run time, or "
           "print it before");
    }
    message +=
        (i > 1 ? ", " : "") + (part->kind == ConstantKind::String ? part->text : part->describe());
  }
  return message;
}

bool Inference::visitRaise(Value &v) {
  const Value &type = *v.operands[0];
  if (!type.constant || type.constant->kind != ConstantKind::Exception)
    error(v, "raise takes an exception class, not " + describeType(type));
  v.name = type.constant->text;
  v.constant = Constant::ofString(messageOf(v));
  return set(v, noneType());
}

Type Inference::otherReturns(const Value &v) const {
  Type merged;
  for (auto &block : f_.blocks)
    for (Value *other : block->values)
      if (block->reachable && other != &v && other->opcode == Opcode::Return &&
          other->operands[0]->type)
        if (Type both = unify(merged, other->operands[0]->type))
          merged = both;
  return merged;
}

bool Inference::visitReturn(Value &v) {
  Type type = v.operands[0]->type;
  if (source_.declaredResult) {
    if (!convertible(type, source_.declaredResult))
      error(v, source_.name + "() is declared to return " + source_.declaredResult.name(),
            type.name());
    f_.result = source_.declaredResult;
    return set(v, noneType());
  }
  if (holdsObject(type))
    error(v, "a device function cannot return " + describeType(*v.operands[0]));
  Type others = otherReturns(v);
  Type merged = merge(others, type, v);
  if (merged && postponed_.count(&v) && f_.result)
    merged = f_.result; // it waits: another choice at each return would never come to an end
  if (!merged || (merged.is(TypeKind::Optional) && !type.is(TypeKind::Optional) &&
                  !others.is(TypeKind::Optional))) {
    std::string hint = type.is(TypeKind::None) || others.is(TypeKind::None)
                           ? "return a value on every path, also at the end of the function"
                           : "";
    // What ends a function without a return stands where the function begins: the later one is shown.
    const Value *shown = &v;
    for (auto &block : f_.blocks)
      for (Value *other : block->values)
        if (block->reachable && other->opcode == Opcode::Return && other->operands[0]->type &&
            other->operands[0]->type != type && other->span.line > shown->span.line)
          shown = other;
    Type here = shown->operands[0]->type, there = shown == &v ? others : type;
    error(*shown,
          source_.name + "() returns " + there.name() + " on one path and " + here.name() +
              " on another",
          here.name(), hint.empty() ? "return values of one type on every path" : hint);
  }
  bool changed = merged != f_.result;
  f_.result = merged;
  return set(v, noneType()) || changed;
}

namespace {

/// A number as it is written: Python computes with such numbers before it runs the function.
bool isLiteral(const Value &v) {
  return v.opcode == Opcode::Constant ||
         ((v.opcode == Opcode::Unary || v.opcode == Opcode::Binary) &&
          llvm::all_of(v.operands, [](const Value *operand) { return isLiteral(*operand); }));
}

/// Whether a known condition is known by a number that is computed of others, or converted. It then does not decide which
/// branch is compiled, as literals, names and what types tell do: numba computes it when the kernel runs, and gives a
/// variable the type that both branches make.
bool isByComputedNumber(const Value &v) {
  switch (v.opcode) {
  case Opcode::Truth:
  case Opcode::Compare:
    return llvm::any_of(v.operands,
                        [](const Value *operand) { return isByComputedNumber(*operand); });
  case Opcode::Unary:
    if (UnaryOp(v.op) == UnaryOp::Not)
      return isByComputedNumber(*v.operands[0]);
    [[fallthrough]];
  case Opcode::Binary:
    return v.constant && v.type.isScalar() && !isLiteral(v);
  case Opcode::Call: {
    const std::optional<Constant> &callee = v.operands[0]->constant;
    return v.constant && callee && callee->kind == ConstantKind::Type;
  }
  default:
    return false;
  }
}

} // namespace

bool isLiveEdge(const Block &from, const Block &to) {
  const Value &end = *from.values.back();
  if (end.opcode != Opcode::Branch || !end.operands[0]->constant ||
      isByComputedNumber(*end.operands[0]))
    return true;
  return from.successors[end.operands[0]->constant->integer ? 0 : 1] == &to;
}

} // namespace heddle::python
