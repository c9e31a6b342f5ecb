; RUN: heddle-opt -passes=keep-sums-rolled -S %s | FileCheck %s

; A loop that carries a float sum is not unrolled at run time.
; CHECK-LABEL: define double @sums(
; CHECK: br i1 %on, label %loop, label %done, !llvm.loop ![[LOOP:[0-9]+]]
define double @sums(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %total = phi double [ 0.0, %entry ], [ %more, %loop ]
  %p = getelementptr double, ptr %a, i64 %i
  %x = load double, ptr %p
  %more = fadd double %total, %x
  %next = add i64 %i, 1
  %on = icmp slt i64 %next, %n
  br i1 %on, label %loop, label %done
done:
  ret double %more
}

; One that carries integers may be.
; CHECK-LABEL: define i64 @counts(
; CHECK: br i1 %on, label %loop, label %done{{$}}
define i64 @counts(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %total = phi i64 [ 0, %entry ], [ %more, %loop ]
  %p = getelementptr i64, ptr %a, i64 %i
  %x = load i64, ptr %p
  %more = add i64 %total, %x
  %next = add i64 %i, 1
  %on = icmp slt i64 %next, %n
  br i1 %on, label %loop, label %done
done:
  ret i64 %more
}
; CHECK: ![[LOOP]] = distinct !{![[LOOP]], ![[NO:[0-9]+]]}
; CHECK: ![[NO]] = !{!"llvm.loop.unroll.runtime.disable", i32 0}
