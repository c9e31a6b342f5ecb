; RUN: heddle-opt -passes=lower-math -S %s | FileCheck %s
; RUN: heddle-opt -passes=lower-math-by-libm -S %s | FileCheck %s --check-prefix=LIBM
; Scalar functions: SLEEF's, or libm's for the host, with SLEEF's vector variants for the processor.
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @wide(
; CHECK: call float @Sleef_finz_sinf1_u10purecfma(float %x){{$}}
; CHECK: call double @heddle.Sleef_finz_powd1_u10purecfma(double %y, double %y)
; CHECK: call float @sinhf(float %x){{$}}
; CHECK: call double @heddle.exp.f64x1(double %y)
; LIBM-LABEL: @wide(
; LIBM: call float @sinf(float %x) #[[SIN:[0-9]+]]
; LIBM: call double @pow(double %y, double %y) #[[POW:[0-9]+]]
; LIBM: call double @exp(double %y) #[[EXP:[0-9]+]]
define void @wide(float %x, double %y) #0 {
  %a = call float @simt.math.sin.f32(float %x)
  %b = call double @simt.math.pow.f64(double %y, double %y)
  %c = call float @simt.math.sinh.f32(float %x)
  %d = call double @simt.math.exp.f64(double %y)
  ret void
}

; CHECK-LABEL: @narrow(
; CHECK: call float @Sleef_cinz_sinf1_u10purec(float %x){{$}}
; LIBM-LABEL: @narrow(
; LIBM: call float @sinf(float %x) #[[NARROW:[0-9]+]]
define void @narrow(float %x) #1 {
  %a = call float @simt.math.sin.f32(float %x)
  ret void
}

; SLEEF's double pow overflows early: near overflow, the power to half the exponent is squared.
; CHECK-LABEL: define internal double @heddle.Sleef_finz_powd1_u10purecfma(double %0, double %1)
; CHECK: %[[POWER:.*]] = call double @Sleef_finz_powd1_u10purecfma(double %0, double %1)
; CHECK: br i1 {{.*}}, label %fix, label %done
; CHECK: fix:
; CHECK: %[[HALF:.*]] = fmul double %1, 5.000000e-01
; CHECK: %[[ROOT:.*]] = call double @Sleef_finz_powd1_u10purecfma(double {{.*}}, double %[[HALF]])
; CHECK: fmul double %[[ROOT]], %[[ROOT]]

; SLEEF's double exp overflows early, and is not called.
; CHECK-LABEL: define internal double @heddle.exp.f64x1(double %0)
; CHECK: call double @llvm.fma.f64
; CHECK: shl i64
; LIBM-LABEL: define internal <8 x double> @heddle.exp.f64x8(<8 x double> %0)
; LIBM: call <8 x double> @llvm.fma.v8f64

declare float @simt.math.sin.f32(float)
declare float @simt.math.sinh.f32(float)
declare double @simt.math.pow.f64(double, double)
declare double @simt.math.exp.f64(double)
attributes #0 = { "target-features"="+avx,+avx2,+avx512f,+fma" }
attributes #1 = { "target-features"="+sse2" }

; LIBM-DAG: attributes #[[SIN]] = {{.*}}N4v_sinf(Sleef_finz_sinf4_u10avx2128),{{.*}}(Sleef_finz_sinf8_u10avx2),{{.*}}(Sleef_finz_sinf16_u10avx512f)
; LIBM-DAG: attributes #[[POW]] = {{.*}}N2vv_{{.*}}(heddle.Sleef_finz_powd2_u10avx2128),{{.*}}(heddle.Sleef_finz_powd4_u10avx2),{{.*}}(heddle.Sleef_finz_powd8_u10avx512f)
; LIBM-DAG: attributes #[[EXP]] = {{.*}}N2v_exp(heddle.exp.f64x2),{{.*}}(heddle.exp.f64x4),{{.*}}(heddle.exp.f64x8)
; LIBM-DAG: attributes #[[NARROW]] = {{.*}}"_ZGV_LLVM_N4v_sinf(Sleef_cinz_sinf4_u10sse2)"
