; RUN: heddle-opt -passes=nvptx-narrow-counters -S %s | FileCheck %s
; A counter up to a bound below 2^32, but not if its value is used or the bound may be larger.

; CHECK-LABEL: @counts(
; CHECK: %[[BOUND:.*]] = trunc i64 %n to i32
; CHECK: loop:
; CHECK: %[[I:.*]] = phi i32 [ 0, %entry ], [ %[[NEXT:.*]], %loop ]
; CHECK: %[[NEXT]] = add nuw i32 %[[I]], 4
; CHECK: icmp eq i32 %[[NEXT]], %[[BOUND]]
define void @counts(ptr addrspace(1) %p, i64 range(i64 0, 4294967296) %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  store volatile i32 1, ptr addrspace(1) %p
  %i1 = add nuw i64 %i, 4
  %end = icmp eq i64 %i1, %n
  br i1 %end, label %done, label %loop
done:
  ret void
}

; CHECK-LABEL: @used(
; CHECK: phi i64
define void @used(ptr addrspace(1) %p, i64 range(i64 0, 4294967296) %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  store volatile i64 %i, ptr addrspace(1) %p
  %i1 = add nuw i64 %i, 4
  %end = icmp eq i64 %i1, %n
  br i1 %end, label %done, label %loop
done:
  ret void
}

; CHECK-LABEL: @large(
; CHECK: phi i64
define void @large(ptr addrspace(1) %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  store volatile i32 1, ptr addrspace(1) %p
  %i1 = add nuw i64 %i, 4
  %end = icmp eq i64 %i1, %n
  br i1 %end, label %done, label %loop
done:
  ret void
}

; Without nuw, the counter may reach its bound after 2^62 iterations.
; CHECK-LABEL: @wraps(
; CHECK: phi i64
define void @wraps(ptr addrspace(1) %p, i64 range(i64 0, 4294967296) %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  store volatile i32 1, ptr addrspace(1) %p
  %i1 = add i64 %i, 4
  %end = icmp eq i64 %i1, %n
  br i1 %end, label %done, label %loop
done:
  ret void
}
