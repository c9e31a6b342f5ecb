; RUN: heddle-opt -passes=nvptx-run-remainders-once -S %s | FileCheck %s

; A loop with the mark becomes straight code, one without it stays.
define void @loops(ptr %p, i64 %n) {
entry:
  br label %once
once:
  %i = phi i64 [ 0, %entry ], [ %next, %once ]
  store volatile i64 %i, ptr %p
  %next = add i64 %i, 8
  %again = icmp ult i64 %next, %n
  br i1 %again, label %once, label %between, !llvm.loop !0
between:
  br label %loop
loop:
  %j = phi i64 [ 0, %between ], [ %nextj, %loop ]
  store volatile i64 %j, ptr %p
  %nextj = add i64 %j, 8
  %more = icmp ult i64 %nextj, %n
  br i1 %more, label %loop, label %out, !llvm.loop !2
out:
  ret void
}
; CHECK-LABEL: @loops(
; CHECK: once:
; CHECK: br label %between
; CHECK: loop:
; CHECK: br i1 %more, label %loop, label %out
!0 = distinct !{!0, !1}
!1 = !{!"heddle.loop.once"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.unroll.disable"}
