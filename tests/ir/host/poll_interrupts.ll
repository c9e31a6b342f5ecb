; RUN: heddle-opt -passes=poll-interrupts -S %s | FileCheck %s

; A loop without a known end looks at the flag in each iteration.
; CHECK-LABEL: define void @waits(
; CHECK: loop:
; CHECK: %[[SET:.*]] = load atomic i8, ptr @heddle_host_interrupt_flag monotonic, align 1
; CHECK: %[[IS_SET:.*]] = icmp ne i8 %[[SET]], 0
; CHECK: br i1 %[[IS_SET]], label %[[ANSWER:.*]], label %[[GO:[^,]*]], !prof
; CHECK: [[ANSWER]]:
; CHECK: call void @heddle_host_answer_interrupt()
; CHECK: br label %[[GO]]
; CHECK: [[GO]]:
; CHECK: br i1 %on, label %loop, label %done
define void @waits(ptr %a) {
entry:
  br label %loop
loop:
  %x = load volatile i32, ptr %a
  %on = icmp eq i32 %x, 0
  br i1 %on, label %loop, label %done
done:
  ret void
}

; A loop that only counts looks once in 4096 iterations.
; CHECK-LABEL: define void @counts(
; CHECK: 4096
; CHECK-COUNT-1: load atomic i8
; CHECK-NOT: load atomic i8
; CHECK: ret void
define void @counts(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i64, ptr %a, i64 %i
  store i64 %i, ptr %p
  %next = add nuw nsw i64 %i, 1
  %over = icmp eq i64 %next, %n
  br i1 %over, label %done, label %loop
done:
  ret void
}

; A counted loop in another one leaves that to the outer one.
; CHECK-LABEL: define void @nested(
; CHECK: inner:
; CHECK-NOT: load atomic i8
; CHECK: br i1 %inner_over
; CHECK-COUNT-1: load atomic i8
; CHECK-NOT: load atomic i8
; CHECK: ret void
define void @nested(ptr %a, i64 %n) {
entry:
  br label %outer
outer:
  %j = phi i64 [ 0, %entry ], [ %outer_next, %latch ]
  br label %inner
inner:
  %i = phi i64 [ 0, %outer ], [ %next, %inner ]
  %p = getelementptr i64, ptr %a, i64 %i
  store volatile i64 %i, ptr %p
  %next = add nuw nsw i64 %i, 1
  %inner_over = icmp eq i64 %next, %n
  br i1 %inner_over, label %latch, label %inner
latch:
  %outer_next = add nuw nsw i64 %j, 1
  %outer_over = icmp eq i64 %outer_next, %n
  br i1 %outer_over, label %done, label %outer
done:
  ret void
}
