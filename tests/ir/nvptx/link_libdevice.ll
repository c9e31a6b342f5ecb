; RUN: heddle-opt -passes=nvptx-lower-math,nvptx-link-libdevice -S %s | FileCheck %s
; RUN: heddle-opt -passes=nvptx-lower-math,nvptx-link-libdevice -fastmath -S %s | FileCheck %s --check-prefix=FLUSH
; Only called functions are linked, with target queries folded.

; CHECK-NOT: nvvm_reflect
; CHECK: define internal float @__nv_hypotf(
; CHECK: icmp ne i32 0, 0
; CHECK: icmp ne i32 1, 0
; CHECK-NOT: define
; FLUSH: define internal float @__nv_hypotf(
; FLUSH: icmp ne i32 1, 0
; FLUSH: icmp ne i32 0, 0
define void @k(ptr addrspace(1) %o, float %x) "simt.kernel" {
  %a = call float @simt.math.hypot.f32(float %x, float %x)
  store float %a, ptr addrspace(1) %o
  ret void
}
declare float @simt.math.hypot.f32(float, float)
