; RUN: heddle-opt -passes=remove-checks -S %s | FileCheck %s

; A guarded access needs no check; an unguarded one keeps a check, for all later accesses with the same index.
; CHECK-LABEL: define void @guarded(
; CHECK-NOT: simt.check.index
; CHECK: then:
; CHECK-NOT: simt.check.index(i32 0
; CHECK: call void @simt.check.index(i32 1, i64 %i, i64 %i, i64 0, i64 0, i64 %m)
; CHECK-NOT: simt.check.index
define void @guarded(i64 %n, i64 %m) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %i = zext i32 %t to i64
  %in = icmp slt i64 %i, %n
  br i1 %in, label %then, label %end
then:
  call void @simt.check.index(i32 0, i64 %i, i64 %i, i64 0, i64 0, i64 %n)
  call void @simt.check.index(i32 1, i64 %i, i64 %i, i64 0, i64 0, i64 %m)
  call void @simt.check.index(i32 2, i64 %i, i64 %i, i64 0, i64 0, i64 %m)
  br label %end
end:
  ret void
}

; Neighbors of a guarded index.
; CHECK-LABEL: define void @neighbours(
; CHECK-NOT: call void @simt.check.index
define void @neighbours(i64 range(i64 0, 65536) %n) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %i = zext i32 %t to i64
  %last = add nsw i64 %n, -1
  %above = icmp sgt i64 %i, 0
  %below = icmp slt i64 %i, %last
  %in = and i1 %above, %below
  br i1 %in, label %then, label %end
then:
  %left = add nsw i64 %i, -1
  %right = add nsw i64 %i, 1
  call void @simt.check.index(i32 0, i64 %left, i64 %left, i64 0, i64 0, i64 %n)
  call void @simt.check.index(i32 1, i64 %right, i64 %right, i64 0, i64 0, i64 %n)
  br label %end
end:
  ret void
}

; An index that may be negative is compared with both bounds; a nonnegative one with one.
; CHECK-LABEL: define void @from_the_end(
; CHECK: call void @simt.check.index(i32 0, i64 %i, i64 %i, i64 0, i64 %low, i64 %n)
; CHECK: call void @simt.check.index(i32 1, i64 %j, i64 %j, i64 0, i64 0, i64 %n)
define void @from_the_end(i64 %i, i64 range(i64 0, 1024) %j, i64 range(i64 0, 65536) %n) "simt.kernel" {
  %low = sub nsw i64 0, %n
  call void @simt.check.index(i32 0, i64 %i, i64 %i, i64 0, i64 %low, i64 %n)
  call void @simt.check.index(i32 1, i64 %j, i64 %j, i64 0, i64 %low, i64 %n)
  ret void
}

declare range(i32 0, 1024) i32 @simt.tid.x()
declare void @simt.check.index(i32, i64, i64, i64, i64, i64)
