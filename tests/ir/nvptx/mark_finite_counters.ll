; RUN: heddle-opt -passes=nvptx-mark-finite-counters -S %s | FileCheck %s

; A counter with a step of 32 that wraps around would never reach the bound.
; CHECK-LABEL: @signed_counter(
; CHECK: %next = add nsw i32 %i, 32
define float @signed_counter(ptr addrspace(1) %a, i32 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %at = sext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %at
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = add i32 %i, 32
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret float %t
}

; The bound on the left, and the exit first.
; CHECK-LABEL: @unsigned_counter(
; CHECK: %next = add nuw i32 %i, 8
define void @unsigned_counter(ptr addrspace(1) %a, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i32 %i
  %v = load float, ptr addrspace(1) %p
  %next = add i32 %i, 8
  %ends = icmp ult i32 %n, %next
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}

; Another step may skip the bound after it has wrapped around.
; CHECK-LABEL: @step_of_three(
; CHECK: %next = add i32 %i, 3
define void @step_of_three(ptr addrspace(1) %a, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i32 %i
  %v = load float, ptr addrspace(1) %p
  %next = add i32 %i, 3
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; A loop that communicates with other threads may run forever, this loop has two exits, and copies of a loop that stores
; gain nothing.
; CHECK-LABEL: @waits(
; CHECK: %next = add i32 %i, 4
; CHECK-LABEL: @volatile_access(
; CHECK: %next = add i32 %i, 4
; CHECK-LABEL: @two_exits(
; CHECK: %next = add i32 %i, 4
; CHECK-LABEL: @stores(
; CHECK: %next = add i32 %i, 4
define void @waits(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i32 %i, 4
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @volatile_access(ptr addrspace(1) %a, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = load volatile i32, ptr addrspace(1) %a
  %next = add i32 %i, 4
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @two_exits(ptr addrspace(1) %a, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %i
  %v = load i32, ptr addrspace(1) %p
  %found = icmp eq i32 %v, 0
  br i1 %found, label %exit, label %latch
latch:
  %next = add i32 %i, 4
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @stores(ptr addrspace(1) %a, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i32 %i
  store float 1.0, ptr addrspace(1) %p
  %next = add i32 %i, 4
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
