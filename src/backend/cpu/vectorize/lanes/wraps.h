// Index arithmetic of butterflies and flattened matrices: `t & mask`, `t % n`, `t / n`.
#pragma once

#include "backend/cpu/vectorize/lanes/shapes.h"

namespace heddle::cpu {

/// A binary operation on a value that increases from lane to lane and a uniform one. The result is strided except where
/// it wraps around, as in `t & mask`, `t % n`, `t ^ bit`, or uniform except where it steps, as in `t / n`, `t >> bits`
/// and `t & -n`.
struct Wrap {
  llvm::BinaryOperator *number;
  unsigned increasing; ///< index of the increasing operand
  int64_t stride;      ///< of `number`, between two wraps or steps
};

/// Returns nullopt for other instructions.
std::optional<Wrap> matchWrap(llvm::Instruction &i, const LaneShapes &shapes);

struct LinearizedWrap {
  llvm::Value *holds; ///< a uniform i1: no lane of the group is past a wrap or step
  llvm::Value *value; ///< the value in that case, with a stride that LaneShapes recognizes
};

/// Emits both after the operation.
LinearizedWrap linearizeWrap(const Wrap &wrap, const LaneShapes &shapes, unsigned width);

} // namespace heddle::cpu
