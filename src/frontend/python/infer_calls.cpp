// Types of calls: rows of the library, casts, device functions.

#include "frontend/python/fold.h"
#include "frontend/python/inference.h"
#include "frontend/python/library.h"
#include "frontend/python/ufuncs.h"

namespace heddle::python {
namespace {

std::string headOf(const FunctionSource &f) {
  std::string head = f.name + "(";
  for (size_t i = 0; i < f.parameters.size(); ++i)
    head += (i ? ", " : "") + f.parameters[i].name + (f.parameters[i].defaultValue ? "=..." : "");
  return head + ")";
}

} // namespace

bool Inference::visitCall(Value &v) {
  Value &function = *v.operands[0];
  if (function.constant)
    switch (function.constant->kind) {
    case ConstantKind::Intrinsic:
      return visitLibraryCall(v, *function.constant);
    case ConstantKind::Type:
      return visitCast(v, function.constant->type);
    case ConstantKind::TupleClass:
      return visitTupleClass(v, *function.constant);
    case ConstantKind::Function:
      return visitDeviceCall(v, *function.constant->object->function());
    default:
      break;
    }
  error(v, "a kernel cannot call " + describeType(function));
}

bool Inference::visitLibraryCall(Value &v, const Constant &constant) {
  const LibraryEntry *entry = findLibraryEntry(constant.text);
  if (entry->isMethod())
    passReceiver(v, *entry);
  v.library = entry;
  if (isOverArrays(*entry, v))
    return set(v, typeOverArrays(source_, v, *entry));
  CallTyping typing(source_, v, *entry);
  return set(v, entry->type(typing));
}

void Inference::passReceiver(Value &call, const LibraryEntry &entry) {
  Value &method = *call.operands[0];
  if (method.opcode == Opcode::Constant)
    return;
  if (method.opcode != Opcode::Attribute || method.operands[0]->type == objectType())
    error(call, std::string(entry.shown()) + "() must be called where it is named", "",
          "write object.method(...)");
  Value *function = f_.make(Opcode::Constant, method.span);
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

std::vector<Argument> Inference::bindArguments(Value &v, FunctionSource &callee) {
  size_t positional = v.operands.size() - 1 - v.names.size();
  size_t wanted = callee.parameters.size();
  std::vector<Value *> bound(wanted, nullptr);
  std::vector<Span> spans(wanted, v.span);
  auto take = [&](size_t parameter, size_t operand) {
    bound[parameter] = v.operands[operand];
    spans[parameter] = v.spanOf(operand);
  };
  auto wrong = [&](const std::string &message) {
    error(v, message, "", "it is defined as " + headOf(callee));
  };
  if (positional > wanted)
    wrong(callee.name + "() takes " + std::to_string(wanted) +
          (wanted == 1 ? " argument, " : " arguments, ") + std::to_string(positional) +
          " were given");
  for (size_t i = 0; i < positional; ++i)
    take(i, i + 1);
  for (size_t k = 0; k < v.names.size(); ++k) {
    size_t i = 0;
    while (i < wanted && callee.parameters[i].name != v.names[k])
      ++i;
    if (i == wanted || bound[i])
      wrong(callee.name + "() got " + (i == wanted ? "an unknown" : "a second") + " argument '" +
            v.names[k] + "'");
    take(i, 1 + positional + k);
  }
  std::vector<Argument> arguments;
  const std::vector<bool> &constants = program_.constantParametersOf(callee);
  for (size_t i = 0; i < wanted; ++i) {
    if (!bound[i]) {
      if (!callee.parameters[i].defaultValue)
        wrong(callee.name + "() needs an argument for '" + callee.parameters[i].name + "'");
      bound[i] = f_.make(Opcode::Constant, v.span);
      bound[i]->constant = callee.parameters[i].defaultValue;
      bound[i]->type = bound[i]->constant->valueType();
      bound[i]->block = v.block;
    }
    Argument argument{bound[i]->type, {}};
    if (argument.type == objectType() || argument.type == stringType()) {
      if (!bound[i]->constant)
        fail(source_, spans[i], ErrorKind::Typing, "this argument is not known while compiling",
             argument.type.name());
      argument.constant = bound[i]->constant;
    }
    if (constants[i])
      argument.constant = bound[i]->constant;
    if (i < callee.declaredParameters.size()) {
      if (!convertible(argument.type, callee.declaredParameters[i]))
        fail(source_, spans[i], ErrorKind::Typing,
             callee.name + "() declares '" + callee.parameters[i].name + "' as " +
                 callee.declaredParameters[i].name(),
             argument.type.name());
      argument.type = callee.declaredParameters[i];
    }
    arguments.push_back(std::move(argument));
  }
  bound.insert(bound.begin(), v.operands[0]);
  spans.insert(spans.begin(), v.spanOf(0));
  v.operandSpans = std::move(spans);
  v.operands = std::move(bound);
  v.names.clear();
  return arguments;
}

} // namespace heddle::python
