#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace heddle::cpu {

/// Marks 32-bit sums blockIdx.x * blockDim.x + threadIdx.x as nsw and nuw; in kernels ordered along y or z, sums with
/// blockIdx.y or blockIdx.z.
///
/// Needs: a launch with less than 2^31 threads along x.
void markGridIndicesNoWrap(llvm::Function &f);

/// Distributes extensions over sums and products that do not wrap: sext(a +nsw b) becomes sext(a) +nsw sext(b). An
/// extended 32-bit induction variable becomes a 64-bit one.
///
/// An extended sum with a thread index then has a stride, even if the narrow sum wraps around in inactive lanes.
void distributeExtensions(llvm::Function &f, const llvm::LoopInfo &loops);

/// Treats 32-bit indices of shared and local arrays as signed. The arrays have fewer than 2^31 elements, so in-bounds
/// indices are the same either way. C++ code uses unsigned sums for such indices, as in `tile[threadIdx.x + k - 1]`; a
/// lane whose sum wraps around is inactive.
void useSignedSharedAndLocalIndices(llvm::Function &f);

/// Returns true for a sign extension from 32 bits that is used only as an index of shared and local arrays. The
/// extension of a strided sum is then also strided.
bool isSharedOrLocalArrayIndex(const llvm::CastInst &extension);

} // namespace heddle::cpu
