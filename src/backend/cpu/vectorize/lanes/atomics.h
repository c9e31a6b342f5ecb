// Aggregates atomics: if all lanes access the same address, the group executes one atomic.
#pragma once

#include "backend/cpu/vectorize/lanes/values.h"
#include "simt/ir/ops.h"

namespace heddle::cpu {

/// Returns true if one atomic has the same effect as the lanes' atomics in lane order. If the old values are used, all
/// lanes must add the same value.
bool canAggregateAtomics(const llvm::CallInst &atomic, const LaneShapes &shapes);

/// Emits the aggregated atomic for `atomic`. mask: active lanes, at least one. Returns the vector of old values; null
/// if they are unused.
///
///     each lane: simt.atomic.max(p, v)   ->   simt.atomic.max(p, maximum of the lanes' v)
///     each lane: simt.atomic.add(p, 1)   ->   simt.atomic.add(p, number of lanes) + lanes before this one
///
/// Floating-point sums depend on the order: the atomic carries the lanes' values (simt::lanesBundle) and adds them to
/// memory one by one, lowest lane first.
llvm::Value *aggregateAtomics(llvm::IRBuilderBase &b, llvm::CallInst &atomic, LaneValues &values,
                              llvm::Value *mask);

} // namespace heddle::cpu
