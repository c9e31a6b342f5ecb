// Operations on jitclass instances, structrefs and structures. Most become calls of a special method, or of the
// program's overload of an `operator` function for the type. In structures, these overloads are methods.

#include "frontend/python/infer/visits.h"

namespace heddle::python {
namespace {

/// True for types with methods or operator overloads in Python. In kernels, these include arrays, for which heddle's
/// packages define operators.
bool hasMethods(const FunctionTyping &t, Type type) {
  return type.isInstance() || type.isStructure() || (type.isArray() && !t.rules().makesArrays);
}

/// The method with that name as a function; nothing if `object` has none.
std::optional<Constant> findMethod(const FunctionTyping &t, const Value &object,
                                   const std::string &name) {
  if (!hasMethods(t, object.type))
    return {};
  std::optional<Constant> found =
      t.source.environment->findMemberOrOverload(object.type, name, t.rules().target);
  if (!found || found->kind != ConstantKind::Method)
    return {};
  found->kind = ConstantKind::Overload;
  return found;
}

/// The program's overload of an `operator` function for the type of `object`. A structure has it as a method.
std::optional<Constant> findOperatorOverload(const FunctionTyping &t, const Value &object,
                                             const std::string &name) {
  if (object.type.isInstance())
    return findMethod(t, object, "operator." + name);
  return object.type.isStructure() ? findMethod(t, object, name) : std::nullopt;
}

/// A method of the class, otherwise the program's overload of the `operator` function.
std::optional<Constant> findMethodOrOverload(const FunctionTyping &t, const Value &object,
                                             const std::string &name) {
  std::optional<Constant> method = findMethod(t, object, name);
  return method ? method : findOperatorOverload(t, object, name);
}

void swapOperands(Value &v) {
  v.operandSpans = {v.spanOf(1), v.spanOf(0)};
  std::swap(v.operands[0], v.operands[1]);
}

/// Inserts the same operation before `v`.
Value *insertOperationBefore(FunctionTyping &t, Value &v, uint8_t op) {
  Value *same = t.insertBefore(v, v.opcode, v.span, v.operands);
  same->op = op;
  same->operandSpans = v.operandSpans;
  t.visit(*same);
  return same;
}

bool isMembershipTest(const Value &v) {
  CompareOp op = CompareOp(v.op);
  return v.opcode == Opcode::Compare && (op == CompareOp::In || op == CompareOp::NotIn);
}

/// Makes `v` the negation of `operand`.
bool replaceWithNegation(FunctionTyping &t, Value &v, Value *operand) {
  Value *truth = t.insertBefore(v, Opcode::Truth, v.span, {operand});
  t.visit(*truth);
  v.opcode = Opcode::Unary;
  v.op = uint8_t(UnaryOp::Not);
  v.operands = {truth};
  v.operandSpans.clear();
  return t.visit(v);
}

// In the order of BinaryOp.
constexpr const char *binaryNames[] = {"add", "sub", "mul",    "truediv", "floordiv",
                                       "mod", "pow", "lshift", "rshift",  "and",
                                       "or",  "xor", "matmul"};
// In the order of UnaryOp.
constexpr const char *unaryNames[] = {"__pos__", "__neg__", "__invert__"};

struct ComparisonMethod {
  CompareOp op;
  const char *name, *reflected;
};
constexpr ComparisonMethod comparisons[] = {
    {CompareOp::Eq, "__eq__", "__eq__"}, {CompareOp::Ne, "__ne__", "__ne__"},
    {CompareOp::Lt, "__lt__", "__gt__"}, {CompareOp::Le, "__le__", "__ge__"},
    {CompareOp::Gt, "__gt__", "__lt__"}, {CompareOp::Ge, "__ge__", "__le__"},
};

/// The methods that implement a builtin, in order of preference.
struct Builtin {
  const char *row;
  const char *methods[2];
  bool converts; ///< converts the method's result
};
constexpr Builtin builtins[] = {
    {"builtins.len", {"__len__"}, false},
    {"builtins.abs", {"__abs__"}, false},
    {"builtins.str", {"__str__"}, false},
    {"builtins.int", {"__int__", "__index__"}, true},
    {"builtins.float", {"__float__", "__index__"}, true},
    {"builtins.complex", {"__complex__", "__float__"}, true},
};

/// Throws an error if an operand is a structure: the program does not overload the `operator` function `function` for
/// it.
void refuseStructureOperands(FunctionTyping &t, Value &v, std::string_view shown,
                             std::string_view function) {
  std::string types;
  bool any = false;
  for (size_t i = 0; i < std::min<size_t>(v.operands.size(), 2); ++i) {
    any |= v.operands[i]->type.isStructure();
    types += (i ? " and " : "") + v.operands[i]->type.name();
  }
  if (!any)
    return;
  while (function.starts_with("_"))
    function.remove_prefix(1);
  while (function.ends_with("_"))
    function.remove_suffix(1);
  t.error(v, "there is no implementation of " + std::string(shown) + " for " + types, "",
          "@overload(operator." + std::string(function) + ") gives one");
}

/// Inserts a typed list with the items of a list.
Value *insertConversionToTypedList(FunctionTyping &t, Value &v, Value &list, Type item) {
  Value *type = t.insertConstant(v, v.span, Constant::ofType(item));
  return t.insertCall(v, v.span, *t.findLibraryFunction("typed.list_of_type"), {&list, type});
}

} // namespace

std::optional<bool> visitInstanceBinary(FunctionTyping &t, Value &v) {
  const std::string name = binaryNames[v.op];
  if (v.inPlace)
    if (auto method = findMethodOrOverload(t, *v.operands[0], "__i" + name + "__"))
      return replaceWithCall(t, v, std::move(*method));
  if (auto method = findMethod(t, *v.operands[0], "__" + name + "__"))
    return replaceWithCall(t, v, std::move(*method));
  if (auto method = findMethod(t, *v.operands[1], "__r" + name + "__")) {
    swapOperands(v);
    return replaceWithCall(t, v, std::move(*method));
  }
  for (const Value *operand : v.operands)
    if (auto function = findOperatorOverload(t, *operand, "__" + name + "__"))
      return replaceWithCall(t, v, std::move(*function));
  refuseStructureOperands(t, v, symbolOf(BinaryOp(v.op)), name);
  return {};
}

std::optional<bool> visitInstanceUnary(FunctionTyping &t, Value &v) {
  if (UnaryOp(v.op) == UnaryOp::Not)
    return {};
  if (auto method = findMethodOrOverload(t, *v.operands[0], unaryNames[v.op]))
    return replaceWithCall(t, v, std::move(*method));
  refuseStructureOperands(t, v, symbolOf(UnaryOp(v.op)), unaryNames[v.op]);
  return {};
}

std::optional<bool> visitInstanceCompare(FunctionTyping &t, Value &v) {
  CompareOp op = CompareOp(v.op);
  if (isMembershipTest(v)) {
    auto method = findMethodOrOverload(t, *v.operands[1], "__contains__");
    if (!method) {
      refuseStructureOperands(t, v, symbolOf(op), "contains");
      return {};
    }
    if (op == CompareOp::NotIn)
      return replaceWithNegation(t, v, insertOperationBefore(t, v, uint8_t(CompareOp::In)));
    swapOperands(v);
    return replaceWithCall(t, v, std::move(*method));
  }
  for (const ComparisonMethod &c : comparisons) {
    if (c.op != op)
      continue;
    if (auto method = findMethod(t, *v.operands[0], c.name))
      return replaceWithCall(t, v, std::move(*method));
    if (!v.operands[1]->type.isStructure())
      if (auto method = findMethod(t, *v.operands[1], c.reflected)) {
        swapOperands(v);
        return replaceWithCall(t, v, std::move(*method));
      }
    for (const Value *operand : v.operands)
      if (auto function = findOperatorOverload(t, *operand, c.name))
        return replaceWithCall(t, v, std::move(*function));
  }
  bool hasEquality = llvm::any_of(v.operands, [&](const Value *operand) {
    return findMethodOrOverload(t, *operand, "__eq__").has_value();
  });
  if (op == CompareOp::Ne && hasEquality)
    return replaceWithNegation(t, v, insertOperationBefore(t, v, uint8_t(CompareOp::Eq)));
  if (op <= CompareOp::Ge)
    refuseStructureOperands(t, v, symbolOf(op), comparisons[unsigned(op)].name);
  return {};
}

bool visitInstanceTruth(FunctionTyping &t, Value &v) {
  for (const char *name : {"__bool__", "__len__"})
    if (auto method = findMethodOrOverload(t, *v.operands[0], name)) {
      v.operands[0] = t.insertCall(v, v.span, std::move(*method), {v.operands[0]});
      return v.operands[0]->type && t.visit(v);
    }
  return setConstant(v, Constant::ofBool(true));
}

std::optional<bool> visitInstanceItem(FunctionTyping &t, Value &v) {
  bool stores = v.opcode == Opcode::StoreIndex;
  if (auto method = findMethodOrOverload(t, *v.operands[0], stores ? "__setitem__" : "__getitem__"))
    return replaceWithCall(t, v, std::move(*method));
  refuseStructureOperands(t, v, "[]", stores ? "setitem" : "getitem");
  return {};
}

std::optional<bool> visitPropertySetter(FunctionTyping &t, Value &v) {
  auto setter = t.source.environment->findMemberOrOverload(v.operands[0]->type, v.name + ".setter",
                                                           t.rules().target);
  if (!setter)
    return {};
  v.operands.erase(v.operands.begin() + 1);
  v.operandSpans.clear();
  return replaceWithCall(t, v, std::move(*setter));
}

bool visitInstanceStore(FunctionTyping &t, Value &v) {
  Value &object = *v.operands[0];
  if (v.name.empty()) {
    if (std::optional<bool> done = visitInstanceItem(t, v))
      return *done;
    t.error(v, "cannot assign to an element of " + describeType(object), describeType(object),
            "its class has no method __setitem__");
  }
  for (size_t i = 0; i < object.type->names.size(); ++i) {
    if (object.type->names[i] != v.name)
      continue;
    if (hasUndefinedDeferred(object.type->elements[i]))
      t.error(v, "cannot assign to attribute '" + v.name + "', whose type is not defined yet", "",
              "call the method define() of its deferred_type() first");
    Type to = resolveDeferred(object.type->elements[i]);
    if (!to.is(TypeKind::Optional))
      t.unwrapOperand(v, 2);
    Type given = v.operands[2]->type; // a list that nothing modifies is a tuple
    if ((to.isScalar() || to.isComplex()) && given.isArray() && given->ndim == 0)
      v.operands[2] = &insertZeroDimRead(t, v, 2);
    if (to.isList() && (given.isTuple() || (given.isList() && !given.isShared())))
      v.operands[2] = insertConversionToTypedList(t, v, *v.operands[2], to->element);
    Value &value = *v.operands[2];
    if (!value.type)
      return false;
    if (!isConvertible(toWritableArrayType(value.type),
                       to)) // attributes accept read-only arrays, as in numba
      t.errorAt(v, 2, "cannot assign " + describeType(value) + " to attribute '" + v.name + "'",
                describeType(value), "it is declared as " + to.name());
    return setType(v, noneType());
  }
  if (std::optional<bool> bySetter = visitPropertySetter(t, v))
    return *bySetter;
  std::string near = findClosestName(v.name, object.type->names);
  t.error(v, "cannot assign to attribute '" + v.name + "' of " + describeType(object),
          describeType(object),
          near.empty() ? "the attributes are those that its class declares"
                       : "did you mean '" + near + "'?");
}

std::optional<bool> visitInstanceBuiltin(FunctionTyping &t, Value &call, const std::string &row) {
  if (call.operands.size() != 2)
    return {};
  Value &object = *call.operands[1];
  for (const Builtin &builtin : builtins)
    for (const char *name : builtin.methods) {
      if (!name || row != builtin.row)
        continue;
      auto method = findMethod(t, object, name);
      if (!method)
        continue;
      if (builtin.converts) {
        call.operands[1] = t.insertCall(call, call.span, std::move(*method), {&object});
        return call.operands[1]->type && t.visit(call);
      }
      call.operands[0]->opcode = Opcode::Constant; // still used, although no call remains
      call.operands = {&object};
      call.operandSpans.clear();
      return replaceWithCall(t, call, std::move(*method));
    }
  return {};
}

namespace {

/// The `operator` functions that can implement an operation, in order of preference.
std::vector<std::string> operatorNames(const Value &v) {
  switch (v.opcode) {
  case Opcode::Unary:
    if (UnaryOp(v.op) != UnaryOp::Not)
      return {unaryNames[v.op]};
    break;
  case Opcode::Binary: {
    std::string name = binaryNames[v.op] + std::string("__");
    return v.inPlace ? std::vector{"__i" + name, "__" + name} : std::vector{"__" + name};
  }
  case Opcode::Compare:
    if (isMembershipTest(v))
      return {"__contains__"};
    for (const ComparisonMethod &c : comparisons)
      if (c.op == CompareOp(v.op))
        return {c.name};
    break;
  case Opcode::Index:
    return {"__getitem__"};
  case Opcode::StoreIndex:
    if (v.name.empty())
      return {"__setitem__"};
    break;
  default:
    break;
  }
  return {};
}

bool hasImplementation(FunctionTyping &t, const Constant &function, const Value &v) {
  std::vector<CallArgument> arguments;
  for (const Value *operand : v.operands)
    arguments.push_back({.name = "", .type = operand->type, .constant = nullptr});
  if (isMembershipTest(v))
    std::swap(arguments[0], arguments[1]);
  try {
    return t.instances.findImplementation(function, arguments, t.rules().target);
  } catch (const std::exception &) { // no implementation for these types
    return false;
  }
}

bool replaceWithOperatorCall(FunctionTyping &t, Value &v, Constant function) {
  if (v.opcode == Opcode::Compare && CompareOp(v.op) == CompareOp::NotIn)
    return replaceWithNegation(t, v, insertOperationBefore(t, v, uint8_t(CompareOp::In)));
  if (isMembershipTest(v))
    swapOperands(v);
  return replaceWithCall(t, v, std::move(function));
}

} // namespace

bool visitOperationOrOverload(FunctionTyping &t, Value &v,
                              bool (*visit)(FunctionTyping &, Value &)) {
  std::vector<Constant> functions;
  for (const std::string &name : operatorNames(v))
    if (auto function = t.source.environment->findMemberOrOverload(
            v.operands[0]->type, "operator." + name, t.rules().target)) {
      function->kind = ConstantKind::Overload;
      functions.push_back(std::move(*function));
    }
  if (functions.empty())
    return visit(t, v);
  const Value before = v;
  try {
    return visit(t, v);
  } catch (const CompileError &) {
    v = before; // a visit may have replaced the operation
    for (Constant &function : functions)
      if (hasImplementation(t, function, v))
        return replaceWithOperatorCall(t, v, std::move(function));
    throw;
  }
}

} // namespace heddle::python
