; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; The plans of kernels that access columns of an array say so.

; CHECK-LABEL: define void @transpose(
; CHECK-SAME: #[[COLUMNS:[0-9]+]]
define void @transpose(ptr %a, ptr %b, i64 %n) "simt.kernel" {
  %tx = call i32 @simt.tid.x()
  %ty = call i32 @simt.tid.y()
  %x = sext i32 %tx to i64
  %y = sext i32 %ty to i64
  %row = mul i64 %y, %n
  %from = add i64 %row, %x
  %p = getelementptr float, ptr %a, i64 %from
  %v = load float, ptr %p
  %column = mul i64 %x, %n
  %to = add i64 %column, %y
  %q = getelementptr float, ptr %b, i64 %to
  store float %v, ptr %q
  ret void
}

; CHECK-LABEL: define void @rows(
; CHECK-SAME: #[[ROWS:[0-9]+]]
define void @rows(ptr %a, i64 %n) "simt.kernel" {
  %tx = call i32 @simt.tid.x()
  %ty = call i32 @simt.tid.y()
  %x = sext i32 %tx to i64
  %y = sext i32 %ty to i64
  %row = mul i64 %y, %n
  %from = add i64 %row, %x
  %p = getelementptr float, ptr %a, i64 %from
  store float 1.0, ptr %p
  ret void
}

; The kernel has no neighboring threads.
; CHECK-LABEL: define void @table(
; CHECK-SAME: #[[ROWS]]
define void @table(ptr %a, ptr %indices) "simt.kernel" {
  %tx = call i32 @simt.tid.x()
  %x = sext i32 %tx to i64
  %i = getelementptr i64, ptr %indices, i64 %x
  %index = load i64, ptr %i
  %p = getelementptr float, ptr %a, i64 %index
  store float 1.0, ptr %p
  ret void
}

; CHECK-DAG: attributes #[[COLUMNS]] = { "cpu.plan"="grouped=rows; width=4; accesses-columns; memory-bound"
; CHECK-DAG: attributes #[[ROWS]] = { "cpu.plan"="grouped=rows; width=4; memory-bound"

declare i32 @simt.tid.x()
declare i32 @simt.tid.y()
