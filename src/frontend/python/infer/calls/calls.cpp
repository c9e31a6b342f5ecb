// Types of calls: library rows, casts, device functions.

#include "frontend/python/infer/visits.h"
#include "frontend/python/rows/members.h"
#include "frontend/python/rows/over_arrays.h"
#include "frontend/python/rows/row.h"
#include "frontend/python/types/fold.h"
#include "frontend/python/types/literal_lists.h"
#include "frontend/python/types/overloads.h"

#include <algorithm>
#include <llvm/ADT/StringSwitch.h>
#include <map>
#include <set>

namespace heddle::python {
namespace {

std::string formatSignature(const FunctionSource &f) {
  std::string head = f.name + "(";
  bool keywordOnly = false;
  for (const Parameter &p : f.parameters) {
    if (p.kind == ParameterKind::Captured)
      continue;
    head += head.back() == '(' ? "" : ", ";
    if (p.kind == ParameterKind::KeywordOnly && !keywordOnly)
      head += "*, ";
    keywordOnly = p.kind == ParameterKind::KeywordOnly || p.kind == ParameterKind::Variadic;
    head +=
        (p.kind == ParameterKind::Variadic ? "*" : "") + p.name + (p.hasDefault() ? "=..." : "");
  }
  return head + ")";
}

/// The name of the values that orderOperandsByParameters inserts for omitted arguments.
constexpr const char *defaultName = ".default";

/// The arguments of a call as written. For a bound call, *args are the elements of their tuple.
std::vector<CallArgument> collectArguments(const Value &call) {
  std::vector<CallArgument> arguments;
  auto add = [&](const Value &v, std::string name) {
    arguments.push_back(
        {.name = std::move(name),
         .type = v.type,
         .constant = v.constant && v.constant->isFullyKnown() ? &*v.constant : nullptr});
  };
  if (!call.boundTo) {
    size_t positional = call.operands.size() - call.names.size();
    for (size_t i = 1; i < call.operands.size(); ++i)
      add(*call.operands[i], i < positional ? "" : call.names[i - positional]);
    return arguments;
  }
  bool byName = false; // follows an omitted argument
  for (size_t i = 1; i < call.operands.size(); ++i) {
    const Parameter &parameter = call.boundTo->parameters[i - 1];
    const Value &operand = *call.operands[i];
    if (parameter.kind == ParameterKind::Captured)
      break;
    byName |= parameter.kind == ParameterKind::KeywordOnly;
    if (parameter.kind == ParameterKind::Variadic)
      for (const Value *item : operand.operands)
        add(*item, "");
    else if (operand.name == defaultName)
      byName = true;
    else
      add(operand, byName ? parameter.name : "");
  }
  return arguments;
}

/// Reorders the call's operands to the callee's parameters, including keywords, and inserts default values.
void orderOperandsByParameters(FunctionTyping &t, Value &v, const FunctionSource &callee) {
  size_t positional = v.operands.size() - 1 - v.names.size();
  const std::vector<Parameter> &parameters = callee.parameters;
  size_t wanted = parameters.size(), plain = 0, visible = 0;
  std::optional<size_t> variadic;
  for (size_t i = 0; i < wanted; ++i) {
    plain += parameters[i].kind == ParameterKind::Plain;
    visible += parameters[i].kind != ParameterKind::Captured;
    if (parameters[i].kind == ParameterKind::Variadic)
      variadic = i;
  }
  std::vector<Value *> bound(wanted, nullptr);
  std::vector<Span> spans(wanted, v.span);
  auto take = [&](size_t parameter, size_t operand) {
    bound[parameter] = v.operands[operand];
    spans[parameter] = v.spanOf(operand);
  };
  auto wrong = [&](const std::string &message) {
    t.error(v, message, "", "it is defined as " + formatSignature(callee));
  };
  if (positional > plain && !variadic)
    wrong(callee.name + "() takes " + std::to_string(plain) +
          (plain < visible ? " positional" : "") + (plain == 1 ? " argument, " : " arguments, ") +
          std::to_string(positional) + " were given");
  for (size_t i = 0; i < std::min(positional, plain); ++i)
    take(i, i + 1);
  if (variadic) {
    std::vector<Value *> rest;
    for (size_t i = plain; i < positional; ++i)
      rest.push_back(v.operands[i + 1]);
    bound[*variadic] = t.insertBefore(v, Opcode::Tuple, v.span, std::move(rest));
    t.visit(*bound[*variadic]);
  }
  for (size_t k = 0; k < v.names.size(); ++k) {
    size_t i = 0;
    while (i < visible && parameters[i].name != v.names[k])
      ++i;
    if (i == visible || bound[i])
      wrong(callee.name + "() got " + (i == visible ? "an unknown" : "a second") + " argument '" +
            v.names[k] + "'");
    take(i, 1 + positional + k);
  }
  // The elements of the function's closure are its Captured parameters, in order.
  std::map<std::string, Value *> captured;
  for (size_t i = visible; i < wanted; ++i) {
    bound[i] = t.insertBefore(v, Opcode::Unpack, v.spanOf(0), {v.operands[0]});
    bound[i]->index = i - visible;
    t.visit(*bound[i]);
    captured[parameters[i].name] = bound[i];
  }
  for (size_t i = 0; i < visible; ++i) {
    if (bound[i])
      continue;
    if (!parameters[i].hasDefault())
      wrong(callee.name + "() needs an argument for '" + parameters[i].name + "'");
    if (!parameters[i].capturedDefault.empty()) {
      bound[i] = captured[parameters[i].capturedDefault];
      continue;
    }
    bound[i] = t.insertBefore(v, Opcode::Constant, v.span, {});
    bound[i]->constant = parameters[i].defaultValue;
    bound[i]->name = defaultName;
    t.visit(*bound[i]);
  }
  bound.insert(bound.begin(), v.operands[0]);
  spans.insert(spans.begin(), v.spanOf(0));
  v.operandSpans = std::move(spans);
  v.operands = std::move(bound);
  v.names.clear();
  v.boundTo = &callee;
}

/// The signature that numba selects if a function has several; null if none matches the arguments.
const DeclaredTypes *selectSignature(const FunctionSource &callee,
                                     const std::vector<Argument> &arguments) {
  auto isNumber = [](Type type) { return type.isScalar() || type.isComplex(); };
  std::vector<Type> numbers;
  for (const Argument &a : arguments)
    if (isNumber(a.type))
      numbers.push_back(a.type);
  std::vector<const DeclaredTypes *> candidates;
  std::vector<std::vector<Type>> numbersOf;
  for (const DeclaredTypes &declared : callee.declared) {
    std::vector<Type> &theirs = numbersOf.emplace_back();
    bool fits = declared.parameters.size() == arguments.size(), isSame = fits;
    for (size_t i = 0; fits && i < arguments.size(); ++i) {
      Type from = arguments[i].type, to = declared.parameters[i];
      fits = isConvertible(from, to) && isNumber(from) == isNumber(to);
      isSame = isSame && from == to;
      if (isNumber(to))
        theirs.push_back(to);
    }
    if (fits && isSame)
      return &declared;
    if (fits)
      candidates.push_back(&declared);
    else
      numbersOf.pop_back();
  }
  std::optional<size_t> best =
      bestSignature(numbers, std::vector<ParameterTypes>(numbersOf.begin(), numbersOf.end()));
  return best ? candidates[*best] : nullptr;
}

/// True if the callee's signatures declare parameter `i`, none of them as an optional.
bool isDeclaredWithoutNone(const FunctionSource &callee, size_t i) {
  if (i < callee.declaredParameters.size())
    return !callee.declaredParameters[i].is(TypeKind::Optional);
  return !callee.declared.empty() && llvm::all_of(callee.declared, [&](const DeclaredTypes &one) {
    return i < one.parameters.size() && !one.parameters[i].is(TypeKind::Optional);
  });
}

/// Binds the operands at the first visit. Returns the arguments to compile the callee for.
std::vector<Argument> bindArguments(FunctionTyping &t, Value &v, FunctionSource &callee,
                                    bool knowsTexts, const std::set<size_t> &literals) {
  if (!v.boundTo)
    orderOperandsByParameters(t, v, callee);
  else if (v.boundTo->parameters.size() != callee.parameters.size())
    t.error(v, "the implementations of " + callee.name + "() take different arguments");
  std::vector<Argument> arguments;
  const std::vector<bool> &constants = t.instances.constantParametersOf(callee);
  for (size_t i = 0; i < callee.parameters.size(); ++i) {
    if (isDeclaredWithoutNone(callee, i))
      t.unwrapOperand(v, i + 1);
    const Value &operand = *v.operands[i + 1];
    Argument argument{operand.type, {}};
    if (holdsCompileTimeObject(argument.type)) {
      argument.constant = operand.constant ? operand.constant->toConstantObject() : std::nullopt;
      if (!argument.constant)
        t.errorAt(v, i + 1, "this argument is not a compile-time constant", argument.type.name());
    }
    if (constants[i] || literals.count(i) || (argument.type == runtimeStringType() && knowsTexts))
      argument.constant = operand.constant;
    if (i < callee.declaredParameters.size()) {
      // Foreign code may write any array that it receives.
      bool isForeign = callee.declaration && argument.type.isArray();
      if (!isConvertible(isForeign ? toWritableArrayType(argument.type) : argument.type,
                         callee.declaredParameters[i]))
        t.errorAt(v, i + 1,
                  callee.name + "() declares '" + callee.parameters[i].name + "' as " +
                      callee.declaredParameters[i].name(),
                  argument.type.name());
      argument.type = callee.declaredParameters[i];
    }
    arguments.push_back(std::move(argument));
  }
  if (callee.declared.size() > 1 &&
      t.rules().target == Target::Host) // kernels compile for the types of each call
    if (const DeclaredTypes *chosen = selectSignature(callee, arguments))
      for (size_t i = 0; i < arguments.size(); ++i)
        arguments[i].type = chosen->parameters[i];
  return arguments;
}

/// Types a call of a function that is compiled for its arguments. `knowsTexts`: the instance may depend on constant
/// strings. False for recursive calls, which would otherwise create instances forever. `literals`: parameters to
/// compile for the argument's value.
bool visitCompiledCall(FunctionTyping &t, Value &v, FunctionSource &callee, bool knowsTexts = true,
                       const std::set<size_t> &literals = {}) {
  convertSlicesToValues(t, v);
  std::vector<Argument> arguments =
      bindArguments(t, v, callee, knowsTexts && !t.instances.isInferring(callee), literals);
  TypedFunction &target = getOrInferCallee(t, v, callee, arguments);
  v.callee = &target;
  v.library = nullptr; // from an earlier visit with other types
  if (!target.result)
    return false;
  v.constant = target.resultConstant;
  return setType(v, target.result);
}

bool visitFunctionCall(FunctionTyping &t, Value &v, FunctionSource &callee) {
  bool onHost = t.rules().target == Target::Host;
  if (callee.declaration && !callee.declaration->isOnBoth() &&
      callee.declaration->isOnHost() != onHost)
    t.error(v,
            onHost ? "'" + callee.name + "' is declared for kernels"
                   : "the C function '" + callee.name + "' is on the host",
            "",
            onHost ? "host functions call C through ctypes and cffi"
                   : "kernels call functions that cuda.declare_device declares and link= defines");
  return visitCompiledCall(t, v, callee);
}

/// Makes the object of `object.method(...)` the first argument, once.
void insertReceiverAsFirstArgument(FunctionTyping &t, Value &call, const LibraryRow &row) {
  Value &method = *call.operands[0];
  if (method.opcode == Opcode::Constant)
    return;
  if (method.opcode != Opcode::Attribute || method.operands[0]->type == objectType())
    t.error(call, std::string(row.displayName()) + "() must be called where it is named", "",
            "write object.method(...)");
  Value *function = t.function.makeValue(Opcode::Constant, method.span);
  function->operands = {&method}; // keeps it used
  function->constant = method.constant;
  function->type = objectType();
  function->block = call.block;
  std::vector<Span> spans{call.spanOf(0), method.spanOf(0)};
  for (size_t i = 1; i < call.operands.size(); ++i)
    spans.push_back(call.spanOf(i));
  call.operands[0] = method.operands[0];
  call.operands.insert(call.operands.begin(), function);
  call.operandSpans = std::move(spans);
}

/// The row of a library function; null for other functions.
const LibraryRow *findLibraryRowOf(const FunctionTyping &t, const Constant &function) {
  return function.kind == ConstantKind::Intrinsic ? findLibraryRow(function.text, t.rules().target)
                                                  : nullptr;
}

/// If all arrays of an elementwise call are zero-dimensional, NumPy returns a number: replaces them by their elements.
void replaceZeroDimArguments(FunctionTyping &t, Value &v) {
  auto arguments = llvm::drop_begin(v.operands);
  if (llvm::any_of(arguments, [](Value *a) { return a->type.isArray() && a->type->ndim > 0; }))
    return;
  for (Value *&argument : arguments) {
    if (!argument->type.isArray())
      continue;
    Value *none = t.insertBefore(v, Opcode::Tuple, v.span, {});
    t.visit(*none);
    Value *element = t.insertBefore(v, Opcode::Index, v.span, {argument, none});
    t.visit(*element);
    argument = element;
  }
}

/// True if a call appends to a list whose items may be None.
bool appendsToOptionalList(const LibraryRow &row, const Value &call) {
  return row.meaning == Meaning::Append && call.operands.size() > 1 &&
         mayHoldNone(call.operands[1]->type);
}

/// Unwraps optionals in a tuple that is appended as an item, if the list's items have plain values there.
void unwrapAppendedTuple(FunctionTyping &t, Value &append) {
  const Value &item = *append.operands[2];
  Type wanted = append.operands[1]->type.isList() ? append.operands[1]->type->element : Type();
  bool mayBeNone = item.opcode == Opcode::Tuple && item.name.empty() && wanted &&
                   wanted.isTuple() && wanted->elements.size() == item.operands.size() &&
                   !isConvertible(item.type, wanted);
  if (!mayBeNone)
    return;
  Value &unwrapped = *t.insertBefore(append, Opcode::Tuple, append.spanOf(2), item.operands);
  append.operands[2] = &unwrapped;
  for (size_t i = 0; i < unwrapped.operands.size(); ++i)
    if (!wanted->elements[i].is(TypeKind::Optional))
      t.unwrapOperand(unwrapped, i);
  t.visit(unwrapped);
}

bool visitLibraryCall(FunctionTyping &t, Value &v, const LibraryRow &row) {
  if (!v.type && row.meaning == Meaning::TypeQuestion && !t.decisions.mayDecideOrPostpone(v))
    return false;
  if (row.isMethod())
    insertReceiverAsFirstArgument(t, v, row);
  v.library = &row;
  v.callee = nullptr;
  size_t unwrapped = row.takesNone ? 1 : appendsToOptionalList(row, v) ? 2 : v.operands.size();
  for (size_t i = 1; i < unwrapped; ++i)
    t.unwrapOperand(v, i);
  if (row.meaning == Meaning::Append && v.operands.size() == 3)
    unwrapAppendedTuple(t, v);
  if (row.meaning == Meaning::Iteration)
    for (size_t i = 1; i < v.operands.size(); ++i)
      iterateOverSnapshot(t, v, i);
  if (row.meaning == Meaning::Length && v.operands.size() == 2)
    replaceViewWithDict(t, v, 1, {"dict.keys", "dict.values", "dict.items"});
  if (t.rules().makesArrays && isElementwiseCall(row, v) && !findOutputArgument(row, v))
    replaceZeroDimArguments(t, v);
  if (isElementwiseCall(row, v))
    return setType(v, typeElementwiseCall(t.function, v, row));
  CallTyping typing(t.function, v, row);
  Type type = row.type(typing);
  return v.opcode == Opcode::Call ? setType(v, type)
                                  : t.visit(v); // a row may have made it an operator
}

/// Unwraps optional arguments; true if there were any.
bool unwrapOptionalArguments(FunctionTyping &t, Value &call) {
  size_t before = t.function.values.size();
  for (size_t i = 1; i < call.operands.size(); ++i)
    t.unwrapOperand(call, i);
  return t.function.values.size() != before;
}

/// Converts fixed-length strings to strings if a method adds them to a container, or searches for them.
void convertCharactersArguments(FunctionTyping &t, Value &call, llvm::StringRef method) {
  bool isOfContainer =
      method.starts_with("list.") || method.starts_with("dict.") || method.starts_with("set.");
  for (size_t i = 1; isOfContainer && i < call.operands.size(); ++i)
    convertToString(t, call, i);
}

/// Converts list literals in arguments of the program's methods to lists. Library methods receive tuples.
void convertListArguments(FunctionTyping &t, Value &user, size_t first) {
  for (size_t i = first; i < user.operands.size(); ++i) {
    Value &written = *user.operands[i];
    if (written.opcode != Opcode::Tuple || written.name != nameOfArgumentLists ||
        written.operands.empty())
      continue;
    Value *list = t.insertBefore(user, Opcode::List, user.spanOf(i), written.operands);
    convertListArguments(t, *list, 0);
    t.visit(*list);
    user.operands[i] = list;
  }
}

bool visitOverloadedCall(FunctionTyping &t, Value &v, const Constant &function) {
  convertCharactersArguments(t, v, function.text);
  if (t.rules().makesArrays && llvm::StringRef(function.text).starts_with("'"))
    convertListArguments(t, v, 1);
  if (const LibraryRow *row = findLibraryRowOf(t, function); row && row->isMethod())
    insertReceiverAsFirstArgument(t, v, *row);
  std::vector<CallArgument> arguments = collectArguments(v);
  FunctionSource *found = t.instances.findImplementation(function, arguments, t.rules().target);
  const LibraryRow *row = found ? nullptr : findLibraryRowOf(t, function);
  if (!found && !row && unwrapOptionalArguments(t, v)) {
    arguments = collectArguments(v);
    found = t.instances.findImplementation(function, arguments, t.rules().target);
  }
  std::set<size_t> literals; // parameters whose values an implementation requests
  while (found)
    try {
      return visitCompiledCall(t, v, *found, !function.text.starts_with("str."), literals);
    } catch (const OverloadWantsLiteral &wanted) {
      arguments = collectArguments(v);
      if (wanted.parameter >= arguments.size() || !literals.insert(wanted.parameter).second)
        throw;
      for (size_t literal : literals)
        arguments[literal].isWanted = true;
      if (FunctionSource *other =
              t.instances.findImplementation(function, arguments, t.rules().target))
        found = other;
    }
  if (row)
    return visitLibraryCall(t, v, *row);
  std::string instead = function.object ? function.object->hintForCalling() : "";
  if (!instead.empty())
    t.error(v, "a " + t.rules().noun + " cannot call " + function.text, "", instead);
  bool isOfProgram = !llvm::StringSwitch<bool>(llvm::StringRef(function.text).split('.').first)
                          .Cases({"array", "builtins", "bytes", "dict", "Generator", "heapq"}, true)
                          .Cases({"list", "math", "numpy", "set", "str", "tuple"}, true)
                          .Default(false);
  std::string types;
  for (const CallArgument &a : arguments)
    types += (types.empty() ? "" : ", ") + (a.name.empty() ? "" : a.name + "=") + a.type.name();
  t.error(v,
          "no implementation of " + function.text + " for " + t.rules().plural +
              " takes these arguments",
          "(" + types + ")",
          isOfProgram ? "its overloads return None for these types"
                      : "it takes other types, or another number of arguments");
}

/// True for a ufunc, which has one implementation for numbers and others for arrays.
bool isUfunc(const FunctionTyping &t, const Constant &function) {
  return t.rules().makesArrays && function.object->isElementwise();
}

bool visitMethodCall(FunctionTyping &t, Value &v) {
  Value &attribute = *v.operands[0];
  if (attribute.opcode != Opcode::Attribute)
    t.error(v, "a method must be called where it is looked up", "", "write x.f(...)");
  Constant method = *attribute.constant;
  method.kind = ConstantKind::Overload;
  Value *function = t.insertConstant(v, attribute.span, std::move(method));
  while (v.operandSpans.size() < v.operands.size())
    v.operandSpans.push_back(v.operands[v.operandSpans.size()]->span);
  v.operands[0] = function;
  v.operands.insert(v.operands.begin() + 1, attribute.operands[0]);
  v.operandSpans.insert(v.operandSpans.begin() + 1, attribute.spanOf(0));
  return visitCall(t, v);
}

/// Replaces slice(stop) or slice(start, stop, step) by a slice, as in brackets.
bool visitSliceConstructor(FunctionTyping &t, Value &v) {
  size_t given = v.operands.size() - 1;
  if (given < 1 || given > 3 || !v.names.empty())
    t.error(v, "slice(start, stop, step) was given " + std::to_string(given) +
                   (given == 1 ? " argument" : " arguments"));
  std::vector<Value *> parts(v.operands.begin() + 1, v.operands.end());
  std::vector<Span> spans;
  for (size_t i = 0; i < given; ++i)
    spans.push_back(v.spanOf(i + 1));
  for (size_t i = given; i < 3; ++i) {
    Value *none = t.insertConstant(v, v.span, {});
    bool first = given == 1 && i == 1; // the argument is the stop
    parts.insert(first ? parts.begin() : parts.end(), none);
    spans.insert(first ? spans.begin() : spans.end(), v.span);
  }
  v.operands[0]->opcode = Opcode::Constant; // still used, although no call remains
  v.opcode = Opcode::Slice;
  v.operands = std::move(parts);
  v.operandSpans = std::move(spans);
  return t.visit(v);
}

bool visitGetattrCall(FunctionTyping &t, Value &v) {
  size_t given = v.operands.size() - 1;
  if (given < 2 || given > 3 || !v.names.empty())
    t.error(v, "getattr(object, name, default) was given " + std::to_string(given) +
                   (given == 1 ? " argument" : " arguments"));
  const std::optional<Constant> &name = v.operands[2]->constant;
  if (!name || name->kind != ConstantKind::String)
    t.errorAt(v, 2, "the name of an attribute must be a constant string",
              describeType(*v.operands[2]));
  v.operands[0]->opcode = Opcode::Constant; // still used, although no call remains
  Value &object = *v.operands[1];
  if (given == 3 && !hasAttribute(t.function, object, name->text)) {
    v.opcode = Opcode::Unpack;
    v.operands = {t.insertBefore(v, Opcode::Tuple, v.span, {v.operands[3]})};
    v.index = 0;
    v.count = 1;
    t.visit(*v.operands[0]);
  } else {
    v.opcode = Opcode::Attribute;
    v.name = name->text;
    v.operands = {&object};
  }
  v.operandSpans.clear();
  return t.visit(v);
}

/// Evaluates a call of a host function at compile time if its arguments are constants. The call becomes the result.
bool evaluateCallAtCompileTime(FunctionTyping &t, Value &v, const Constant &function) {
  if (!function.object || !v.names.empty())
    return false;
  std::vector<Constant> arguments;
  for (size_t i = 1; i < v.operands.size(); ++i) {
    const Value &operand = *v.operands[i];
    bool isNamed = operand.opcode == Opcode::Global || operand.opcode == Opcode::Attribute ||
                   operand.opcode == Opcode::Constant;
    std::optional<Constant> constant = isNamed ? lookupName(t, operand) : std::nullopt;
    if (!constant)
      return false;
    arguments.push_back(std::move(*constant));
  }
  std::optional<Constant> result = function.object->callAtCompileTime(arguments);
  if (!result)
    return false;
  v.opcode = Opcode::Constant;
  v.constant = std::move(result);
  v.operands.clear();
  v.operandSpans.clear();
  return true;
}

} // namespace

void expandStarred(FunctionTyping &t, Value &v, size_t first) {
  for (size_t i = first; i < v.operands.size(); ++i) {
    Value *starred = v.operands[i];
    if (starred->opcode != Opcode::Starred)
      continue;
    Span span = v.spanOf(i);
    while (v.operandSpans.size() < v.operands.size())
      v.operandSpans.push_back(v.operands[v.operandSpans.size()]->span);
    std::vector<Value *> parts;
    for (size_t k = 0; k < starred->type->elements.size(); ++k) {
      Value *part = t.insertBefore(v, Opcode::Unpack, span, {starred->operands[0]});
      part->index = k;
      part->count = starred->type->elements.size();
      t.visit(*part);
      parts.push_back(part);
    }
    v.operands.erase(v.operands.begin() + i);
    v.operandSpans.erase(v.operandSpans.begin() + i);
    v.operands.insert(v.operands.begin() + i, parts.begin(), parts.end());
    v.operandSpans.insert(v.operandSpans.begin() + i, parts.size(), span);
    i += parts.size() - 1;
  }
}

bool visitCall(FunctionTyping &t, Value &v) {
  expandStarred(t, v, 1);
  Value &function = *v.operands[0];
  if (function.type.is(TypeKind::Optional) && function.type->element.isChoice()) {
    t.unwrapOperand(v, 0);
    return visitTaggedFunctionCall(t, v);
  }
  if (function.type.isChoice())
    return visitTaggedFunctionCall(t, v);
  if (function.type.is(TypeKind::Closure))
    return visitCompiledCall(t, v, const_cast<FunctionSource &>(*function.type->function));
  if (function.constant)
    switch (function.constant->kind) {
    case ConstantKind::Intrinsic: {
      const LibraryRow &row = *findLibraryRowOf(t, *function.constant);
      if (std::optional<bool> ofInstance = visitInstanceBuiltin(t, v, row.name))
        return *ofInstance;
      convertCharactersArguments(t, v, row.name);
      if (row.meaning == Meaning::Unroll)
        convertUnrolledListsToTuples(t, v);
      if (row.meaning == Meaning::Next)
        makeIteratorStateful(t, v);
      if (row.meaning == Meaning::Getattr)
        return visitGetattrCall(t, v);
      if (row.meaning == Meaning::Slice)
        return visitSliceConstructor(t, v);
      return function.constant->object ? visitOverloadedCall(t, v, *function.constant)
                                       : visitLibraryCall(t, v, row);
    }
    case ConstantKind::Type:
      return visitCast(t, v, function.constant->type);
    case ConstantKind::TupleClass:
      return visitNamedTupleConstructor(t, v, *function.constant);
    case ConstantKind::Function:
      if (isUfunc(t, *function.constant))
        return visitOverloadedCall(t, v, *function.constant);
      return visitFunctionCall(t, v, *function.constant->object->functionSource());
    case ConstantKind::Overload:
      return visitOverloadedCall(t, v, *function.constant);
    case ConstantKind::Method:
      return visitMethodCall(t, v);
    default:
      if (evaluateCallAtCompileTime(t, v, *function.constant))
        return t.visit(v);
      break;
    }
  t.error(v, "a " + t.rules().noun + " cannot call " + describeType(function));
}

bool visitClosure(FunctionTyping &t, Value &v) {
  std::vector<Type> captured;
  Constant known{.kind = ConstantKind::Tuple};
  for (Value *operand : v.operands) {
    captured.push_back(operand->type);
    known.items.push_back(operand->constant.value_or(Constant{.kind = ConstantKind::Unknown}));
  }
  v.constant = std::move(known);
  return setType(v, closureType(v.function, v.function->name, std::move(captured)));
}

bool isCallThatTestsType(FunctionTyping &t, const Value &call) {
  std::optional<Constant> function = lookupName(t, *call.operands[0]);
  const LibraryRow *row = function ? findLibraryRowOf(t, *function) : nullptr;
  return row && row->meaning == Meaning::TypeQuestion;
}

} // namespace heddle::python
