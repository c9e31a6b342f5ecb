#pragma once

#include "backend/cpu/vectorize/lanes/shapes.h"

namespace heddle::cpu {

/// Versions accesses whose lanes are contiguous or equal except where the index is clamped, `row[min(t + 1, last)]`, or
/// wraps, `row[t % n]`. The copy uses the unclamped, unwrapped index and runs if no lane of the group clamps or wraps.
///
///     before                                   after
///       %next = add nsw i32 %t, 1                %none = call i1 @heddle.lanes.none(i1 (%next > %last))
///       %i = call i32 @llvm.smin(%next, %last)   br %none, inside, clamped
///       %p = getelementptr float, %row, %i     inside:
///       %v = load float, %p                      %q = getelementptr float, %row, %next
///                                                %w = load float, %q
///                                              clamped:
///                                                %v = load float, %p
///
/// Accesses of this kind in one block share one copy, together with the code between them.
///
/// Needs: structured control flow. Returns the number of copies; if there are any, LaneShapes must be recomputed.
unsigned versionClampedAccesses(llvm::Function &f, const LaneShapes &shapes, unsigned width);

} // namespace heddle::cpu
