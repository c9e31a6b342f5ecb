// Index arithmetic of butterflies and flattened matrices: `t & mask`, `t % n`, `t / n`.
#pragma once

#include "backend/cpu/vectorize/lanes/shapes.h"

namespace heddle::cpu {

/// A binary operation on a value that increases from lane to lane and a uniform value. The result is either strided
/// except where it wraps around (`t & mask`, `t % n`, `t ^ bit`), or uniform except where it steps (`t / n`, `t >>
/// bits`, `t & -n`).
struct Wrap {
  llvm::BinaryOperator *number;
  unsigned increasing; ///< index of the increasing operand
  int64_t stride;      ///< of `number` between two wraps; 0 between two steps
};

/// Matches an operation that wraps around or steps; nullopt for other instructions.
std::optional<Wrap> matchStepOrWrap(llvm::Instruction &i, const LaneShapes &shapes);

struct LinearizedWrap {
  llvm::Value *holds; ///< a uniform i1: no lane of the group is past a wrap or step
  llvm::Value *value; ///< the value in that case, with a stride that LaneShapes recognizes
};

/// Emits the no-wrap check and the strided (or uniform) value right after `wrap.number`.
LinearizedWrap linearizeStepOrWrap(const Wrap &wrap, const LaneShapes &shapes, unsigned width);

} // namespace heddle::cpu
