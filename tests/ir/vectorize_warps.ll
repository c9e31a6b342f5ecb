; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; RUN: heddle-opt -passes=vectorize,bind-context,plan-blocks-as-coroutines,lower-barriers -S %s | FileCheck %s --check-prefix=VOTE
; Warp operations of a group that is a warp: uniform results are scalars, shuffles by constants are shufflevectors.

; CHECK-LABEL: define void @sum(
; CHECK-NOT: simt.warp
; CHECK: shufflevector <32 x i32> %{{.*}}, <32 x i32> poison, <32 x i32> <i32 16, {{.*}}i32 31, i32 16, i32 17
; CHECK: %[[NEXT:.*]] = add <32 x i32>
; CHECK: shufflevector <32 x i32> %{{.*}}, <32 x i32> poison, <32 x i32> <i32 1, i32 0, i32 3, i32 2
define void @sum(ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %v = load i32, ptr addrspace(1) %p, align 4
  %other = call i32 @simt.warp.shuffle.down.i32(i32 0, i32 -1, i32 %v, i32 16, i32 32)
  %two = add i32 %v, %other
  call void @simt.warp.barrier(i32 0, i32 -1)
  %next = call i32 @simt.warp.shuffle.xor.i32(i32 0, i32 -1, i32 %two, i32 1, i32 32)
  %four = add i32 %two, %next
  store i32 %four, ptr addrspace(1) %p, align 4
  ret void
}

; Inactive lanes must not count: only the lanes of the branch vote.
; CHECK-LABEL: define void @votes(
; CHECK: %[[RUN:.*]] = icmp slt <32 x i32> %{{.*}}, splat (i32 7)
; CHECK: %[[YES:.*]] = select <32 x i1> %[[LANES:.*]], <32 x i1> %{{.*}}, <32 x i1> zeroinitializer
; CHECK: %[[BITS:.*]] = bitcast <32 x i1> %[[YES]] to i32
; CHECK: @llvm.ctpop.i32(i32 %[[BITS]])
; CHECK: select <32 x i1> %[[LANES]], <32 x i32> %{{.*}}, <32 x i32> splat (i32 2147483647)
; CHECK: call i32 @llvm.vector.reduce.smin.v32i32
define void @votes(ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %v = load i32, ptr addrspace(1) %p, align 4
  %small = icmp slt i32 %v, 7
  br i1 %small, label %some, label %end
some:
  %odd = trunc i32 %v to i1
  %yes = call i32 @simt.warp.ballot(i32 0, i32 -1, i1 %odd)
  %count = call i32 @llvm.ctpop.i32(i32 %yes)
  %active = call i32 @simt.warp.active(i32 0)
  %least = call i32 @simt.warp.reduce.min.i32(i32 0, i32 %active, i32 %v)
  %both = add i32 %count, %least
  store i32 %both, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}

; Lanes outside the mask do not vote, and a lane that is not in its own mask stops the kernel.
; CHECK-LABEL: define void @named(
; CHECK: call void @simt.trap.index(i32 7, i64 %{{.*}}, i64 %{{.*}})
; CHECK: %[[NAMED:.*]] = bitcast i32 %mask to <32 x i1>
; CHECK: select <32 x i1> splat (i1 true), <32 x i1> %[[NAMED]], <32 x i1> zeroinitializer
define void @named(ptr addrspace(1) %a, i32 %mask) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %v = load i32, ptr addrspace(1) %p, align 4
  %small = icmp slt i32 %v, 7
  %yes = call i32 @simt.warp.ballot(i32 7, i32 %mask, i1 %small)
  store i32 %yes, ptr addrspace(1) %p, align 4
  ret void
}

; With different masks, each lane gets its own bits.
; CHECK-LABEL: define void @halves(
; CHECK: %[[MASKS:.*]] = shl nuw <32 x i32> splat (i32 65535), %{{.*}}
; CHECK: %[[SEEN:.*]] = and <32 x i32> %{{.*}}, %[[MASKS]]
; CHECK: store <32 x i32> %[[SEEN]]
define void @halves(ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %half = and i32 %t, 16
  %mask = shl i32 65535, %half
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %v = load i32, ptr addrspace(1) %p, align 4
  %small = icmp slt i32 %v, 7
  %yes = call i32 @simt.warp.ballot(i32 7, i32 %mask, i1 %small)
  store i32 %yes, ptr addrspace(1) %p, align 4
  ret void
}

; A barrier's vote is counted over the group's lanes, which arrive together.
; CHECK-LABEL: define void @barrier_votes(
; CHECK: %[[LANES:.*]] = bitcast <4 x i1> %{{.*}} to i4
; CHECK: %[[COUNT:.*]] = call {{.*}} @llvm.ctpop.i4(i4 %[[LANES]])
; CHECK: %[[YES:.*]] = zext i4 %[[COUNT]] to i32
; CHECK: call i32 @simt.barrier.count(i32 0, i1 false) [ "heddle.arrived"(i32 4, i32 %[[YES]]) ]
; VOTE: %[[BEFORE:.*]] = load i32, ptr %[[ARRIVED:.*]]
; VOTE: %[[ALL:.*]] = add i32 %[[BEFORE]], 4
; VOTE: store i32 %[[ALL]]
define void @barrier_votes(ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %v = load i32, ptr addrspace(1) %p, align 4
  %small = icmp slt i32 %v, 7
  %n = call i32 @simt.barrier.count(i32 0, i1 %small)
  store i32 %n, ptr addrspace(1) %p, align 4
  ret void
}
declare i32 @simt.tid.x()
declare i32 @simt.barrier.count(i32, i1) convergent
declare i32 @llvm.ctpop.i32(i32)
declare void @simt.warp.barrier(i32, i32) convergent
declare i32 @simt.warp.ballot(i32, i32, i1) convergent
declare i32 @simt.warp.active(i32) convergent
declare i32 @simt.warp.reduce.min.i32(i32, i32, i32) convergent
declare i32 @simt.warp.shuffle.down.i32(i32, i32, i32, i32, i32) convergent
declare i32 @simt.warp.shuffle.xor.i32(i32, i32, i32, i32, i32) convergent
!simt.sites = !{!0}
!0 = !{!"", !"", !"k", !"f.py", i32 1, i32 1}
; CHECK: attributes {{.*}}"cpu.plan"="grouped=warps; width=32
