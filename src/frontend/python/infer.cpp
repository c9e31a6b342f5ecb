#include "frontend/python/inference.h"

#include "frontend/python/indexing.h"
#include "frontend/python/library.h"

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

void Inference::run() {
  std::vector<Block *> order = blocksInOrder();
  unsigned rounds = 0;
  for (bool changed = true; changed;) {
    keepTypes_ = ++rounds > mostRounds;
    postponed_ = false;
    changed = markReachable();
    for (Block *block : order) {
      if (!block->reachable)
        continue;
      for (Value *v : block->values)
        changed |= visit(*v);
      changed |= reachSuccessors(*block);
    }
    if (!changed && postponed_ && !mixIntegers_)
      changed = mixIntegers_ = true;
  }
}

void Inference::checkComplete() {
  for (auto &block : f_.blocks)
    for (Value *v : block->values)
      if (block->reachable && v->opcode == Opcode::Call && !v->type)
        fail(source_, v->span, ErrorKind::Typing,
             "cannot tell the type of this recursive call: no path returns without another call",
             "", "add a path that returns a value without calling '" + source_.name + "'");
  checkAssigned();
  checkCalled();
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
          !findLibraryEntry(v->constant->text)->isMethod() && // a call takes its object instead
          (v->opcode == Opcode::Attribute || v->opcode == Opcode::Global))
        error(*v, std::string(shownName(v->constant->text)) + " is named here, but not called", "",
              "write " + std::string(shownName(v->constant->text)) + "()");
}

Type Inference::merge(Type a, Type b) {
  Type merged = unify(a, b);
  if (mixIntegers_ || !a || !merged.isFloat() || a.isFloat() || b.isFloat())
    return merged;
  postponed_ = true;
  return a;
}

std::vector<Block *> Inference::blocksInOrder() {
  struct Step {
    Block *block;
    size_t next;
  };
  std::vector<Block *> order;
  std::vector<Step> stack{{f_.blocks[0].get(), 0}};
  std::set<Block *> seen{stack[0].block};
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next == block->successors.size()) {
      order.push_back(block);
      stack.pop_back();
    } else if (Block *s = block->successors[next++]; seen.insert(s).second) {
      stack.push_back({s, 0});
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

bool Inference::markReachable() {
  bool changed = false;
  std::vector<Block *> work{f_.blocks[0].get()};
  std::set<Block *> seen{work[0]};
  while (!work.empty()) {
    Block *block = work.back();
    work.pop_back();
    changed |= !block->reachable;
    block->reachable = true;
    for (Block *s : block->successors)
      if (isLiveEdge(*block, *s) && branchKnown(*block) && seen.insert(s).second)
        work.push_back(s);
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
    if (!v.operands[0]->type.is(TypeKind::Range))
      error(v, "cannot loop over " + describeType(*v.operands[0]), "",
            "kernels loop over range(...); use an index to visit an array's elements");
    return set(v, int64Type());
  case Opcode::IterValue:
    return set(v, v.operands[0]->type->element);
  case Opcode::Advance:
    return set(v, int64Type());
  case Opcode::More:
    return set(v, boolType());
  case Opcode::Raise:
    return visitRaise(v);
  case Opcode::Return:
    return visitReturn(v);
  }
  return false;
}

bool Inference::visitPhi(Value &phi) {
  Type type = keepTypes_ ? phi.type : Type();
  for (size_t i = 0; i < phi.operands.size(); ++i) {
    Block *from = phi.block->predecessors[i];
    Value *operand = phi.operands[i];
    if (!from->reachable || !isLiveEdge(*from, *phi.block) || !operand->type)
      continue;
    if (operand->type == objectType() && !mergeConstant(phi, *operand))
      error(phi, variableName(phi.name) + " is a different object on each path",
            describeType(*operand), "functions, modules and types must be the same on every path");
    Type merged = merge(type, operand->type);
    if (!merged)
      mergeError(phi, type, *operand);
    type = merged;
  }
  return type && set(phi, type);
}

bool Inference::mergeConstant(Value &phi, const Value &operand) {
  if (!phi.constant)
    phi.constant = operand.constant;
  return operand.constant && *phi.constant == *operand.constant;
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

bool Inference::visitGlobal(Value &v) {
  if (v.type)
    return false;
  std::optional<Constant> found = source_.environment->lookup(v.name);
  if (!found) {
    std::string near = nearest(v.name, source_.environment->names());
    error(v, "name '" + v.name + "' is not defined", "",
          near.empty() ? "" : "did you mean '" + near + "'?");
  }
  return resolved(v, std::move(*found), v.name);
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

bool Inference::visitRaise(Value &v) {
  if (!v.operands.empty()) {
    const Value &type = *v.operands[0];
    if (!type.constant || type.constant->kind != ConstantKind::Exception)
      error(v, "raise takes an exception class, not " + describeType(type));
    v.name = type.constant->text;
  }
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
  if (type == objectType() || type == stringType())
    error(v, "a device function cannot return " + describeType(*v.operands[0]));
  Type others = otherReturns(v);
  Type merged = merge(others, type);
  if (!merged) {
    std::string hint = type.is(TypeKind::None) || others.is(TypeKind::None)
                           ? "return a value on every path, also at the end of the function"
                           : "";
    error(v,
          source_.name + "() returns " + others.name() + " on one path and " + type.name() +
              " on another",
          type.name(), hint.empty() ? "return values of one type on every path" : hint);
  }
  bool changed = merged != f_.result;
  f_.result = merged;
  return set(v, noneType()) || changed;
}

bool isLiveEdge(const Block &from, const Block &to) {
  const Value &end = *from.values.back();
  if (end.opcode != Opcode::Branch || !end.operands[0]->constant)
    return true;
  return from.successors[end.operands[0]->constant->integer ? 0 : 1] == &to;
}

} // namespace heddle::python
