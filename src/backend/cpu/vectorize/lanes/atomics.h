// Atomics of lanes that all reach the same place: one instead of one for each lane.
#pragma once

#include "backend/cpu/vectorize/lanes/values.h"
#include "simt/ir/ops.h"

namespace heddle::cpu {

/// Whether one atomic can do what all lanes' do, as if lane after lane did it. The old value that a lane gets is known
/// where all lanes add the same.
bool canJoinAtomics(const llvm::CallInst &atomic, const LaneShapes &shapes);

/// At the builder's position, that atomic, made from `atomic`. mask: the lanes that take part, one at least. Returns the
/// vector of old values; null where nobody asks for them.
///
///     each lane: simt.atomic.max(p, v)   ->   simt.atomic.max(p, greatest of the lanes' v)
///     each lane: simt.atomic.add(p, 1)   ->   simt.atomic.add(p, number of lanes) + lanes before this one
///
/// Sums of floats depend on the order: the lanes' numbers go with the operation (simt::lanesBundle), which adds them to
/// what memory holds, lowest lane first.
llvm::Value *joinAtomics(llvm::IRBuilderBase &b, llvm::CallInst &atomic, LaneValues &values,
                         llvm::Value *mask);

} // namespace heddle::cpu
