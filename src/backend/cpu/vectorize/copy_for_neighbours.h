#pragma once

#include "backend/cpu/vectorize/lanes/shapes.h"

namespace heddle::cpu {

/// Copies accesses whose lanes are neighbours, or the same, but at certain places: an index that is kept within bounds,
/// `row[min(t + 1, last)]`, and one that wraps around, `row[t % n]`. In the copy they are what they are between such places.
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
/// A block's accesses of this kind, and what is between them, have one such copy.
///
/// Needs: structured control flow. Returns whether there are such accesses; shapes are to be found anew.
bool copyForNeighbours(llvm::Function &f, const LaneShapes &shapes, unsigned width);

} // namespace heddle::cpu
