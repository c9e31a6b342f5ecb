; RUN: heddle-opt -ptx %s | FileCheck %s
; RUN: heddle-opt -ptx -fastmath %s | FileCheck %s --check-prefix=FAST
; The default is IEEE 754 rounding with subnormals and contraction. Fast math approximates and flushes.

; CHECK: div.rn.f32
; CHECK: sqrt.rn.f32
; CHECK: fma.rn.f32
; CHECK-NOT: ftz
; CHECK: .entry l(
; FAST: div.approx.ftz.f32
; FAST: sqrt.approx.ftz.f32
; FAST: fma.rn.ftz.f32
; FAST: sin.approx.ftz.f32
define void @k(ptr addrspace(1) %o, float %x, float %y) "simt.kernel" {
  %a = fdiv float %x, %y
  store volatile float %a, ptr addrspace(1) %o
  %b = call float @llvm.sqrt.f32(float %x)
  store volatile float %b, ptr addrspace(1) %o
  %c = fmul float %x, %y
  %d = fadd float %c, %x
  store volatile float %d, ptr addrspace(1) %o
  ret void
}
define void @l(ptr addrspace(1) %o, float %x) "simt.kernel" {
  %a = call float @simt.math.sin.f32(float %x)
  store float %a, ptr addrspace(1) %o
  ret void
}
declare float @llvm.sqrt.f32(float)
declare float @simt.math.sin.f32(float)
