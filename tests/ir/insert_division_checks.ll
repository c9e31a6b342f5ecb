; RUN: heddle-opt -passes=insert-division-checks -S %s | FileCheck %s

; A guard tells the divisor of the source. Several divisions with one guard have one check.
; CHECK-LABEL: define void @guarded(
; CHECK: %safe = select
; CHECK-NEXT: %[[ZERO:.*]] = icmp eq i32 %y, 0
; CHECK-NEXT: %[[FAILED:.*]] = zext i1 %[[ZERO]] to i64
; CHECK-NEXT: call void @simt.check.index(i32 {{[0-9]+}}, i64 %[[FAILED]], i64 %[[FAILED]], i64 0, i64 0, i64 1)
; CHECK-NEXT: sdiv
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

; The front end has checked the divisor.
; CHECK-LABEL: define void @checked(
; CHECK: call void @simt.check.index(
; CHECK-NOT: simt.check
; CHECK: ret void
define void @checked(ptr addrspace(1) %a, i32 %x, i32 %y) "simt.kernel" {
  %zero = icmp eq i32 %y, 0
  %failed = zext i1 %zero to i64
  call void @simt.check.index(i32 0, i64 %failed, i64 %failed, i64 0, i64 0, i64 1)
  %safe = select i1 %zero, i32 1, i32 %y
  %q = udiv i32 %x, %safe
  store i32 %q, ptr addrspace(1) %a
  ret void
}

declare void @simt.check.index(i32, i64, i64, i64, i64, i64)
!simt.sites = !{!0}
!0 = !{!"ZeroDivisionError", !"integer division by zero", !"k", !"k.py", i32 7, i32 8}
