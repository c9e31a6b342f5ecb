// Arithmetic on datetime64 and timedelta64, which are counts of their unit in 64 bits; NaT is the lowest number.
#pragma once

#include "frontend/python/types/times.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::python {

/// A time in another unit. NaT stays NaT; coarser units are rounded down.
llvm::Value *convertTime(llvm::IRBuilder<> &b, llvm::Value *v, Type from, Type to);

/// A value of a kernel and its type. A number is int64 or float64.
struct TimeOperand {
  llvm::Value *value;
  Type type;
};
llvm::Value *timeBinary(llvm::IRBuilder<> &b, BinaryOp op, TimeOperand left, TimeOperand right,
                        Type result);
/// Nothing equals NaT, NaT is not less than anything.
llvm::Value *timeCompare(llvm::IRBuilder<> &b, CompareOp op, TimeOperand left, TimeOperand right);
llvm::Value *nat(llvm::IRBuilder<> &b);
llvm::Value *isNat(llvm::IRBuilder<> &b, llvm::Value *time);

} // namespace heddle::python
