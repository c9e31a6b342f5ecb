// Exceptions that a function raises.

#include "frontend/python/infer/visits.h"
#include "frontend/python/ssa/text_in_source.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {
namespace {

const std::string failedAssertion = "assertion failed";

/// Whether a value is, or holds, what lies in memory.
bool memoryIn(Type type) {
  return type.isArray() || type.isRecord() || type.isContainer() ||
         (type.isTuple() && llvm::any_of(type->elements, memoryIn));
}

/// What is known of an argument; its type alone where that is all, and exceptions can have values of run time.
std::optional<Constant> knownOf(FunctionTyping &t, const Value &argument) {
  if (argument.constant && argument.constant->isWhole())
    return argument.constant;
  bool isValue = argument.type.isScalar() || argument.type.isComplex() || argument.type.isTime() ||
                 argument.type.isEnumMember() || argument.type.isTuple() ||
                 argument.type == textType();
  if (t.rules().raise != Raise::Throws || !isValue || holdsObject(argument.type) ||
      memoryIn(argument.type))
    return {};
  return Constant{.kind = ConstantKind::Unknown, .type = argument.type};
}

/// The arguments of the exception; a text that is made of pieces is a tuple of them, named textOfPieces. Those of an
/// assertion may be unknown: it then has none.
std::vector<Constant> argumentsOf(FunctionTyping &t, const Value &raise) {
  std::vector<Constant> arguments;
  for (size_t i = 1; i < raise.operands.size(); ++i) {
    std::optional<Constant> argument = knownOf(t, *raise.operands[i]);
    if (!argument) {
      if (raise.name == "AssertionError")
        return {};
      fail(t.source, raise.spanOf(i), ErrorKind::Unsupported,
           "the arguments of an exception raised in a " + t.rules().noun + " must be constants" +
               (t.rules().raise == Raise::Throws ? ", numbers or strings" : ""),
           "",
           "the message is fixed while compiling: leave out what is known only at run time, or "
           "print it before");
    }
    const std::string &piece = raise.names.size() < i ? "" : raise.names[i - 1];
    if (piece == "text")
      arguments.push_back({.kind = ConstantKind::Tuple, .text = textOfPieces});
    if (piece.empty())
      arguments.push_back(std::move(*argument));
    else
      arguments.back().items.push_back(std::move(*argument));
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

bool visitCatches(FunctionTyping &t, Value &v) {
  const Value &type = *v.operands[1];
  std::vector<Constant> classes;
  if (type.constant)
    classes = type.constant->kind == ConstantKind::Tuple ? type.constant->items
                                                         : std::vector{*type.constant};
  bool areClasses = type.constant && llvm::all_of(classes, [](const Constant &c) {
                      return c.kind == ConstantKind::Exception;
                    });
  if (!areClasses)
    t.error(v, "except takes a class of exceptions or a tuple of them, not " + describeType(type),
            describeType(type));
  v.names.clear();
  for (const Constant &c : classes) {
    if (c.text == "Exception" || c.text == "BaseException") // everything that is caught is one
      return setConstant(v, Constant::ofBool(true));
    v.names.push_back(c.text);
  }
  return setType(v, boolType());
}

bool visitRaise(FunctionTyping &t, Value &v) {
  const Value &type = *v.operands[0];
  if (type.type.is(TypeKind::Caught))
    return setType(v, noneType());
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
