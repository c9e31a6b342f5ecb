#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Lowers math operations, and operations without an exact PTX instruction, to libdevice calls.
///
///     before                                       after
///       call float @simt.math.sin.f32(float %x)      call float @__nv_sinf(float %x)
///       call afn float @simt.math.sin.f32(..)        call float @__nv_fast_sinf(float %x)
///       frem double %x, %y                           call double @__nv_fmod(double %x, double %y)
///       call i32 @simt.math.frexp.exponent.f64(..)   call double @__nv_frexp(.., ptr %exponent); load
///       call i64 @llvm.fptosi.sat(float %x)          call i64 @llvm.nvvm.f2ll.rz(float %x), and 0 for a NaN
///       call i64 @llvm.fptoui.sat(float %x)          call i64 @llvm.nvvm.f2ull.rz(the maximum of %x and 0)
struct LowerMath : llvm::PassInfoMixin<LowerMath> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::nvptx
