; RUN: heddle-opt -passes=insert-division-checks -S %s | FileCheck %s

; A guard tells the divisor of the source. Several divisions with one guard report once.
; CHECK-LABEL: define void @guarded(
; CHECK: %safe = select
; CHECK-NEXT: %[[ZERO:.*]] = icmp eq i32 %y, 0
; CHECK-NEXT: br i1 %[[ZERO]], label %[[REPORT:.*]], label
; CHECK: call void @simt.check.report(i32 0, i64 0, i64 0)
; CHECK: sdiv
; CHECK-NOT: simt.check
; CHECK: srem
define void @guarded(ptr addrspace(1) %a, i32 %x, i32 %y) "simt.kernel" {
  %zero = icmp eq i32 %y, 0
  %safe = select i1 %zero, i32 1, i32 %y
  %q = sdiv i32 %x, %safe
  %r = srem i32 %x, %safe
  %s = add i32 %q, %r
  store i32 %s, ptr addrspace(1) %a
  ret void
}

; Constant divisors and float divisions need no check.
; CHECK-LABEL: define void @safe(
; CHECK-NOT: simt.check
; CHECK: ret void
define void @safe(ptr addrspace(1) %a, i32 %x, float %f) "simt.kernel" {
  %q = udiv i32 %x, 7
  store i32 %q, ptr addrspace(1) %a
  %h = fdiv float %f, 0.0
  store float %h, ptr addrspace(1) %a
  ret void
}
