// Finds the items that a function adds to its lists, dicts and sets. They determine the type of an initially empty
// container.
#pragma once

#include "frontend/python/infer/function_typing.h"

namespace heddle::python {

enum class PutAs : uint8_t {
  Item,    ///< an item of a list or set
  Items,   ///< an iterable of items
  Key,     ///< a dict key
  Entry,   ///< a dict value
  Default, ///< the default result of a dict method for a missing key
};

struct Put {
  Value *user; ///< the operation that adds
  size_t operand;
  PutAs as;

  Value &value() const { return *user->operands[operand]; }
};

/// The typed values that the function adds to `container`, which it creates. Follows variables, and other containers of
/// the function that hold `container`.
std::vector<Put> findValuesPutInto(FunctionTyping &t, const Value &container);
/// True if `store` is an entry of the dict literal.
bool isLiteralEntry(const Value &dict, const Value &store);
/// True if the function adds anything to the container beyond the items of its literal, typed or not.
bool hasValuesPutInto(FunctionTyping &t, const Value &container);

} // namespace heddle::python
