; RUN: heddle-opt -passes=check-resources,inline-device-functions -S %s | FileCheck %s
; A device function is inlined; a recursive one is not.

; CHECK-LABEL: define void @k(
; CHECK-NOT: call float @square
; CHECK: fmul float %x, %x
; CHECK: call float @power
; CHECK-NOT: @square
; CHECK-LABEL: define internal float @power(
define void @k(ptr addrspace(1) %p, float %x) "simt.kernel" {
  %a = call float @square(float %x)
  %b = call float @power(float %a, i32 3)
  store float %b, ptr addrspace(1) %p
  ret void
}
define internal float @square(float %x) {
  %y = fmul float %x, %x
  ret float %y
}
define internal float @power(float %x, i32 %n) {
  %m = sub i32 %n, 1
  %z = icmp eq i32 %n, 0
  br i1 %z, label %one, label %more
one:
  ret float 1.0
more:
  %r = call float @power(float %x, i32 %m)
  %y = fmul float %x, %r
  ret float %y
}
