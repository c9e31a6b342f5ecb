#pragma once

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IntrinsicInst.h"

#include <optional>

namespace heddle::cpu {

/// An LLVM masked load, store, gather or scatter.
struct MaskedAccess {
  llvm::IntrinsicInst *call;
  bool loads, consecutive; ///< consecutive: `pointer` is the first lane's; else it is a vector
  llvm::Value *pointer, *mask;
  llvm::Value *value; ///< stored value; null for loads

  llvm::FixedVectorType *type() const {
    return llvm::cast<llvm::FixedVectorType>(loads ? call->getType() : value->getType());
  }
  llvm::Align alignment() const { return call->getParamAlign(loads ? 0 : 1).valueOrOne(); }
};

/// Matches a masked access; nullopt for other instructions.
std::optional<MaskedAccess> matchMaskedAccess(llvm::Instruction &i);

} // namespace heddle::cpu
