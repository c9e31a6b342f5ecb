; RUN: heddle-opt -passes=nvptx-unroll-computations -S %s | FileCheck %s

; A loop over the bits of a number.
define i32 @bits(i64 %x) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %rest = phi i64 [ %x, %entry ], [ %shifted, %loop ]
  %count = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %low = and i64 %rest, 1
  %bit = trunc i64 %low to i32
  %sum = add i32 %count, %bit
  %shifted = lshr i64 %rest, 1
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %exit
exit:
  ret i32 %sum
}
; CHECK-LABEL: @bits(
; CHECK: br i1 %more, label %loop, label %exit, !llvm.loop ![[FULL:[0-9]+]]

; A loop that is long when it is unrolled, one that loads, and one whose trip count is not constant.
define i32 @long(i64 %x) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %rest = phi i64 [ %x, %entry ], [ %shifted, %loop ]
  %low = and i64 %rest, 1
  %shifted = lshr i64 %rest, 1
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 1000
  br i1 %more, label %loop, label %exit
exit:
  ret i32 %i
}
; CHECK-LABEL: @long(
; CHECK: br i1 %more, label %loop, label %exit{{$}}

define i32 @loads(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %t, %loop ]
  %q = getelementptr i32, ptr %p, i32 %i
  %v = load i32, ptr %q
  %t = add i32 %s, %v
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %exit
exit:
  ret i32 %t
}
; CHECK-LABEL: @loads(
; CHECK: br i1 %more, label %loop, label %exit{{$}}

define i32 @unknown(i64 %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %rest = phi i64 [ %x, %entry ], [ %shifted, %loop ]
  %shifted = lshr i64 %rest, 1
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret i32 %i
}
; CHECK-LABEL: @unknown(
; CHECK: br i1 %more, label %loop, label %exit{{$}}

; CHECK: ![[FULL]] = distinct !{![[FULL]], ![[HINT:[0-9]+]]}
; CHECK: ![[HINT]] = !{!"llvm.loop.unroll.full"}
