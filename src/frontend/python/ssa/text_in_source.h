// f-strings in the syntax tree. Their expressions are wrapped in implicit calls of str() and repr().
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// The origin of a conversion to text.
enum class TextOrigin : uint8_t {
  Call,          ///< str(x) in the program
  FString,       ///< an expression of an f-string
  AssertMessage, ///< an expression of the f-string of an assert; omitted if it is not constant
};

/// The name of an exception's argument that is a tuple of constants: the pieces of a text.
inline constexpr const char *textOfPieces = "text of pieces";

/// The function that an f-string calls to format an expression.
inline Constant textFunction(const std::string &name, TextOrigin origin) {
  Constant function = Constant::ofIntrinsic("builtins." + name);
  function.integer = int64_t(origin);
  return function;
}

inline TextOrigin originOf(const Value &call) {
  return TextOrigin(call.operands[0]->constant->integer);
}

} // namespace heddle::python
