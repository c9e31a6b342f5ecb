; RUN: heddle-opt -passes=lower-math -S %s | FileCheck %s
; libm by the operand's type; lgamma without its global; frexp in two halves.

; CHECK-LABEL: @f(
; CHECK: call float @sinf(float %x)
; CHECK: call double @pow(double %y, double %y)
; CHECK: call float @ldexpf(float %x, i32 3)
; CHECK: call double @lgamma_r(double %y, ptr %sign)
; CHECK: call { float, i32 } @llvm.frexp.f32.i32(float %x)
define void @f(float %x, double %y) {
  %a = call float @simt.math.sin.f32(float %x)
  %b = call double @simt.math.pow.f64(double %y, double %y)
  %c = call float @simt.math.ldexp.f32(float %x, i32 3)
  %d = call double @simt.math.lgamma.f64(double %y)
  %e = call i32 @simt.math.frexp.exponent.f32(float %x)
  ret void
}
declare float @simt.math.sin.f32(float)
declare double @simt.math.pow.f64(double, double)
declare float @simt.math.ldexp.f32(float, i32)
declare double @simt.math.lgamma.f64(double)
declare i32 @simt.math.frexp.exponent.f32(float)
