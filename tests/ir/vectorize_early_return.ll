; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; A thread that has returned does not block a barrier: the others continue under a mask.

; CHECK-LABEL: define void @k(
; CHECK: br i1 %{{.*}}, label %work
; CHECK: work:
; CHECK: call void @simt.barrier(i32 0)
; CHECK: call void @llvm.masked.store.v4i32.p1(
; CHECK: !"k: runs 4 threads along x at a time, as vectors"
define void @k(ptr addrspace(1) %a, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %in = icmp ult i32 %t, %n
  br i1 %in, label %work, label %out
out:
  ret void
work:
  call void @simt.barrier(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  store i32 %t, ptr addrspace(1) %p, align 4
  ret void
}
declare i32 @simt.tid.x()
declare void @simt.barrier(i32) convergent
