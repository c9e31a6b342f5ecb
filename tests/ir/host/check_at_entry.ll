; RUN: heddle-opt -host -passes=loop-simplify,check-at-entry -S %s | FileCheck %s
; a[i, j] -= a[i, 0] * a[k, j]: rows i and k of one array are compared where the inner loop is entered.

; CHECK-LABEL: define void @eliminate(
; CHECK: %i = phi i64
; CHECK: icmp ult ptr
; CHECK: icmp ult ptr
; CHECK: br i1 %{{.*}}, label %[[MEET:.*]], label %[[APART:[^,]*]]
; CHECK: [[MEET]]:
; CHECK: load float, ptr %{{.*}}, align 4{{$}}
; CHECK: load float, ptr %{{.*}}, align 4, !alias.scope
define void @eliminate(ptr %a, i64 %k, i64 %n, float %by) {
entry:
  %k_row = mul nsw i64 %k, %n
  %row_k = getelementptr inbounds float, ptr %a, i64 %k_row
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i_next, %latch ]
  %i_row = mul nsw i64 %i, %n
  %row_i = getelementptr inbounds float, ptr %a, i64 %i_row
  br label %loop
loop:
  %j = phi i64 [ 0, %outer ], [ %next, %loop ]
  %p = getelementptr inbounds float, ptr %row_i, i64 %j
  %old = load float, ptr %p
  %q = getelementptr inbounds float, ptr %row_k, i64 %j
  %other = load float, ptr %q
  %product = fmul float %other, %by
  %new = fsub float %old, %product
  store float %new, ptr %p
  %next = add nuw nsw i64 %j, 1
  %over = icmp eq i64 %next, %n
  br i1 %over, label %latch, label %loop
latch:
  %i_next = add nuw nsw i64 %i, 1
  %i_over = icmp eq i64 %i_next, %n
  br i1 %i_over, label %exit, label %outer
exit:
  ret void
}

; Two arrays are left to LLVM, which compares them once.
; CHECK-LABEL: define void @two_arrays(
; CHECK-COUNT-1: fsub
; CHECK-NOT: fsub
; CHECK: ret void
define void @two_arrays(ptr %a, ptr %b, i64 %n, float %by) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i_next, %latch ]
  %i_row = mul nsw i64 %i, %n
  %row_i = getelementptr inbounds float, ptr %a, i64 %i_row
  br label %loop
loop:
  %j = phi i64 [ 0, %outer ], [ %next, %loop ]
  %p = getelementptr inbounds float, ptr %row_i, i64 %j
  %old = load float, ptr %p
  %q = getelementptr inbounds float, ptr %b, i64 %j
  %other = load float, ptr %q
  %new = fsub float %old, %other
  store float %new, ptr %p
  %next = add nuw nsw i64 %j, 1
  %over = icmp eq i64 %next, %n
  br i1 %over, label %latch, label %loop
latch:
  %i_next = add nuw nsw i64 %i, 1
  %i_over = icmp eq i64 %i_next, %n
  br i1 %i_over, label %exit, label %outer
exit:
  ret void
}
; CHECK: !{!"llvm.loop.vectorize.width", i32 1}
