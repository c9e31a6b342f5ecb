#pragma once

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IntrinsicInst.h"

#include <optional>

namespace heddle::cpu {

/// What an intrinsic of LLVM's loads or stores for the lanes of a mask.
struct MaskedAccess {
  llvm::IntrinsicInst *call;
  bool loads, consecutive; ///< consecutive: `pointer` is the first lane's; else it is a vector
  llvm::Value *pointer, *mask;
  llvm::Value *value; ///< what is stored; null for loads

  llvm::FixedVectorType *type() const {
    return llvm::cast<llvm::FixedVectorType>(loads ? call->getType() : value->getType());
  }
  llvm::Align alignment() const { return call->getParamAlign(loads ? 0 : 1).valueOrOne(); }
};

/// Nothing for any other instruction.
std::optional<MaskedAccess> maskedAccess(llvm::Instruction &i);

} // namespace heddle::cpu
