#pragma once

#include "llvm/IR/Function.h"

namespace heddle::cpu {

/// Metadata of an array that has room for all lanes, element by element: the bytes of an element.
inline constexpr const char *interleavedMark = "heddle.interleaved";

/// Has the local arrays of the lanes lie in memory as the elements of vectors do: element i of all lanes, then element
/// i + 1. What all lanes access with the same index is then one vector.
///
///     before                                       after, for 8 lanes
///       %a = alloca [17 x float]                     %a = alloca [8 x [17 x float]], !heddle.interleaved !{i64 4}
///       %p = getelementptr float, %a, i64 %i         %p = getelementptr [32 x i8], %a, i64 %i
///
/// An array stays as it is where its accesses differ in size, or where its address goes elsewhere. Lane 0's address is
/// that of the array; each further lane's is one element on (LaneShapes).
///
/// Needs: a function that will be widened.
void interleaveLocals(llvm::Function &f, unsigned width);

/// The bytes of an element, 0 for an array that is not interleaved.
uint64_t interleavedBytes(const llvm::AllocaInst &array);

} // namespace heddle::cpu
