// What a butterfly's indices and a flattened matrix's are made of: `t & mask`, `t % n`, `t / n`.
#pragma once

#include "backend/cpu/vectorize/lanes/shapes.h"

namespace heddle::cpu {

/// A number made of one that counts up from lane to lane and of one that is the same in all. It counts up likewise but where
/// it wraps around, as `t & mask`, `t % n`, `t ^ bit` do, or is the same in all lanes but where it steps, as `t / n`,
/// `t >> bits` and `t & -n` are.
struct Wrap {
  llvm::BinaryOperator *number;
  unsigned counting; ///< the operand that counts up
  int64_t stride;    ///< of `number` in lanes between two places at which it wraps around or steps
};

/// Nothing where `i` is no such number.
std::optional<Wrap> wrapIn(llvm::Instruction &i, const LaneShapes &shapes);

struct Straightened {
  llvm::Value *holds; ///< an i1, the same in all lanes: no lane of the group is behind such a place
  llvm::Value *value; ///< then, with a stride that shapes know
};

/// Makes both, behind the number.
Straightened straighten(const Wrap &wrap, const LaneShapes &shapes, unsigned width);

} // namespace heddle::cpu
