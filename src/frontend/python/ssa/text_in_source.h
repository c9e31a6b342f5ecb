// f-strings in the syntax tree: the parts that are expressions are calls of str() and repr(), which their programs did not
// write.
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// Who asks for a text.
enum class TextOrigin : uint8_t {
  Call,          ///< str(x) in the program
  FString,       ///< a part of an f-string
  AssertMessage, ///< a part of an f-string that is left out when it is not known
};

/// The name of a tuple of constants that are the pieces of a text, among the arguments of an exception.
inline constexpr const char *textOfPieces = "text of pieces";

/// What an f-string calls for the text of an expression.
inline Constant textFunction(const std::string &name, TextOrigin origin) {
  Constant function = Constant::ofIntrinsic("builtins." + name);
  function.integer = int64_t(origin);
  return function;
}

inline TextOrigin originOf(const Value &call) {
  return TextOrigin(call.operands[0]->constant->integer);
}

} // namespace heddle::python
