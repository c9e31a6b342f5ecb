#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace heddle::cpu {

/// Lets sums of the form blockIdx.x * blockDim.x + threadIdx.x in 32 bits not wrap around; blockIdx.y in a kernel whose
/// threads are ordered along y.
///
/// Needs: a launch with less than 2^31 threads along x.
void noteGridIndices(llvm::Function &f);

/// Extends the operands of sums and products instead of the results, where these are known not to wrap around:
/// sext(a +nsw b) becomes sext(a) +nsw sext(b). An extended counter of a loop becomes one of 64 bits.
///
/// An extended sum of a thread index has a stride then, also for lanes that do not run and whose sum wraps around.
void spreadExtensions(llvm::Function &f, const llvm::LoopInfo &loops);

/// Reads 32-bit indices of shared and local arrays as signed: they have less than 2^31 elements, so that both readings
/// of an index in bounds are the same. C++ has unsigned sums there, as in `tile[threadIdx.x + k - 1]`: a lane whose sum
/// wraps around does not run then.
void signLocalIndices(llvm::Function &f);

/// Whether nothing but such indices uses the extension. A sum with a stride has one after it, too.
bool isLocalIndex(const llvm::CastInst &extension);

} // namespace heddle::cpu
