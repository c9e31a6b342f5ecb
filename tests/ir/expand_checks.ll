; RUN: heddle-opt -passes=expand-checks -S %s | FileCheck %s

; CHECK-LABEL: define void @one(
; CHECK: %[[OUT:.*]] = icmp uge i64 %i, %n
; CHECK: br i1 %[[OUT]], label %out_of_bounds, label %{{.*}}, !prof
; CHECK: out_of_bounds:
; CHECK: call void @simt.trap.index(i32 3, i64 %i, i64 %n)
; CHECK-NEXT: unreachable
define void @one(i64 %i, i64 %n) "simt.kernel" {
  call void @simt.check.index(i32 3, i64 %i, i64 %i, i64 0, i64 0, i64 %n)
  ret void
}

; The first index of several that is out of bounds is computed where it is told.
; CHECK-LABEL: define void @several(
; CHECK: or i1
; CHECK: out_of_bounds:
; CHECK: udiv i64
; CHECK: call void @simt.trap.index(i32 3,
define void @several(i64 %i, i64 %last, i64 %n) "simt.kernel" {
  call void @simt.check.index(i32 3, i64 %i, i64 %last, i64 4, i64 0, i64 %n)
  ret void
}

declare void @simt.check.index(i32, i64, i64, i64, i64, i64)
