#pragma once

#include "backend/cpu/vectorize/lanes/shapes.h"

namespace heddle::cpu {

/// Loads the neighbours of a thread that are kept within bounds, `row[min(t + 1, last)]`, as what they are but at the
/// bounds: consecutive elements.
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
/// A block's loads of this kind, and what is between them, have one such copy.
///
/// Needs: structured control flow. Returns whether there are such loads; shapes are to be found anew.
bool unclampLoads(llvm::Function &f, const LaneShapes &shapes);

} // namespace heddle::cpu
