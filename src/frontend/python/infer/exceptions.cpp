// Exceptions that a function raises.

#include "frontend/python/infer/visits.h"

namespace heddle::python {
namespace {

const std::string failedAssertion = "assertion failed";

/// The arguments of the exception. Those of an assertion may be unknown: it then has none.
std::vector<Constant> argumentsOf(FunctionTyping &t, const Value &raise) {
  std::vector<Constant> arguments;
  for (size_t i = 1; i < raise.operands.size(); ++i) {
    const std::optional<Constant> &argument = raise.operands[i]->constant;
    if (!argument || !argument->isWhole()) {
      if (raise.name == "AssertionError")
        return {};
      fail(t.source, raise.spanOf(i), ErrorKind::Unsupported,
           "the arguments of an exception raised in a " + t.rules().noun + " must be constants", "",
           "the message is fixed while compiling: leave out what is known only at run time, or "
           "print it before");
    }
    arguments.push_back(*argument);
  }
  return arguments;
}

std::string messageOf(const Value &raise, const std::vector<Constant> &arguments) {
  if (arguments.empty() && raise.name == "AssertionError")
    return failedAssertion;
  std::string message;
  for (const Constant &argument : arguments)
    message += (message.empty() ? "" : ", ") +
               (argument.kind == ConstantKind::String ? argument.text : argument.describe());
  return message;
}

} // namespace

bool visitRaise(FunctionTyping &t, Value &v) {
  const Value &type = *v.operands[0];
  if (!type.constant || type.constant->kind != ConstantKind::Exception)
    fail(t.source, v.span, ErrorKind::Unsupported,
         "raise takes an exception class, not " + describeType(type));
  v.name = type.constant->text;
  std::vector<Constant> arguments = argumentsOf(t, v);
  if (t.rules().raise == Raise::Throws)
    v.constant = Constant{.kind = ConstantKind::Tuple, .items = std::move(arguments)};
  else
    v.constant = Constant::ofString(messageOf(v, arguments));
  return setType(v, noneType());
}

} // namespace heddle::python
