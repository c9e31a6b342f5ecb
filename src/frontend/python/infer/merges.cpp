// Types at joins of control flow: merges of a variable, and results.

#include "frontend/python/infer/live_edges.h"
#include "frontend/python/infer/visits.h"

#include <algorithm>
#include <set>

namespace heddle::python {
namespace {

std::string trimLeft(const std::string &line) {
  size_t start = line.find_first_not_of(" \t");
  return start == std::string::npos ? "" : line.substr(start);
}

/// Keeps the compile-time object of a merge if it is the same on every path.
bool mergeCompileTimeObject(Value &phi, const Value &operand) {
  std::optional<Constant> objects =
      operand.constant ? operand.constant->toConstantObject() : std::optional<Constant>();
  if (!phi.constant)
    phi.constant = objects;
  return objects && *phi.constant == *objects;
}

/// A value assigned to a variable, with the location of the assignment.
struct GivenValue {
  const Value *value;
  Span span;
};

/// The assignments that reach a merge of a variable's values, through other merges of it.
void collectAssignments(const Value &phi, std::set<const Value *> &seen,
                        std::vector<GivenValue> &out) {
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

[[noreturn]] void failIncompatibleMerge(FunctionTyping &t, const Value &phi, Type type,
                                        const Value &second) {
  std::set<const Value *> seen;
  std::vector<GivenValue> all;
  collectAssignments(phi, seen, all);
  std::sort(all.begin(), all.end(), [](const GivenValue &a, const GivenValue &b) {
    return std::pair(a.span.line, a.span.column) < std::pair(b.span.line, b.span.column);
  });
  std::string hint = "give the two values different names, or convert one of them";
  for (const GivenValue &later : all)
    for (const GivenValue &earlier : all) {
      if (&earlier == &later)
        break;
      if (unify(earlier.value->type, later.value->type))
        continue;
      auto note = [&](const GivenValue &a) {
        return describeType(*a.value) + " in line " + std::to_string(a.span.line) + ": " +
               trimLeft(t.source.text.line(a.span.line));
      };
      fail(t.source, later.span, ErrorKind::Typing,
           variableName(phi.name) + " cannot be both " + describeType(*earlier.value) + " and " +
               describeType(*later.value),
           describeType(*later.value), hint, {note(earlier), note(later)});
    }
  t.error(second,
          variableName(phi.name) + " cannot be both " + type.name() + " and " + second.type.name(),
          second.type.name(), hint);
}

/// The merged type of the other return statements, or other yields, as known so far; unknown if there are none.
/// Excludes the function's previous result type: a value whose type changes from uint64 to int64 must not make the
/// result float64.
Type mergeOtherResultTypes(const FunctionTyping &t, const Value &v) {
  Type merged;
  for (auto &block : t.function.blocks)
    for (Value *other : block->values)
      if (block->reachable && other != &v && other->opcode == v.opcode && other->operands[0]->type)
        if (Type both = unify(merged, other->operands[0]->type))
          merged = both;
  return merged;
}

} // namespace

namespace {

/// True for different functions, or a function and None.
bool areSeveralFunctions(const FunctionTyping &t, llvm::ArrayRef<const Value *> values) {
  const Value *first = nullptr;
  bool mayBeNone = false, differ = false;
  for (const Value *v : values) {
    mayBeNone |= v->type.is(TypeKind::None);
    if (!isFunctionOrTag(t, *v))
      continue;
    differ |= v->type.isChoice() || (first && *first->constant != *v->constant);
    first = v;
  }
  return differ || (first && mayBeNone);
}

/// The operands of the merge from live edges.
std::vector<const Value *> operandsFromLiveEdges(const Value &phi) {
  std::vector<const Value *> out;
  for (size_t i = 0; i < phi.operands.size(); ++i) {
    const Block *from = phi.block->predecessors[i];
    if (from->reachable && isLiveEdge(*from, *phi.block) && phi.operands[i]->type)
      out.push_back(phi.operands[i]);
  }
  return out;
}

} // namespace

bool visitPhi(FunctionTyping &t, Value &phi) {
  std::vector<const Value *> merged = operandsFromLiveEdges(phi);
  if (areSeveralFunctions(t, merged))
    convertFunctionsToTags(t, phi);
  if (Type text = t.rules().makesArrays ? Type() : commonCharactersType(merged)) {
    phi.constant.reset();
    return setType(phi, text);
  }
  Type type;
  unsigned live = 0;
  const Value *only = nullptr; // the remaining operand if a constant branch removes the others
  for (size_t i = 0; i < phi.operands.size(); ++i) {
    Block *from = phi.block->predecessors[i];
    Value *operand = phi.operands[i];
    if (!from->reachable || !isLiveEdge(*from, *phi.block))
      continue;
    if (operand->opcode == Opcode::Undefined && operand->function)
      failUnsetAfterParallelLoop(t, phi.span, *operand);
    if (!operand->type || operand->opcode == Opcode::Undefined)
      continue;
    if (holdsCompileTimeObject(operand->type) && !mergeCompileTimeObject(phi, *operand))
      t.error(phi, variableName(phi.name) + " is a different object on each path",
              describeType(*operand),
              "functions, modules, types and strings must be the same on every path");
    if (++live > 1 && operand->type.is(TypeKind::Closure) && !operand->type->elements.empty())
      t.error(*operand,
              "the function " + variableName(phi.name) + " may have captured other values", "",
              "define it where every path passes, before the branch or the loop");
    Type merged = t.decisions.mergeTypesOrPostponeFloat(type, operand->type, phi);
    if (!merged)
      failIncompatibleMerge(t, phi, type, *operand);
    type = merged;
    only = operand;
  }
  if (type.isChoice())
    phi.constant.reset();
  else if (type && !holdsCompileTimeObject(type))
    phi.constant = live == 1 && !phi.opensLoop ? only->constant : std::nullopt;
  return type && setType(phi, t.widenMerge(phi, phi.type, type));
}

namespace {

/// The typed values that the function returns.
std::vector<const Value *> collectReturnedValues(const FunctionTyping &t) {
  std::vector<const Value *> out;
  for (auto &block : t.function.blocks)
    for (const Value *v : block->values)
      if (block->reachable && v->opcode == Opcode::Return && v->operands[0]->type)
        out.push_back(v->operands[0]);
  return out;
}

/// Records the compile-time objects that a function returns, so that its callers know them.
void recordReturnedObjects(FunctionTyping &t, const Value &v) {
  const Value &result = *v.operands[0];
  std::optional<Constant> objects =
      result.constant ? result.constant->toConstantObject() : std::nullopt;
  if (!objects)
    t.error(v, "the result of this function is not known at compile time", describeType(result));
  for (auto &block : t.function.blocks)
    for (Value *other : block->values)
      if (block->reachable && other != &v && other->opcode == Opcode::Return &&
          other->operands[0]->type && other->operands[0]->constant &&
          other->operands[0]->constant->toConstantObject() != objects)
        t.error(v, t.source.name + "() returns different objects on its paths",
                describeType(result),
                "functions, modules, types and strings must be the same on every path");
  t.function.resultConstant = std::move(objects);
}

} // namespace

bool visitReturn(FunctionTyping &t, Value &v) {
  if (t.function.isGenerator) // ends the generator
    return setType(v, noneType());
  Type type = v.operands[0]->type;
  if (Type declared = t.function.declaredResult) {
    if (type.is(TypeKind::Optional) && !isConvertible(type, declared)) {
      t.unwrapOperand(v, 0);
      type = v.operands[0]->type;
    }
    if (!isConvertible(type, declared))
      t.error(v, t.source.name + "() is declared to return " + declared.name(), type.name());
    t.function.result = declared;
    return setType(v, noneType());
  }
  if (areSeveralFunctions(t, collectReturnedValues(t))) {
    for (auto &block : t.function.blocks)
      for (size_t i = 0; i < block->values.size(); ++i)
        if (block->reachable && block->values[i]->opcode == Opcode::Return)
          convertFunctionsToTags(t, *block->values[i]);
    t.function.resultConstant.reset();
    type = v.operands[0]->type;
  }
  if (holdsCompileTimeObject(type))
    recordReturnedObjects(t, v);
  Type others = mergeOtherResultTypes(t, v);
  Type merged = t.decisions.mergeTypesOrPostponeFloat(others, type, v);
  if (merged && t.decisions.isWaiting(v) && t.function.result)
    merged = t.function.result; // waits: a new choice at each return would never settle
  if (!merged) {
    std::string hint = type.is(TypeKind::None) || others.is(TypeKind::None)
                           ? "return a value on every path, also at the end of the function"
                           : "";
    // The implicit return is located at the start of the function: show the later statement.
    const Value *shown = &v;
    for (auto &block : t.function.blocks)
      for (Value *other : block->values)
        if (block->reachable && other->opcode == Opcode::Return && other->operands[0]->type &&
            other->operands[0]->type != type && other->span.line > shown->span.line)
          shown = other;
    Type here = shown->operands[0]->type, there = shown == &v ? others : type;
    t.error(*shown,
            t.source.name + "() returns " + there.name() + " on one path and " + here.name() +
                " on another",
            here.name(), hint.empty() ? "return values of one type on every path" : hint);
  }
  merged = t.widenMerge(v, t.function.result, merged);
  bool changed = merged != t.function.result;
  t.function.result = merged;
  return setType(v, noneType()) || changed;
}

bool visitYield(FunctionTyping &t, Value &v) {
  Type type = v.operands[0]->type;
  if (t.function.declaredResult)
    t.error(v, t.source.name + "() is a generator, whose result a signature cannot declare", "",
            "omit the result or the signature");
  if (holdsCompileTimeObject(type))
    t.error(v, "a generator cannot yield " + describeType(*v.operands[0]), "",
            "yield numbers, arrays, strings and tuples of these");
  Type others = mergeOtherResultTypes(t, v),
       merged = t.decisions.mergeTypesOrPostponeFloat(others, type, v);
  if (!merged)
    t.error(v,
            t.source.name + "() yields " + type.name() + " at one place and " + others.name() +
                " at another",
            type.name(), "yield values of one type everywhere");
  Type before = t.function.result ? t.function.result->element : Type();
  if (t.decisions.isWaiting(v) && before)
    merged = before; // as for returns
  Type result = generatorType(&t.function, t.source.name, t.widenMerge(v, before, merged));
  bool changed = result != t.function.result;
  t.function.result = result;
  return setType(v, noneType()) || changed;
}

} // namespace heddle::python
