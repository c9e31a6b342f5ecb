; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; A uniform condition, here whether the row exists, is not part of the mask: all rows share one mask.

; CHECK-LABEL: define void @k(
; CHECK: [[ROW:%.*]] = icmp ult i32 %y, %rows
; CHECK-DAG: [[COLUMNS:%.*]] = icmp ult <4 x i32>
; CHECK-DAG: [[MASK:%.*]] = freeze <4 x i1> [[COLUMNS]]
; CHECK-DAG: [[THERE:%.*]] = freeze i1 [[ROW]]
; CHECK-DAG: [[ANY:%.*]] = icmp ult i32 %x, %columns
; CHECK: [[WORK:%.*]] = select i1 [[THERE]], i1 [[ANY]], i1 false
; CHECK: br i1 [[WORK]], label %work, label %out
; CHECK: work:
; CHECK: call void @llvm.masked.store.v4i32.p1({{.*}}, <4 x i1> [[MASK]])
define void @k(ptr addrspace(1) %a, i32 %rows, i32 %columns) "simt.kernel" {
  %x = call i32 @simt.tid.x()
  %y = call i32 @simt.tid.y()
  %row = icmp ult i32 %y, %rows
  %column = icmp ult i32 %x, %columns
  %inside = and i1 %row, %column
  br i1 %inside, label %work, label %out
out:
  ret void
work:
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %x
  store i32 %y, ptr addrspace(1) %p, align 4
  br label %out
}
declare i32 @simt.tid.x()
declare i32 @simt.tid.y()
