#include "frontend/python/emit/borrowed.h"

#include "frontend/python/emit/owners.h"
#include "frontend/python/rows/effects.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {
namespace {

/// True if `user` keeps no reference to the array `v`.
bool keepsNoReferenceToArray(const Value &user, const Value &v) {
  switch (user.opcode) {
  case Opcode::StoreIndex:
    return user.operands[0] == &v && user.operands[2] != &v;
  case Opcode::Index:
  case Opcode::Attribute:
  case Opcode::Call: // one that changes no containers: see canBorrowArray
    return countHostOwners(user.type) == 0 && !user.type.isPointer();
  default:
    return false;
  }
}

} // namespace

bool canBorrowArray(const TypedFunction &function, const Value &v) {
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
    if ((isUser && !keepsNoReferenceToArray(*values[i], v)) ||
        effectsOf(*values[i]).mayChangeContainers())
      return false;
    users -= isUser;
  }
  return users == 0;
}

} // namespace heddle::python
