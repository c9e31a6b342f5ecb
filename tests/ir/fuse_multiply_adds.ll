; RUN: heddle-opt -passes=fuse-multiply-adds -S %s | FileCheck %s
; A contractable product and sum become an FMA even if the product has other uses.

; CHECK-LABEL: @used_elsewhere(
; CHECK: %p = fmul contract float %x, %y
; CHECK: %s = call contract float @llvm.fmuladd.f32(float %x, float %y, float %z)
define float @used_elsewhere(float %x, float %y, float %z, ptr %a) {
  %p = fmul contract float %x, %y
  store float %p, ptr %a
  %s = fadd contract float %z, %p
  ret float %s
}

; CHECK-LABEL: @differences(
; CHECK-DAG: [[NZ:%.*]] = fneg contract <2 x double> %z
; CHECK-DAG: %s = call contract <2 x double> @llvm.fmuladd.v2f64(<2 x double> %x, <2 x double> %y, <2 x double> [[NZ]])
; CHECK-DAG: [[NX:%.*]] = fneg contract <2 x double> %x
; CHECK-DAG: %t = call contract <2 x double> @llvm.fmuladd.v2f64(<2 x double> [[NX]], <2 x double> %y, <2 x double> %s)
; CHECK-NOT: fmul
define <2 x double> @differences(<2 x double> %x, <2 x double> %y, <2 x double> %z) {
  %p = fmul contract <2 x double> %x, %y
  %s = fsub contract <2 x double> %p, %z
  %t = fsub contract <2 x double> %s, %p
  ret <2 x double> %t
}

; CHECK-LABEL: @two_products(
; CHECK: %p = fmul contract float %x, %x
; CHECK: call contract float @llvm.fmuladd.f32(float %y, float %y, float %p)
; CHECK: %r = fmul contract float %z, %z
; CHECK: call contract float @llvm.fmuladd.f32(float %y, float %z, float %r)
define float @two_products(float %x, float %y, float %z, ptr %a) {
  %p = fmul contract float %x, %x
  store float %p, ptr %a
  %q = fmul contract float %y, %y
  %s = fadd contract float %p, %q
  store float %s, ptr %a
  %o = fmul contract float %y, %z
  %r = fmul contract float %z, %z
  %t = fadd contract float %o, %r
  ret float %t
}

; CHECK-LABEL: @in_a_branch(
; CHECK: %s = call contract float @llvm.fmuladd.f32(float %x, float %y, float %z)
define float @in_a_branch(float %x, float %y, float %z) {
  %p = fmul contract float %x, %y
  %positive = fcmp ogt float %p, 0.0
  br i1 %positive, label %add, label %end
add:
  %s = fadd contract float %p, %z
  br label %end
end:
  %r = phi float [ %z, %0 ], [ %s, %add ]
  ret float %r
}

; CHECK-LABEL: @kept(
; CHECK-NOT: fmuladd
; CHECK: %g = fmul half %h, %h
; CHECK: %k = fadd half %g, %h
; CHECK-NOT: fmuladd
; CHECK: ret float %v
define float @kept(float %x, float %y, half %h) {
  %p = fmul float %x, %y
  %s = fadd contract float %p, %y
  %q = fmul contract float %x, %x
  %t = fadd float %q, %s
  %g = fmul contract half %h, %h
  %k = fadd contract half %g, %h
  %w = fpext half %k to float
  %u = fmul float %t, %w
  %v = fadd contract float %u, %x
  ret float %v
}
