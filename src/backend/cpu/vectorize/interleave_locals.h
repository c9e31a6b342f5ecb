#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace heddle::cpu {

/// Metadata of an interleaved array: the element size in bytes.
inline constexpr const char *interleavedMetadata = "heddle.interleaved";

/// Interleaves the local arrays of a group's lanes: element i of all lanes, then element i + 1. An access with a
/// uniform index then loads or stores one vector.
///
///     before                                       after, for 8 lanes
///       %a = alloca [17 x float]                     %a = alloca [8 x [17 x float]], !heddle.interleaved !{i64 4}
///       %p = getelementptr float, %a, i64 %i         %p = getelementptr [32 x i8], %a, i64 %i
///
/// An array is not interleaved if its accesses differ in size or its address escapes. In LaneShapes, lane 0's address
/// is the address of the array, and each lane's address is one element above the previous lane's.
///
/// Needs: widen() runs on the function afterwards.
void interleaveLocals(llvm::Function &f, unsigned width);

/// The element size of an interleaved array in bytes; 0 if the array is not interleaved.
uint64_t interleavedElementBytes(const llvm::AllocaInst &array);

} // namespace heddle::cpu
