; RUN: heddle-opt -passes=split-thread-loops -S %s | FileCheck %s
; A loop over threads is cut where its bounds check changes: the first part has no check, the rest nothing to do.

declare void @work(i64)

; CHECK-LABEL: @below(
; CHECK: %[[ROOM:.*]] = call i64 @llvm.ssub.sat.i64(
; CHECK: call i64 @llvm.smin.i64(
; CHECK: %[[PLACE:.*]] = trunc i64 %{{.*}} to i32
; CHECK: x:
; CHECK-NOT: br i1 %inside
; CHECK: call void @work(
; CHECK: %[[MORE:.*]] = icmp ult i32 %next, %[[PLACE]]
; CHECK: rest:
; CHECK-NOT: call void @work(
; CHECK: exit:
define void @below(i64 range(i64 0, 4096) %base, i64 range(i64 0, 4096) %n, i32 range(i32 1, 1025) %ntid) {
entry:
  br label %x
x:
  %tid = phi i32 [ 0, %entry ], [ %next, %latch ]
  %wide = zext nneg i32 %tid to i64
  %i = add nuw nsw i64 %base, %wide
  %inside = icmp slt i64 %i, %n
  br i1 %inside, label %body, label %latch
body:
  call void @work(i64 %i)
  br label %latch
latch:
  %next = add nuw nsw i32 %tid, 1
  %more = icmp ult i32 %next, %ntid
  br i1 %more, label %x, label %exit, !llvm.loop !0
exit:
  ret void
}

; A sum that may wrap around gets a loop of its own, left as it is, for the blocks where it might.
; CHECK-LABEL: @wrapping(
; CHECK: icmp ult i64 %{{.*}}, 2147483648
; CHECK: %[[BASE:.*]] = and i32 %{{.*}}, 2147483647
; CHECK: x:
; CHECK: add nuw nsw i32 %[[BASE]], %tid
; CHECK-NOT: br i1 %inside
; CHECK: call void @work(
; CHECK: x.rest:
; CHECK: add i32 %base, %tid.rest
; CHECK: br i1 %inside.rest
define void @wrapping(i32 %base, i32 %n, i32 range(i32 1, 1025) %ntid) {
entry:
  br label %x
x:
  %tid = phi i32 [ 0, %entry ], [ %next, %latch ]
  %i = add i32 %base, %tid
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %latch
body:
  %wide = sext i32 %i to i64
  call void @work(i64 %wide)
  br label %latch
latch:
  %next = add nuw nsw i32 %tid, 1
  %more = icmp ult i32 %next, %ntid
  br i1 %more, label %x, label %exit, !llvm.loop !0
exit:
  ret void
}

; A block that nothing reaches is no way into the copy, either.
; CHECK-LABEL: @beside_a_block_that_nothing_reaches(
; CHECK: latch:
; CHECK-NEXT: %v = phi i64 [ 0, %x ], [ 1, %body ]
; CHECK: latch.rest:
; CHECK-NEXT: %v.rest = phi i64 [ 0, %x.rest ], [ 1, %body.rest ]
define void @beside_a_block_that_nothing_reaches(i32 %base, i1 %c, i32 range(i32 1, 1025) %ntid) {
entry:
  br label %x
x:
  %tid = phi i32 [ 0, %entry ], [ %next, %latch ]
  %i = add i32 %base, %tid
  %even = trunc i32 %i to i1
  br i1 %even, label %body, label %latch
nowhere:
  br label %latch
body:
  call void @work(i64 7)
  br label %latch
latch:
  %v = phi i64 [ 0, %x ], [ 1, %body ], [ 2, %nowhere ]
  call void @work(i64 %v)
  %next = add nuw nsw i32 %tid, 1
  %more = icmp ult i32 %next, %ntid
  br i1 %more, label %x, label %exit, !llvm.loop !0
exit:
  ret void
}

; A check that is the same for every thread cuts at one end of the loop, out of a condition joined with another.
; CHECK-LABEL: @joined(
; CHECK: select i1 %{{.*}}, i32 %ntid, i32 0
; CHECK-NOT: br i1 %skip
; CHECK: exit:
define void @joined(i64 range(i64 0, 4096) %n, i1 %outside, i32 range(i32 1, 1025) %ntid) {
entry:
  br label %x
x:
  %tid = phi i32 [ 0, %entry ], [ %next, %latch ]
  %i = zext nneg i32 %tid to i64
  %beyond = icmp sge i64 %i, %n
  %skip = or i1 %outside, %beyond
  br i1 %skip, label %latch, label %body
body:
  call void @work(i64 %i)
  br label %latch
latch:
  %next = add nuw nsw i32 %tid, 1
  %more = icmp ult i32 %next, %ntid
  br i1 %more, label %x, label %exit, !llvm.loop !0
exit:
  ret void
}

; A loop that is not over threads stays whole.
; CHECK-LABEL: @other(
; CHECK: br i1 %inside
; CHECK-NOT: rest:
; CHECK: ret void
define void @other(i64 range(i64 0, 4096) %n, i32 range(i32 1, 1025) %count) {
entry:
  br label %x
x:
  %tid = phi i32 [ 0, %entry ], [ %next, %latch ]
  %i = zext nneg i32 %tid to i64
  %inside = icmp slt i64 %i, %n
  br i1 %inside, label %body, label %latch
body:
  call void @work(i64 %i)
  br label %latch
latch:
  %next = add nuw nsw i32 %tid, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %x, label %exit
exit:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"heddle.thread_loop"}
