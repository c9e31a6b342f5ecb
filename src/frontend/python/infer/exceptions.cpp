// Exceptions that a function raises.

#include "frontend/python/infer/visits.h"
#include "frontend/python/ssa/text_in_source.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <cstdio>

namespace heddle::python {
namespace {

const std::string failedAssertion = "assertion failed";

/// True if a value is or contains an object in memory.
bool holdsMemory(Type type) {
  return type.isArray() || type.isRecord() || type.isContainer() ||
         (type.isTuple() && llvm::any_of(type->elements, holdsMemory));
}

/// The constant for an argument, or only its type if exceptions can have run-time values.
std::optional<Constant> argumentConstant(FunctionTyping &t, const Value &argument) {
  if (argument.constant && argument.constant->isFullyKnown())
    return argument.constant;
  bool isValue = argument.type.isScalar() || argument.type.isComplex() || argument.type.isTime() ||
                 argument.type.isEnumMember() || argument.type.isTuple() ||
                 argument.type == runtimeStringType();
  if (t.rules().raise != Raise::Throws || !isValue || holdsCompileTimeObject(argument.type) ||
      holdsMemory(argument.type))
    return {};
  return Constant{.kind = ConstantKind::Unknown, .type = argument.type};
}

/// The arguments of the exception. A text that consists of pieces is a tuple of them, named textOfPieces. The message
/// of an assertion may be unknown; the assertion then has no arguments.
std::vector<Constant> exceptionArguments(FunctionTyping &t, const Value &raise) {
  std::vector<Constant> arguments;
  for (size_t i = 1; i < raise.operands.size(); ++i) {
    std::optional<Constant> argument = argumentConstant(t, *raise.operands[i]);
    if (!argument) {
      if (raise.name == "AssertionError")
        return {};
      fail(t.source, raise.spanOf(i), ErrorKind::Unsupported,
           "the arguments of an exception raised in a " + t.rules().noun + " must be constants" +
               (t.rules().raise == Raise::Throws ? ", numbers or strings" : ""),
           "",
           "the message is a compile-time constant: omit run-time values, or print them before");
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

/// Python's repr of a float; nothing for NaN, which has no literal.
std::optional<std::string> formatLiteral(double x) {
  if (std::isnan(x))
    return {};
  if (std::isinf(x))
    return x < 0 ? "-1e999" : "1e999";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", x);
  std::string text = buffer;
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string quoted(const std::string &text) {
  std::string out = "'";
  for (char c : text) {
    char code[8];
    std::snprintf(code, sizeof code, "\\x%02x", unsigned(c));
    if (unsigned(c) < ' ')
      out += code;
    else
      out += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  }
  return out + "'";
}

/// A constant in Python syntax, or as text if it has no literal, such as a type.
std::string formatLiteral(const Constant &c) {
  switch (c.kind) {
  case ConstantKind::None:
  case ConstantKind::Bool:
  case ConstantKind::Int:
  case ConstantKind::Ellipsis:
    return c.describe();
  case ConstantKind::Float:
    return formatLiteral(c.real).value_or(quoted("nan"));
  case ConstantKind::String:
    return quoted(c.text);
  case ConstantKind::Complex: {
    std::optional<std::string> real = formatLiteral(c.real), imaginary = formatLiteral(c.imaginary);
    return real && imaginary ? *real + (*imaginary->begin() == '-' ? "" : "+") + *imaginary + "j"
                             : quoted(c.describe());
  }
  case ConstantKind::Tuple: {
    std::string out = "(";
    for (const Constant &item : c.items)
      out += formatLiteral(item) + ", ";
    return out + ")";
  }
  default:
    return quoted(c.describe());
  }
}

/// The arguments of an exception in a kernel: the message, and the others in Python syntax.
Constant makeMessageConstant(std::string message, std::vector<Constant> arguments) {
  Constant out{.kind = ConstantKind::Tuple, .items = {Constant::ofString(std::move(message))}};
  if (arguments.size() > 1) {
    Constant others{.kind = ConstantKind::Tuple, .items = {arguments.begin() + 1, arguments.end()}};
    out.items.push_back(Constant::ofString(formatLiteral(others)));
  }
  return out;
}

std::string messageOfRaise(const Value &raise, const std::vector<Constant> &arguments) {
  if (arguments.empty() && raise.name == "AssertionError")
    return failedAssertion;
  if (arguments.empty())
    return "";
  const Constant &first = arguments.front();
  return first.kind == ConstantKind::String ? first.text : first.describe();
}

} // namespace

bool visitExceptMatch(FunctionTyping &t, Value &v) {
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
  std::vector<Constant> arguments = exceptionArguments(t, v);
  if (t.rules().raise == Raise::Throws)
    v.constant = Constant{.kind = ConstantKind::Tuple, .items = std::move(arguments)};
  else
    v.constant = makeMessageConstant(messageOfRaise(v, arguments), arguments);
  return setType(v, noneType());
}

} // namespace heddle::python
