; RUN: heddle-opt -passes=lower-math -S %s | FileCheck %s
; libm by operand type; lgamma without its global variable; frexp by bit operations.

; CHECK-LABEL: @f(
; CHECK: call float @sinf(float %x)
; CHECK: call double @pow(double %y, double %y)
; CHECK: call float @ldexpf(float %x, i32 3)
; CHECK: call double @lgamma_r(double %y, ptr %sign)
; CHECK: lshr i32 %{{[0-9]+}}, 23
; CHECK-NOT: llvm.frexp
; CHECK: call float @heddle_erfinvf(float %x)
; CHECK: call double @heddle_jn(i32 2, double %y)
; CHECK: call i32 @heddle_remquo_quotientf(float %x, float %x)
; CHECK: call double @heddle_add_rd(double %y, double %y)
define void @f(float %x, double %y) {
  %a = call float @simt.math.sin.f32(float %x)
  %b = call double @simt.math.pow.f64(double %y, double %y)
  %c = call float @simt.math.ldexp.f32(float %x, i32 3)
  %d = call double @simt.math.lgamma.f64(double %y)
  %e = call i32 @simt.math.frexp.exponent.f32(float %x)
  %f = call float @simt.math.erfinv.f32(float %x)
  %g = call double @simt.math.jn.f64(i32 2, double %y)
  %h = call i32 @simt.math.remquo.quotient.f32(float %x, float %x)
  %i = call double @simt.math.add.rd.f64(double %y, double %y)
  ret void
}
declare float @simt.math.erfinv.f32(float)
declare double @simt.math.jn.f64(i32, double)
declare i32 @simt.math.remquo.quotient.f32(float, float)
declare double @simt.math.add.rd.f64(double, double)
declare float @simt.math.sin.f32(float)
declare double @simt.math.pow.f64(double, double)
declare float @simt.math.ldexp.f32(float, i32)
declare double @simt.math.lgamma.f64(double)
declare i32 @simt.math.frexp.exponent.f32(float)
