; RUN: heddle-opt -passes=split-addresses -S %s | FileCheck %s
; A sparse matrix row: of both indices, only %i varies in the loop, and of the select only the sign.

; CHECK-LABEL: @row(
; CHECK: entry:
; CHECK-DAG: %[[VALUES:[0-9]+]] = getelementptr float, ptr %values, i64 %first
; CHECK-DAG: %[[END:[0-9]+]] = getelementptr float, ptr %x, i64 %size
; CHECK: loop:
; CHECK: getelementptr float, ptr %[[VALUES]], i64 %i
; CHECK: %[[BASE:[0-9]+]] = select i1 %below, ptr %[[END]], ptr %x
; CHECK: getelementptr float, ptr %[[BASE]], i64 %column
define float @row(ptr %values, ptr %columns, ptr %x, i64 %size, i64 %first, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %total = phi float [ 0.0, %entry ], [ %sum, %loop ]
  %k = add nsw i64 %first, %i
  %place = getelementptr inbounds float, ptr %values, i64 %k
  %value = load float, ptr %place
  %where = getelementptr i64, ptr %columns, i64 %i
  %column = load i64, ptr %where
  %below = icmp slt i64 %column, 0
  %end = select i1 %below, i64 %size, i64 0
  %from = getelementptr float, ptr %x, i64 %end
  %at = getelementptr float, ptr %from, i64 %column
  %w = load float, ptr %at
  %product = fmul float %value, %w
  %sum = fadd float %total, %product
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret float %sum
}

; Varying parts stay in the loop; constants stay in addressing modes.
; CHECK-LABEL: @changing(
; CHECK: loop:
; CHECK: %k = add i64 %i, %j
; CHECK: getelementptr inbounds float, ptr %a, i64 %k
; CHECK: %l = add i64 %i, 3
; CHECK: getelementptr inbounds float, ptr %a, i64 %l
define void @changing(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %j = phi i64 [ 1, %entry ], [ %twice, %loop ]
  %k = add i64 %i, %j
  %p = getelementptr inbounds float, ptr %a, i64 %k
  store float 0.0, ptr %p
  %l = add i64 %i, 3
  %q = getelementptr inbounds float, ptr %a, i64 %l
  store float 0.0, ptr %q
  %twice = shl i64 %j, 1
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
