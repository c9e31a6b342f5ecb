#include "frontend/python/infer/function_typing.h"

#include "frontend/python/infer/visits.h"
#include "frontend/python/ssa/representable_types.h"

#include <algorithm>

namespace heddle::python {
namespace {

/// Exceeds the longest chain of changes in a program's types: from the narrowest integer to an optional complex number.
constexpr unsigned mostChanges = 32;

/// True if the constant of the value follows from its operands. The constants of names are looked up once.
bool followsFromOperands(Opcode opcode) {
  return opcode != Opcode::Constant && opcode != Opcode::Parameter && opcode != Opcode::Global &&
         opcode != Opcode::Attribute;
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

void FunctionTyping::error(const Value &v, std::string message, std::string underlined,
                           std::string hint, std::vector<std::string> notes) const {
  fail(source, v.span, ErrorKind::Typing, std::move(message), std::move(underlined),
       hint.empty() ? hintForOperandTypes(function, v) : std::move(hint), std::move(notes));
}

void FunctionTyping::errorAt(const Value &v, size_t i, std::string message, std::string underlined,
                             std::string hint) const {
  fail(source, v.spanOf(i), ErrorKind::Typing, std::move(message), std::move(underlined),
       hint.empty() ? hintForOperandTypes(function, v) : std::move(hint));
}

const std::optional<Constant> &FunctionTyping::lookupGlobal(const std::string &name) {
  auto [known, isNew] = function.globals->try_emplace(name);
  if (isNew)
    known->second = source.environment->findConstant(name);
  return known->second;
}

Value *FunctionTyping::insertBefore(Value &at, Opcode opcode, Span span,
                                    std::vector<Value *> operands) {
  Value *v = function.makeValue(opcode, span);
  v->operands = std::move(operands);
  v->block = at.block;
  std::vector<Value *> &values = at.block->values;
  values.insert(std::find(values.begin(), values.end(), &at), v);
  return v;
}

Value *FunctionTyping::insertConstant(Value &at, Span span, Constant constant) {
  Value *v = insertBefore(at, Opcode::Constant, span, {});
  v->constant = std::move(constant);
  visit(*v);
  return v;
}

Value *FunctionTyping::insertCall(Value &at, Span span, Constant function,
                                  std::vector<Value *> arguments) {
  arguments.insert(arguments.begin(), insertConstant(at, span, std::move(function)));
  Value *call = insertBefore(at, Opcode::Call, span, std::move(arguments));
  visit(*call);
  return call;
}

void FunctionTyping::unwrapOperand(Value &v, size_t operand) {
  Value *optional = v.operands[operand];
  if (!optional->type.is(TypeKind::Optional))
    return;
  Span span = v.spanOf(operand);
  while (v.operandSpans.size() < v.operands.size())
    v.operandSpans.push_back(v.operands[v.operandSpans.size()]->span);
  v.operands[operand] = insertBefore(v, Opcode::Unwrap, span, {optional});
  visit(*v.operands[operand]);
}

namespace {

/// The nesting depth of tuples and optionals in a type.
unsigned nestingDepthOf(Type type) {
  unsigned deepest = 0;
  if (type.isComposite())
    for (Type element : type->elements)
      deepest = std::max(deepest, nestingDepthOf(element));
  else if (type.is(TypeKind::Optional))
    deepest = nestingDepthOf(type->element);
  return deepest + 1;
}

} // namespace

Type FunctionTyping::widenMerge(const Value &at, Type before, Type type) {
  if (!before || before == type || ++changes_[&at] <= mostChanges)
    return type;
  Type both = unify(before, type);
  growsForEver = nestingDepthOf(both ? both : type) > mostChanges;
  if (growsForEver)
    error(at, "this value has no type: each iteration or call nests it in another tuple", "",
          "put the values into an array");
  return both ? both : type;
}

namespace {

void checkRepresentable(const FunctionTyping &t, const Value &v) {
  if (Type part = findUnrepresentablePart(v.type, t.rules()))
    t.error(v, "a " + t.rules().noun + " has no values of type " + part.name(),
            part == v.type ? "" : v.type.name(), hintForUnrepresentable(part));
}

} // namespace

bool FunctionTyping::visit(Value &v) {
  Type before = v.type;
  bool changed = visitByOpcode(v);
  if (!v.type)
    return changed;
  checkRepresentable(*this, v);
  if (!rules().makesArrays || toRuntimeStringTypes(v.type) == v.type)
    return changed;
  v.type = toRuntimeStringTypes(v.type);
  return v.type != before;
}

bool FunctionTyping::visitByOpcode(Value &v) {
  if (v.opcode == Opcode::Phi)
    return visitPhi(*this, v);
  for (Value *&operand : v.operands)
    if (!operand->type) {
      if (operand->opcode != Opcode::Undefined)
        return false;
      typeOrRejectUnassigned(*this, v, &operand - v.operands.data());
    }
  unwrapOptionals(*this, v);
  if (v.opcode == Opcode::Index || (v.opcode == Opcode::StoreIndex && v.name.empty()))
    convertValuesToSlices(*this, v);
  if (v.opcode == Opcode::Return)
    convertSlicesToValues(*this, v);
  if (followsFromOperands(v.opcode))
    v.constant.reset(); // it may depend on a type that has changed
  switch (v.opcode) {
  case Opcode::Parameter:
  case Opcode::Undefined:
  case Opcode::Jump:
  case Opcode::Protect:
  case Opcode::Branch:
  case Opcode::Phi:
    return false;
  case Opcode::Constant:
    return setType(v, v.constant->valueType());
  case Opcode::Global:
    return visitGlobal(*this, v);
  case Opcode::Unary:
    return visitOperationOrOverload(*this, v, visitUnary);
  case Opcode::Binary:
    return visitOperationOrOverload(*this, v, visitBinary);
  case Opcode::Compare:
    return visitOperationOrOverload(*this, v, visitCompare);
  case Opcode::Truth:
    return visitTruth(*this, v);
  case Opcode::Attribute:
    return visitAttribute(*this, v);
  case Opcode::Index:
    return visitOperationOrOverload(*this, v, visitIndex);
  case Opcode::StoreIndex:
    return visitOperationOrOverload(*this, v, visitStore);
  case Opcode::Call:
    return visitCall(*this, v);
  case Opcode::Tuple:
    return visitTuple(*this, v);
  case Opcode::List:
    return visitList(*this, v);
  case Opcode::Dict:
    return visitDict(*this, v);
  case Opcode::Set:
    return visitSet(*this, v);
  case Opcode::Unpack:
    return visitUnpack(*this, v);
  case Opcode::Slice:
    for (size_t i = 0; i < v.operands.size(); ++i)
      if (Type t = v.operands[i]->type; !t.isScalar() && !t.is(TypeKind::None))
        errorAt(v, i, "slice bounds must be numbers", t.name());
    return setType(v, sliceType());
  case Opcode::IterCount:
    return visitIterCount(*this, v);
  case Opcode::IterValue:
    return visitIterValue(*this, v);
  case Opcode::Closure:
    return visitClosure(*this, v);
  case Opcode::Parallel:
    return visitParallel(*this, v);
  case Opcode::Assigns:
    return visitDoesLoopAssign(v);
  case Opcode::Choose:
    return visitFunctionToTag(*this, v);
  case Opcode::Unwrap:
    return visitUnwrap(*this, v);
  case Opcode::Starred:
    if (!v.operands[0]->type.isTuple())
      error(v, "* in a call takes a tuple, not " + describeType(*v.operands[0]));
    return setType(v, v.operands[0]->type);
  case Opcode::Advance:
    return setType(v, int64Type());
  case Opcode::More:
    if (v.operands[0]->constant && v.operands[1]->constant)
      v.constant =
          Constant::ofBool(v.operands[0]->constant->integer < v.operands[1]->constant->integer);
    return setType(v, boolType());
  case Opcode::Caught:
    return setType(v, caughtType());
  case Opcode::Catches:
    return visitExceptMatch(*this, v);
  case Opcode::Raise:
    return visitRaise(*this, v);
  case Opcode::Return:
    return visitReturn(*this, v);
  case Opcode::Yield:
    return visitYield(*this, v);
  }
  return false;
}
} // namespace heddle::python
