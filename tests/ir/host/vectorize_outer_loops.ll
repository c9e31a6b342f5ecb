; RUN: heddle-opt -host -passes=vectorize-outer-loops -S %s | FileCheck %s
; c[j] = sum of a[k] * b[k, j] over k: groups of j run together, and each sum keeps its order.

; CHECK-LABEL: define void @products(
; CHECK: phi <[[LANES:[0-9]+]] x float>
; CHECK: fmul <[[LANES]] x float>
; CHECK: fadd <[[LANES]] x float>
; CHECK: store <[[LANES]] x float>
; CHECK: phi float
; CHECK: store float
; CHECK: ret void
define void @products(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %before, label %exit
before:
  br label %outer
outer:
  %j = phi i64 [ 0, %before ], [ %j_next, %latch ]
  br label %inner
inner:
  %k = phi i64 [ 0, %outer ], [ %k_next, %inner ]
  %total = phi float [ 0.0, %outer ], [ %sum, %inner ]
  %p = getelementptr inbounds float, ptr %a, i64 %k
  %x = load float, ptr %p
  %row = mul nuw nsw i64 %k, %n
  %at = add nuw nsw i64 %row, %j
  %q = getelementptr inbounds float, ptr %b, i64 %at
  %y = load float, ptr %q
  %product = fmul float %x, %y
  %sum = fadd float %total, %product
  %k_next = add nuw nsw i64 %k, 1
  %k_over = icmp eq i64 %k_next, %n
  br i1 %k_over, label %latch, label %inner
latch:
  %result = phi float [ %sum, %inner ]
  %to = getelementptr inbounds float, ptr %c, i64 %j
  store float %result, ptr %to
  %j_next = add nuw nsw i64 %j, 1
  %j_over = icmp eq i64 %j_next, %n
  br i1 %j_over, label %done, label %outer
done:
  br label %exit
exit:
  ret void
}

; An iteration that reads what the one before wrote cannot run beside it.
; CHECK-LABEL: define void @chained(
; CHECK-NOT: x float>
; CHECK: ret void
define void @chained(ptr noalias %a, ptr noalias %c, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %before, label %exit
before:
  br label %outer
outer:
  %j = phi i64 [ 0, %before ], [ %j_next, %latch ]
  %from = getelementptr inbounds float, ptr %c, i64 %j
  %start = load float, ptr %from
  br label %inner
inner:
  %k = phi i64 [ 0, %outer ], [ %k_next, %inner ]
  %total = phi float [ %start, %outer ], [ %sum, %inner ]
  %p = getelementptr inbounds float, ptr %a, i64 %k
  %x = load float, ptr %p
  %sum = fadd float %total, %x
  %k_next = add nuw nsw i64 %k, 1
  %k_over = icmp eq i64 %k_next, %n
  br i1 %k_over, label %latch, label %inner
latch:
  %result = phi float [ %sum, %inner ]
  %j_next = add nuw nsw i64 %j, 1
  %to = getelementptr inbounds float, ptr %c, i64 %j_next
  store float %result, ptr %to
  %j_over = icmp eq i64 %j_next, %n
  br i1 %j_over, label %done, label %outer
done:
  br label %exit
exit:
  ret void
}
