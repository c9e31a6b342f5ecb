// Types of calls: rows of the library, casts, device functions.

#include "frontend/python/infer/inference.h"
#include "frontend/python/rows/members.h"
#include "frontend/python/rows/over_arrays.h"
#include "frontend/python/rows/row.h"
#include "frontend/python/types/fold.h"

#include <algorithm>
#include <map>

namespace heddle::python {
namespace {

std::string headOf(const FunctionSource &f) {
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

std::vector<CallArgument> argumentsOf(const Value &call) {
  std::vector<CallArgument> arguments;
  size_t positional = call.operands.size() - call.names.size();
  for (size_t i = 1; i < call.operands.size(); ++i) {
    const Value &v = *call.operands[i];
    arguments.push_back({.name = i < positional ? "" : call.names[i - positional],
                         .type = v.type,
                         .constant = v.constant && v.constant->isWhole() ? &*v.constant : nullptr});
  }
  return arguments;
}

} // namespace

void Inference::expandStarred(Value &v) {
  for (size_t i = 1; i < v.operands.size(); ++i) {
    Value *starred = v.operands[i];
    if (starred->opcode != Opcode::Starred)
      continue;
    Span span = v.spanOf(i);
    while (v.operandSpans.size() < v.operands.size())
      v.operandSpans.push_back(v.operands[v.operandSpans.size()]->span);
    std::vector<Value *> parts;
    for (size_t k = 0; k < starred->type->elements.size(); ++k) {
      Value *part = insertBefore(v, Opcode::Unpack, span, {starred->operands[0]});
      part->index = k;
      part->count = starred->type->elements.size();
      visit(*part);
      parts.push_back(part);
    }
    v.operands.erase(v.operands.begin() + i);
    v.operandSpans.erase(v.operandSpans.begin() + i);
    v.operands.insert(v.operands.begin() + i, parts.begin(), parts.end());
    v.operandSpans.insert(v.operandSpans.begin() + i, parts.size(), span);
    i += parts.size() - 1;
  }
}

bool Inference::visitCall(Value &v) {
  expandStarred(v);
  Value &function = *v.operands[0];
  if (function.type.is(TypeKind::Closure))
    return visitDeviceCall(v, const_cast<FunctionSource &>(*function.type->function));
  if (function.constant)
    switch (function.constant->kind) {
    case ConstantKind::Intrinsic:
      if (function.constant->text == "builtins.getattr")
        return visitGetattr(v);
      return function.constant->object ? visitOverload(v, *function.constant)
                                       : visitLibraryCall(v, *function.constant);
    case ConstantKind::Type:
      return visitCast(v, function.constant->type);
    case ConstantKind::TupleClass:
      return visitTupleClass(v, *function.constant);
    case ConstantKind::Function:
      return visitDeviceCall(v, *function.constant->object->function());
    case ConstantKind::Overload:
      return visitOverload(v, *function.constant);
    case ConstantKind::Method:
      return visitMethod(v);
    default:
      break;
    }
  error(v, "a kernel cannot call " + describeType(function));
}

bool Inference::visitOverload(Value &v, const Constant &function) {
  std::vector<CallArgument> arguments = argumentsOf(v);
  if (FunctionSource *found = program_.implementation(function, arguments))
    return visitDeviceCall(v, *found);
  if (function.kind == ConstantKind::Intrinsic)
    return visitLibraryCall(v, function);
  std::string types;
  for (const CallArgument &a : arguments)
    types += (types.empty() ? "" : ", ") + (a.name.empty() ? "" : a.name + "=") + a.type.name();
  error(v, "no implementation of " + function.text + " for kernels takes these arguments",
        "(" + types + ")", "its overloads return None for these types");
}

bool Inference::visitMethod(Value &v) {
  Value &attribute = *v.operands[0];
  if (attribute.opcode != Opcode::Attribute)
    error(v, "a method must be called where it is looked up", "", "write x.f(...)");
  Value *function = insertBefore(v, Opcode::Constant, attribute.span, {});
  function->constant = attribute.constant;
  function->constant->kind = ConstantKind::Overload;
  visit(*function);
  while (v.operandSpans.size() < v.operands.size())
    v.operandSpans.push_back(v.operands[v.operandSpans.size()]->span);
  v.operands[0] = function;
  v.operands.insert(v.operands.begin() + 1, attribute.operands[0]);
  v.operandSpans.insert(v.operandSpans.begin() + 1, attribute.spanOf(0));
  return visitCall(v);
}

bool Inference::visitGetattr(Value &v) {
  size_t given = v.operands.size() - 1;
  if (given < 2 || given > 3 || !v.names.empty())
    error(v, "getattr(object, name, default) was given " + std::to_string(given) +
                 (given == 1 ? " argument" : " arguments"));
  const std::optional<Constant> &name = v.operands[2]->constant;
  if (!name || name->kind != ConstantKind::String)
    errorAt(v, 2, "the name of an attribute must be a constant string",
            describeType(*v.operands[2]));
  v.operands[0]->opcode = Opcode::Constant; // it is used, though no call of it is left
  Value &object = *v.operands[1];
  if (given == 3 && !hasAttribute(source_, object, name->text)) {
    v.opcode = Opcode::Unpack;
    v.operands = {insertBefore(v, Opcode::Tuple, v.span, {v.operands[3]})};
    v.index = 0;
    v.count = 1;
    visit(*v.operands[0]);
  } else {
    v.opcode = Opcode::Attribute;
    v.name = name->text;
    v.operands = {&object};
  }
  v.operandSpans.clear();
  return visit(v);
}

bool Inference::asksForType(const Value &call) {
  const Value &function = *call.operands[0];
  const std::optional<Constant> &bound =
      function.opcode == Opcode::Global ? global(function.name) : function.constant;
  return bound && bound->kind == ConstantKind::Intrinsic &&
         (bound->text == "builtins.isinstance" || bound->text == "builtins.hasattr");
}

bool Inference::visitLibraryCall(Value &v, const Constant &constant) {
  const LibraryEntry *entry = findLibraryEntry(constant.text);
  if (!v.type && asksForType(v)) {
    if (!answer_) {
      question_ = question_ ? question_ : &v;
      return false;
    }
    answer_ = false; // what the answer makes reachable has types that the next question waits for
  }
  if (entry->isMethod())
    passReceiver(v, *entry);
  v.library = entry;
  if (!entry->takesNone)
    for (size_t i = 1; i < v.operands.size(); ++i)
      unwrapOperand(v, i);
  if (isOverArrays(*entry, v))
    return set(v, typeOverArrays(source_, v, *entry));
  CallTyping typing(source_, v, *entry);
  Type type = entry->type(typing);
  return v.opcode == Opcode::Call ? set(v, type) : visit(v); // a row may have made it an operator
}

void Inference::passReceiver(Value &call, const LibraryEntry &entry) {
  Value &method = *call.operands[0];
  if (method.opcode == Opcode::Constant)
    return;
  if (method.opcode != Opcode::Attribute || method.operands[0]->type == objectType())
    error(call, std::string(entry.shown()) + "() must be called where it is named", "",
          "write object.method(...)");
  Value *function = f_.make(Opcode::Constant, method.span);
  function->operands = {&method}; // which is used by being called
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

bool Inference::visitCast(Value &v, Type to) {
  if (to.isTime())
    return visitTimeCast(v, to);
  if (v.operands.size() != 2 || !v.names.empty())
    error(v, to.name() + "() takes one argument, " + std::to_string(v.operands.size() - 1) +
                 " were given");
  unwrapOperand(v, 1);
  if (!convertible(v.operands[1]->type, to))
    errorAt(v, 1, "cannot convert " + describeType(*v.operands[1]) + " to " + to.name(),
            v.operands[1]->type.name(),
            v.operands[1]->type.isComplex() ? "take its real part, x.real, or its size, abs(x)"
                                            : "");
  if (v.operands[1]->constant)
    v.constant = foldCast(*v.operands[1]->constant, to);
  return set(v, to);
}

bool Inference::visitDeviceCall(Value &v, FunctionSource &callee) {
  std::vector<Argument> arguments = bindArguments(v, callee);
  TypedFunction &target = program_.instance(callee, arguments);
  v.callee = &target;
  return target.result && set(v, target.result);
}

void Inference::bindOperands(Value &v, const FunctionSource &callee) {
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
    error(v, message, "", "it is defined as " + headOf(callee));
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
    bound[*variadic] = insertBefore(v, Opcode::Tuple, v.span, std::move(rest));
    visit(*bound[*variadic]);
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
    bound[i] = insertBefore(v, Opcode::Unpack, v.spanOf(0), {v.operands[0]});
    bound[i]->index = i - visible;
    visit(*bound[i]);
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
    bound[i] = insertBefore(v, Opcode::Constant, v.span, {});
    bound[i]->constant = parameters[i].defaultValue;
    visit(*bound[i]);
  }
  bound.insert(bound.begin(), v.operands[0]);
  spans.insert(spans.begin(), v.spanOf(0));
  v.operandSpans = std::move(spans);
  v.operands = std::move(bound);
  v.names.clear();
  v.boundTo = &callee;
}

std::vector<Argument> Inference::bindArguments(Value &v, FunctionSource &callee) {
  if (!v.boundTo)
    bindOperands(v, callee);
  else if (v.boundTo->parameters.size() != callee.parameters.size())
    error(v, "the implementations of " + callee.name + "() take different arguments");
  std::vector<Argument> arguments;
  const std::vector<bool> &constants = program_.constantParametersOf(callee);
  for (size_t i = 0; i < callee.parameters.size(); ++i) {
    const Value &operand = *v.operands[i + 1];
    Argument argument{operand.type, {}};
    if (holdsObject(argument.type)) {
      argument.constant = operand.constant ? operand.constant->objects() : std::nullopt;
      if (!argument.constant)
        errorAt(v, i + 1, "this argument is not known while compiling", argument.type.name());
    }
    if (constants[i])
      argument.constant = operand.constant;
    if (i < callee.declaredParameters.size()) {
      if (!convertible(argument.type, callee.declaredParameters[i]))
        errorAt(v, i + 1,
                callee.name + "() declares '" + callee.parameters[i].name + "' as " +
                    callee.declaredParameters[i].name(),
                argument.type.name());
      argument.type = callee.declaredParameters[i];
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

} // namespace heddle::python
