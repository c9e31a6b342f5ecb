; RUN: heddle-opt -passes=nvptx-lower-barriers -S %s | FileCheck %s
; RUN: heddle-opt -ptx %s | FileCheck %s --check-prefix=PTX
; Barriers, their reductions, fences and sleeps are single instructions. Reductions are counts.

; CHECK-LABEL: @k(
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %p)
; CHECK: %[[NOT:.*]] = xor i1 %p, true
; CHECK: %[[OTHERS:.*]] = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %[[NOT]])
; CHECK: %[[ALL:.*]] = icmp eq i32 %[[OTHERS]], 0
; CHECK: zext i1 %[[ALL]] to i32
; CHECK: %[[THESE:.*]] = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %p)
; CHECK: icmp ne i32 %[[THESE]], 0
; CHECK: call void @llvm.nvvm.membar.cta()
; CHECK: call void @llvm.nvvm.membar.gl()
; CHECK: call void @llvm.nvvm.membar.sys()
; CHECK: call void @llvm.nvvm.nanosleep(i32 %n)

; PTX-LABEL: .entry k(
; PTX: bar.sync 0;
; PTX: bar.red.popc.u32 {{.*}}, 0,
; PTX: bar.red.popc.u32 {{.*}}, 0,
; PTX: bar.red.popc.u32 {{.*}}, 0,
; PTX-NOT: .pred {{.*}}, 0,
; PTX: membar.cta;
; PTX: membar.gl;
; PTX: membar.sys;
; PTX: nanosleep.u32
define void @k(ptr addrspace(1) %out, i32 %n) "simt.kernel" {
  %p = icmp sgt i32 %n, 3
  call void @simt.barrier(i32 0)
  %a = call i32 @simt.barrier.count(i32 0, i1 %p)
  %b = call i32 @simt.barrier.and(i32 0, i1 %p)
  %c = call i32 @simt.barrier.or(i32 0, i1 %p)
  call void @simt.fence.block()
  call void @simt.fence.device()
  call void @simt.fence.system()
  call void @simt.nanosleep(i32 %n)
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %c
  store i32 %abc, ptr addrspace(1) %out
  ret void
}
declare void @simt.barrier(i32) convergent
declare i32 @simt.barrier.count(i32, i1) convergent
declare i32 @simt.barrier.and(i32, i1) convergent
declare i32 @simt.barrier.or(i32, i1) convergent
declare void @simt.fence.block()
declare void @simt.fence.device()
declare void @simt.fence.system()
declare void @simt.nanosleep(i32)
!simt.sites = !{!0}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 7, i32 8}
