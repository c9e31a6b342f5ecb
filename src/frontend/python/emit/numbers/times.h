// Arithmetic on datetime64 and timedelta64, which are 64-bit counts of their unit. NaT is INT64_MIN.
#pragma once

#include "frontend/python/types/times.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::python {

/// Converts a time to another unit. NaT stays NaT; conversions to coarser units round down.
llvm::Value *convertTime(llvm::IRBuilder<> &b, llvm::Value *v, Type from, Type to);

/// A value with its type, a time or a number. Numbers are int64 or float64.
struct TimeOperand {
  llvm::Value *value;
  Type type;
};
llvm::Value *emitTimeBinary(llvm::IRBuilder<> &b, BinaryOp op, TimeOperand left, TimeOperand right,
                            Type result);
/// Comparisons with NaT are false, except `!=`, which is true.
llvm::Value *emitTimeCompare(llvm::IRBuilder<> &b, CompareOp op, TimeOperand left,
                             TimeOperand right);
llvm::Value *natConstant(llvm::IRBuilder<> &b);
llvm::Value *isNat(llvm::IRBuilder<> &b, llvm::Value *time);

} // namespace heddle::python
