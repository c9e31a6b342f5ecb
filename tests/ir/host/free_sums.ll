; RUN: heddle-opt -passes=free-sums -S %s | FileCheck %s

; Sums that the iterations of a shared loop carry may be computed in any order.
; CHECK-LABEL: define double @shared(
; CHECK: %x2 = fmul double %x, %x
; CHECK: %more = fadd reassoc double %total, %x2
define double @shared(ptr %a, i64 %n) "heddle.shared-iterations" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %total = phi double [ 0.0, %entry ], [ %more, %loop ]
  %p = getelementptr double, ptr %a, i64 %i
  %x = load double, ptr %p
  %x2 = fmul double %x, %x
  %more = fadd double %total, %x2
  %next = add i64 %i, 1
  %on = icmp slt i64 %next, %n
  br i1 %on, label %loop, label %done
done:
  ret double %more
}

; Other functions keep their order.
; CHECK-LABEL: define double @ordered(
; CHECK: %more = fadd double %total, %x
define double @ordered(ptr %a, i64 %n) {
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
