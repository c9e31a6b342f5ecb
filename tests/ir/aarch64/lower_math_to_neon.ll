; RUN: heddle-opt -passes=lower-math -S %s | FileCheck %s
; RUN: heddle-opt -passes=lower-math-by-libm -S %s | FileCheck %s --check-prefix=LIBM
; SLEEF's functions for NEON, and FMA instructions, which every AArch64 processor has.
target triple = "aarch64-unknown-linux-gnu"

; CHECK-LABEL: @k(
; CHECK: call float @Sleef_finz_sinf1_u10purecfma(float %x){{$}}
; CHECK: call double @heddle.exp.f64x1(double %y)
; LIBM-LABEL: @k(
; LIBM: call float @sinf(float %x) #[[SIN:[0-9]+]]
; LIBM: call double @pow(double %y, double %y) #[[POW:[0-9]+]]
; LIBM: call double @exp(double %y) #[[EXP:[0-9]+]]
define void @k(float %x, double %y) #0 {
  %a = call float @simt.math.sin.f32(float %x)
  %b = call double @simt.math.pow.f64(double %y, double %y)
  %c = call double @simt.math.exp.f64(double %y)
  ret void
}

; CHECK-LABEL: define internal double @heddle.exp.f64x1(double %0)
; CHECK: call double @llvm.fma.f64

declare float @simt.math.sin.f32(float)
declare double @simt.math.pow.f64(double, double)
declare double @simt.math.exp.f64(double)
attributes #0 = { "target-features"="+neon,+sve" }

; LIBM-DAG: attributes #[[SIN]] = {{.*}}"_ZGV_LLVM_N4v_sinf(Sleef_finz_sinf4_u10advsimd)"
; LIBM-DAG: attributes #[[POW]] = {{.*}}"_ZGV_LLVM_N2vv_pow(heddle.Sleef_finz_powd2_u10advsimd)"
; LIBM-DAG: attributes #[[EXP]] = {{.*}}"_ZGV_LLVM_N2v_exp(heddle.exp.f64x2)"
