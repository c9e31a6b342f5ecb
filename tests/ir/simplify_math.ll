; RUN: heddle-opt -passes=simplify-math -S %s | FileCheck %s
; RUN: heddle-opt -passes=simplify-math-for-gpus -S %s | FileCheck %s --check-prefix=GPU

; A square is one product, rounded before it is added.
; CHECK-LABEL: @square(
; CHECK: %[[S:.*]] = fmul afn float %x, %x
; CHECK: fadd contract float %[[S]], %x
define float @square(float %x) {
  %y = call contract afn float @simt.math.pow.f32(float %x, float 2.0)
  %z = fadd contract float %y, %x
  ret float %z
}

; CHECK-LABEL: @firsts(
; CHECK-NEXT: fadd double 1.000000e+00, %x
define double @firsts(double %x) {
  %a = call double @simt.math.pow.f64(double %x, double 0.0)
  %b = call double @simt.math.pow.f64(double %x, double 1.0)
  %c = fadd double %a, %b
  ret double %c
}

; Constant folding of exact results.
; CHECK-LABEL: @constants(
; CHECK-NEXT: fadd float 4.000000e+00, 8.100000e+01
; CHECK-NEXT: fadd float %{{.*}}, 8.000000e+00
; CHECK-NEXT: call float @simt.math.log2.f32(float 5.000000e+00)
; CHECK-NEXT: call float @simt.math.pow.f32(float 3.000000e+00, float 3.000000e+01)
; CHECK-NEXT: call float @simt.math.pow.f32(float 3.000000e+00, float 5.000000e-01)
; CHECK-NEXT: call float @simt.math.ldexp.f32(float 1.000000e+00, i32 200)
define float @constants() {
  %a = call float @simt.math.log2.f32(float 16.0)
  %b = call float @simt.math.pow.f32(float 3.0, float 4.0)
  %c = call float @simt.math.ldexp.f32(float 2.0, i32 2)
  %s = fadd float %a, %b
  %t = fadd float %s, %c
  %d = call float @simt.math.log2.f32(float 5.0)
  %e = call float @simt.math.pow.f32(float 3.0, float 30.0)
  %f = call float @simt.math.pow.f32(float 3.0, float 0.5)
  %g = call float @simt.math.ldexp.f32(float 1.0, i32 200)
  %u = fadd float %d, %e
  %v = fadd float %f, %g
  %w = fadd float %u, %v
  %x = fadd float %t, %w
  ret float %x
}

; 2 to an integer power; a GPU keeps an approximate one.
; CHECK-LABEL: @powerOfTwo(
; CHECK: call afn float @simt.math.ldexp.f32(float 1.000000e+00, i32 %n)
; CHECK: call double @simt.math.ldexp.f64(double 1.000000e+00, i32 %{{.*}})
; CHECK: call double @simt.math.pow.f64(double 2.000000e+00, double %{{.*}})
; GPU-LABEL: @powerOfTwo(
; GPU: call contract afn float @simt.math.pow.f32(float 2.000000e+00
; GPU: call double @simt.math.ldexp.f64(
define double @powerOfTwo(i32 %n, i8 %m, i64 %k) {
  %nf = sitofp i32 %n to float
  %a = call contract afn float @simt.math.pow.f32(float 2.0, float %nf)
  %mf = uitofp i8 %m to double
  %b = call double @simt.math.pow.f64(double 2.0, double %mf)
  %kf = sitofp i64 %k to double
  %c = call double @simt.math.pow.f64(double 2.0, double %kf)
  %ad = fpext float %a to double
  %s = fadd double %ad, %b
  %t = fadd double %s, %c
  ret double %t
}

declare float @simt.math.pow.f32(float, float)
declare double @simt.math.pow.f64(double, double)
declare float @simt.math.log2.f32(float)
declare float @simt.math.ldexp.f32(float, i32)
