// Exceptions that a function raises.

#include "frontend/python/infer/visits.h"

namespace heddle::python {
namespace {

std::string messageOf(FunctionTyping &t, const Value &raise) {
  std::string message;
  for (size_t i = 1; i < raise.operands.size(); ++i) {
    const std::optional<Constant> &part = raise.operands[i]->constant;
    if (!part || !part->isWhole()) {
      if (raise.name == "AssertionError")
        return "assertion failed";
      fail(t.source, raise.spanOf(i), ErrorKind::Unsupported,
           "the arguments of an exception raised in a " + t.rules().noun + " must be constants", "",
           "the message is fixed while compiling: leave out what is known only at run time, or "
           "print it before");
    }
    message +=
        (i > 1 ? ", " : "") + (part->kind == ConstantKind::String ? part->text : part->describe());
  }
  return message;
}

} // namespace

bool visitRaise(FunctionTyping &t, Value &v) {
  const Value &type = *v.operands[0];
  if (!type.constant || type.constant->kind != ConstantKind::Exception)
    fail(t.source, v.span, ErrorKind::Unsupported,
         "raise takes an exception class, not " + describeType(type));
  v.name = type.constant->text;
  v.constant = Constant::ofString(messageOf(t, v));
  return setType(v, noneType());
}

} // namespace heddle::python
