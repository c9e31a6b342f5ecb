; RUN: heddle-opt -passes=name-block-barriers -S %s | FileCheck %s
; In a kernel with a named barrier, the barriers of the block are named ones too. Other kernels keep theirs.

; CHECK-LABEL: define void @mixed(
; CHECK: call void @simt.named.barrier(i32 0, i32 0, i32 0)
; CHECK: call void @simt.named.barrier(i32 1, i32 3, i32 0)
; CHECK: %[[COUNT:.*]] = call i32 @simt.named.barrier.count(i32 2, i32 0, i32 0, i1 %p)
; CHECK: %[[NOT:.*]] = xor i1 %p, true
; CHECK: %[[OTHERS:.*]] = call i32 @simt.named.barrier.count(i32 2, i32 0, i32 0, i1 %[[NOT]])
; CHECK: %[[ALL:.*]] = icmp eq i32 %[[OTHERS]], 0
; CHECK: zext i1 %[[ALL]] to i32
; CHECK: %[[SOME:.*]] = call i32 @simt.named.barrier.count(i32 2, i32 0, i32 0, i1 %p)
; CHECK: %[[ANY:.*]] = icmp ne i32 %[[SOME]], 0
; CHECK: zext i1 %[[ANY]] to i32
; CHECK: call void @simt.named.barrier.arrive(i32 0, i32 %n, i32 64)
; CHECK-NOT: @simt.barrier(
define void @mixed(ptr addrspace(1) %out, i32 %n) "simt.kernel" {
  %p = icmp sgt i32 %n, 3
  call void @simt.barrier(i32 0)
  call void @simt.barrier(i32 1)
  %count = call i32 @simt.barrier.count(i32 2, i1 %p)
  %all = call i32 @simt.barrier.and(i32 2, i1 %p)
  %any = call i32 @simt.barrier.or(i32 2, i1 %p)
  call void @simt.named.barrier.arrive(i32 0, i32 %n, i32 64)
  %sum = add i32 %count, %all
  %result = add i32 %sum, %any
  store i32 %result, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: define void @whole(
; CHECK: call void @simt.barrier(i32 1)
define void @whole() "simt.kernel" {
  call void @simt.barrier(i32 1)
  ret void
}

declare void @simt.barrier(i32) convergent
declare i32 @simt.barrier.count(i32, i1) convergent
declare i32 @simt.barrier.and(i32, i1) convergent
declare i32 @simt.barrier.or(i32, i1) convergent
declare void @simt.named.barrier.arrive(i32, i32, i32) convergent

!simt.sites = !{!0, !1, !2}
!0 = !{!"barrier", !"simt.barrier", !"mixed", !"k.cu", i32 7, i32 8}
!1 = !{!"barrier", !"simt.barrier 3", !"mixed", !"k.cu", i32 8, i32 8}
!2 = !{!"barrier", !"simt.barrier.count", !"mixed", !"k.cu", i32 9, i32 8}
