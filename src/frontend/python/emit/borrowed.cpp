#include "frontend/python/emit/borrowed.h"

#include "frontend/python/emit/owners.h"
#include "frontend/python/rows/row.h"

#include "llvm/ADT/STLExtras.h"

#include <string_view>

namespace heddle::python {
namespace {

/// True for a library function that accesses no container and runs no user code.
bool accessesNoContainer(const Value &call) {
  bool isPrint = call.library && std::string_view(call.library->name) == "builtins.print";
  return call.library && !isPrint &&
         llvm::all_of(llvm::drop_begin(call.operands), [](const Value *operand) {
           return operand->type.isScalar() || operand->type.isComplex() || operand->type.isArray();
         });
}

/// True if all containers keep their contents.
bool changesNoContainer(const Value &v) {
  switch (v.opcode) {
  case Opcode::StoreIndex:
    return v.operands[0]->type.isArray();
  case Opcode::Call:
    return accessesNoContainer(v);
  case Opcode::Constant:
  case Opcode::Global:
  case Opcode::Unary:
  case Opcode::Binary:
  case Opcode::Compare:
  case Opcode::Truth:
  case Opcode::Attribute:
  case Opcode::Index:
  case Opcode::Tuple:
  case Opcode::Unpack:
  case Opcode::Slice:
  case Opcode::IterValue:
  case Opcode::Advance:
  case Opcode::More:
    return true;
  default:
    return false;
  }
}

/// True if `user` keeps no reference to the array `v`.
bool keepsNoReference(const Value &user, const Value &v) {
  switch (user.opcode) {
  case Opcode::StoreIndex:
    return user.operands[0] == &v && user.operands[2] != &v;
  case Opcode::Index:
  case Opcode::Attribute:
    return countMemories(user.type) == 0;
  case Opcode::Call:
    return accessesNoContainer(user) && countMemories(user.type) == 0;
  default:
    return false;
  }
}

} // namespace

bool isBorrowed(const TypedFunction &function, const Value &v) {
  if (!v.type.isArray())
    return false;
  size_t users = 0;
  for (const auto &block : function.blocks)
    for (const Value *user : block->values)
      users += llvm::is_contained(user->operands, &v);
  const std::vector<Value *> &values = v.block->values;
  size_t i = size_t(llvm::find(values, &v) - values.begin());
  for (++i; users && i < values.size(); ++i) {
    bool isUser = llvm::is_contained(values[i]->operands, &v);
    if ((isUser && !keepsNoReference(*values[i], v)) || !changesNoContainer(*values[i]))
      return false;
    users -= isUser;
  }
  return users == 0;
}

} // namespace heddle::python
