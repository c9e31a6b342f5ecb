; RUN: heddle-opt -passes=nvptx-lower-barriers -S %s | FileCheck %s
; RUN: heddle-opt -ptx %s | FileCheck %s --check-prefix=PTX
; Named barriers are single instructions. Without a number of threads, they wait for the block.

; CHECK-LABEL: @k(
; CHECK: call void @llvm.nvvm.barrier.cta.sync.count(i32 1, i32 64)
; CHECK: call void @llvm.nvvm.barrier.cta.sync.all(i32 %n)
; CHECK: call i32 @llvm.nvvm.barrier.cta.red.popc.all(i32 3, i1 %p)
; CHECK: %[[ALL:.*]] = and i32 %{{.*}}, -32
; CHECK: %[[THREADS:.*]] = select i1 %{{.*}}, i32 %[[ALL]], i32 %n
; CHECK: call i32 @llvm.nvvm.barrier.cta.red.popc.count(i32 4, i32 %[[THREADS]], i1 %p)
; CHECK: call void @llvm.nvvm.barrier.cta.arrive.count(i32 %n, i32 96)

; PTX-LABEL: .entry k(
; PTX: barrier.sync 1, 64;
; PTX: barrier.sync %r{{[0-9]+}};
; PTX: barrier.red.popc.u32 {{.*}}, 3,
; PTX: barrier.red.popc.u32 {{.*}}, 4, %r
; PTX: barrier.arrive %r{{[0-9]+}}, 96;
define void @k(ptr addrspace(1) %out, i32 %n) "simt.kernel" {
  %p = icmp sgt i32 %n, 3
  call void @simt.named.barrier(i32 0, i32 1, i32 64)
  call void @simt.named.barrier(i32 0, i32 %n, i32 0)
  %a = call i32 @simt.named.barrier.count(i32 0, i32 3, i32 0, i1 %p)
  %b = call i32 @simt.named.barrier.count(i32 0, i32 4, i32 %n, i1 %p)
  call void @simt.named.barrier.arrive(i32 0, i32 %n, i32 96)
  %sum = add i32 %a, %b
  store i32 %sum, ptr addrspace(1) %out
  ret void
}
declare void @simt.named.barrier(i32, i32, i32) convergent
declare i32 @simt.named.barrier.count(i32, i32, i32, i1) convergent
declare void @simt.named.barrier.arrive(i32, i32, i32) convergent

!simt.sites = !{!0}
!0 = !{!"barrier", !"simt.named.barrier", !"k", !"k.py", i32 7, i32 8}
