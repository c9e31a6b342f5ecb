#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace heddle::cpu {

/// Marks 32-bit sums blockIdx.x * blockDim.x + threadIdx.x as nsw and nuw; blockIdx.y in a kernel whose threads are
/// ordered along y.
///
/// Needs: a launch with less than 2^31 threads along x.
void markGridIndicesNoWrap(llvm::Function &f);

/// Distributes extensions over sums and products that do not wrap: sext(a +nsw b) becomes sext(a) +nsw sext(b). An
/// extended 32-bit induction variable becomes a 64-bit one.
///
/// The extended sum of a thread index then has a stride, even for inactive lanes whose narrow sum wraps around.
void distributeExtensions(llvm::Function &f, const llvm::LoopInfo &loops);

/// Treats 32-bit indices of shared and local arrays as signed. The arrays have less than 2^31 elements, so in-bounds
/// indices are the same either way. C++ uses unsigned sums there, as in `tile[threadIdx.x + k - 1]`; a lane whose sum
/// wraps around is inactive.
void useSignedLocalIndices(llvm::Function &f);

/// Returns true if the extension is used only by such indices. The extension of a strided sum is then strided, too.
bool isLocalIndex(const llvm::CastInst &extension);

} // namespace heddle::cpu
