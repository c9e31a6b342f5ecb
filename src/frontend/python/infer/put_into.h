// What a function puts into the lists, dicts and sets that it makes: an empty one has its type from that.
#pragma once

#include "frontend/python/infer/function_typing.h"

namespace heddle::python {

enum class PutAs : uint8_t {
  Item,      ///< an item of a list or a set
  Items,     ///< what has items
  Key,       ///< a key of a dict
  Entry,     ///< a value of a dict
  Otherwise, ///< what a method of a dict returns for a key that is not there
};

struct Put {
  Value *user; ///< the operation
  size_t operand;
  PutAs as;

  Value &value() const { return *user->operands[operand]; }
};

/// What the function puts into `container`, which it makes, as far as that has a type. It is followed through variables and
/// through other containers of the function that hold it.
std::vector<Put> putInto(FunctionTyping &t, const Value &container);
/// Whether `store` is one of the entries that a dict is written with.
bool isWrittenIn(const Value &dict, const Value &store);
/// Whether it puts something there besides what the list or the dict is written with, with or without a type.
bool isPutInto(FunctionTyping &t, const Value &container);

} // namespace heddle::python
