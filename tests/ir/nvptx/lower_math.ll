; RUN: heddle-opt -passes=nvptx-lower-math -S %s | FileCheck %s
; libdevice by operand type; its fast functions if approximation is allowed.

; CHECK-LABEL: @functions(
; CHECK: call float @__nv_sinf(float %x)
; CHECK: call float @__nv_fast_sinf(float %x)
; CHECK: call double @__nv_sin(double %y)
; CHECK: call double @__nv_pow(double %y, double %y)
; CHECK: call float @__nv_ldexpf(float %x, i32 3)
; CHECK: call double @__nv_frexp(double %y, ptr %[[EXPONENT:exponent.*]])
; CHECK: load i32, ptr %[[EXPONENT]]
; CHECK: call float @__nv_fast_exp10f(float %x)
; CHECK: call double @__nv_jn(i32 2, double %y)
; CHECK: call float @__nv_remquof(float %x, float %x, ptr %[[QUOTIENT:quotient.*]])
; CHECK: load i32, ptr %[[QUOTIENT]]
; CHECK: call float @__nv_fadd_rd(float %x, float %x)
; CHECK: call double @__nv_dadd_rd(double %y, double %y)
; CHECK: call float @__nv_fmaf_rz(float %x, float %x, float %x)
define void @functions(float %x, double %y) "simt.kernel" {
  %a = call float @simt.math.sin.f32(float %x)
  %b = call afn float @simt.math.sin.f32(float %x)
  %c = call afn double @simt.math.sin.f64(double %y)
  %d = call double @simt.math.pow.f64(double %y, double %y)
  %e = call float @simt.math.ldexp.f32(float %x, i32 3)
  %f = call i32 @simt.math.frexp.exponent.f64(double %y)
  %g = call afn float @simt.math.exp10.f32(float %x)
  %h = call double @simt.math.jn.f64(i32 2, double %y)
  %i = call i32 @simt.math.remquo.quotient.f32(float %x, float %x)
  %j = call float @simt.math.add.rd.f32(float %x, float %x)
  %k = call double @simt.math.add.rd.f64(double %y, double %y)
  %l = call float @simt.math.fma.rz.f32(float %x, float %x, float %x)
  ret void
}

; LLVM's frem is inexact for large quotients.
; CHECK-LABEL: @remainders(
; CHECK: call double @__nv_fmod(double %y, double %y)
; CHECK: fpext half %h to float
; CHECK: call float @__nv_fmodf(
; CHECK: fptrunc float %{{.*}} to half
define void @remainders(half %h, double %y) "simt.kernel" {
  %a = frem double %y, %y
  %b = frem half %h, %h
  ret void
}

; CHECK-LABEL: @conversions(
; CHECK: call i32 @llvm.nvvm.f2i.rz(float %x)
; CHECK-NOT: select
; CHECK: %[[LONG:.*]] = call i64 @llvm.nvvm.d2ull.rz(double %y)
; CHECK: %[[NAN:.*]] = fcmp uno double %y, %y
; CHECK: select i1 %[[NAN]], i64 0, i64 %[[LONG]]
; CHECK: call i8 @llvm.fptosi.sat.i8.f32(float %x)
; CHECK: %[[POSITIVE:.*]] = call float @llvm.maxnum.f32(float %x, float 0.000000e+00)
; CHECK: call i32 @llvm.nvvm.f2ui.rz(float %[[POSITIVE]])
define void @conversions(float %x, double %y) "simt.kernel" {
  %a = call i32 @llvm.fptosi.sat.i32.f32(float %x)
  %b = call i64 @llvm.fptoui.sat.i64.f64(double %y)
  %c = call i8 @llvm.fptosi.sat.i8.f32(float %x)
  %d = call i32 @llvm.fptoui.sat.i32.f32(float %x)
  ret void
}
declare float @simt.math.sin.f32(float)
declare double @simt.math.sin.f64(double)
declare double @simt.math.pow.f64(double, double)
declare float @simt.math.ldexp.f32(float, i32)
declare i32 @simt.math.frexp.exponent.f64(double)
declare float @simt.math.exp10.f32(float)
declare double @simt.math.jn.f64(i32, double)
declare i32 @simt.math.remquo.quotient.f32(float, float)
declare float @simt.math.add.rd.f32(float, float)
declare double @simt.math.add.rd.f64(double, double)
declare float @simt.math.fma.rz.f32(float, float, float)
declare i32 @llvm.fptosi.sat.i32.f32(float)
declare i64 @llvm.fptoui.sat.i64.f64(double)
declare i8 @llvm.fptosi.sat.i8.f32(float)
declare i32 @llvm.fptoui.sat.i32.f32(float)
