; RUN: heddle-opt -host -passes=loop-simplify,split-at-alias -S %s | FileCheck %s
; d[i, j] = min(d[i, j], d[i, k] + d[k, j]): iteration j = k writes what all iterations load. The iterations before it and
; those after it become loops of their own, which vectorize. Iteration k runs alone; short loops stay whole.

; CHECK-LABEL: define void @shortest(
; CHECK: %[[COUNT:.*]] = sub i64 %n, 0
; CHECK: icmp ult i64 %[[COUNT]], 32
; CHECK-COUNT-3: load float, ptr %from
; CHECK-NOT: load float, ptr %from
define void @shortest(ptr %d, i64 range(i64 1, 2305843009213693952) %n) {
entry:
  br label %rounds
rounds:
  %k = phi i64 [ 0, %entry ], [ %k_next, %k_latch ]
  %k_at = mul nuw nsw i64 %k, %n
  %k_row = getelementptr inbounds nuw float, ptr %d, i64 %k_at
  br label %rows
rows:
  %i = phi i64 [ 0, %rounds ], [ %i_next, %i_latch ]
  %i_at = mul nuw nsw i64 %i, %n
  %i_row = getelementptr inbounds nuw float, ptr %d, i64 %i_at
  %from = getelementptr inbounds nuw float, ptr %i_row, i64 %k
  br label %loop
loop:
  %j = phi i64 [ 0, %rows ], [ %next, %loop ]
  %p = getelementptr inbounds nuw float, ptr %i_row, i64 %j
  %old = load float, ptr %p
  %to_k = load float, ptr %from
  %q = getelementptr inbounds nuw float, ptr %k_row, i64 %j
  %from_k = load float, ptr %q
  %sum = fadd float %to_k, %from_k
  %new = call float @llvm.minnum.f32(float %old, float %sum)
  store float %new, ptr %p
  %next = add nuw nsw i64 %j, 1
  %over = icmp eq i64 %next, %n
  br i1 %over, label %i_latch, label %loop
i_latch:
  %i_next = add nuw nsw i64 %i, 1
  %i_over = icmp eq i64 %i_next, %n
  br i1 %i_over, label %k_latch, label %rows
k_latch:
  %k_next = add nuw nsw i64 %k, 1
  %k_over = icmp eq i64 %k_next, %n
  br i1 %k_over, label %exit, label %rounds
exit:
  ret void
}

; Where no iteration writes what all load, there is one loop.
; CHECK-LABEL: define void @scale(
; CHECK-COUNT-1: load float, ptr %f
; CHECK-NOT: load float, ptr %f
; CHECK: ret void
define void @scale(ptr noalias %d, ptr noalias %f, i64 %n) {
entry:
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds float, ptr %d, i64 %j
  %old = load float, ptr %p
  %by = load float, ptr %f
  %new = fmul float %old, %by
  store float %new, ptr %p
  %next = add nuw nsw i64 %j, 1
  %over = icmp eq i64 %next, %n
  br i1 %over, label %exit, label %loop
exit:
  ret void
}
