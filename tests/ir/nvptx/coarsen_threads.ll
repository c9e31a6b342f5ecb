; RUN: heddle-opt -passes=nvptx-coarsen-threads -S %s | FileCheck %s
; One thread does the work of four, with 16-byte accesses, if all four exist and pass the guard; else one after another.

; CHECK-LABEL: define void @add(
; CHECK-SAME: #[[KERNEL:[0-9]+]]
; CHECK-LABEL: define void @"add$x4"(ptr addrspace(1) noalias align 16 %a, ptr addrspace(1) noalias align 16 %b, i64 %n, i32 range(i32 1, -2147483648) %grid)
; CHECK: coarse:
; CHECK: %start = mul nuw nsw i64 %{{.*}}, 4
; CHECK: %threads = mul nuw nsw i64
; CHECK: %last = add nuw nsw i64 %start, 3
; CHECK: %all = icmp ult i64 %last, %threads
; CHECK: br i1 %all, label %fast, label %slow
; The slow path is the original code, once per lane.
; CHECK: load float, ptr addrspace(1)
; CHECK: slow:
; CHECK: %lane = phi i64 [ 0, %coarse ]
; CHECK: %index = add nuw nsw i64 %start, %lane
; CHECK: icmp ult i64 %index, %threads
; CHECK: fast:
; CHECK-COUNT-4: icmp slt i64
; CHECK: slow.next:
; CHECK: br i1 %{{.*}}, label %slow, label %{{exit.*}}, !llvm.loop ![[LOOP:[0-9]+]]
; CHECK: load <4 x float>, ptr addrspace(1) %{{.*}}, align 16
; CHECK-COUNT-4: fmul float
; CHECK: store <4 x float> %{{.*}}, ptr addrspace(1) %{{.*}}, align 16
define void @add(ptr addrspace(1) noalias align 16 %a, ptr addrspace(1) noalias align 16 %b, i64 %n) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %d = zext nneg i32 %ntid to i64
  %ctaid = call i32 @simt.ctaid.x()
  %c = zext nneg i32 %ctaid to i64
  %m = mul nuw nsw i64 %c, %d
  %tid = call i32 @simt.tid.x()
  %t = zext nneg i32 %tid to i64
  %i = add nuw nsw i64 %m, %t
  %in = icmp slt i64 %i, %n
  br i1 %in, label %body, label %exit
body:
  %p = getelementptr inbounds float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %s = fmul float %v, %v
  %q = getelementptr inbounds float, ptr addrspace(1) %b, i64 %i
  store float %s, ptr addrspace(1) %q, align 4
  br label %exit
exit:
  ret void
}

; Eight-byte elements: two threads. No guard: the grid has exactly that many threads.
; CHECK-LABEL: define void @"unguarded$x2"(
; CHECK: store <2 x i64> {{.*}}, align 16
define void @unguarded(ptr addrspace(1) align 16 %a) "simt.kernel" {
  %ntid = call i32 @simt.ntid.x()
  %ctaid = call i32 @simt.ctaid.x()
  %m = mul nuw nsw i32 %ctaid, %ntid
  %d = zext nneg i32 %ntid to i64
  %c = zext nneg i32 %ctaid to i64
  %w = mul nuw nsw i64 %c, %d
  %tid = call i32 @simt.tid.x()
  %t = zext nneg i32 %tid to i64
  %i = add nuw nsw i64 %w, %t
  %p = getelementptr inbounds i64, ptr addrspace(1) %a, i64 %i
  store i64 %i, ptr addrspace(1) %p, align 8
  ret void
}

; Each thread adds to a counter, even if all use the same address; the user sets the number of blocks.
; CHECK-LABEL: define void @"count$x4"(
; CHECK-NOT: simt.nctaid.x
; CHECK: fast:
; CHECK-COUNT-4: call i32 @simt.atomic.add.i32.p1
; CHECK-NOT: call i32 @simt.atomic.add.i32.p1
; CHECK: ret void
; CHECK: declare
define void @count(ptr addrspace(1) align 16 %a, ptr addrspace(1) %sum) "simt.kernel" {
  %ntid = call i32 @simt.ntid.x()
  %d = zext nneg i32 %ntid to i64
  %ctaid = call i32 @simt.ctaid.x()
  %c = zext nneg i32 %ctaid to i64
  %m = mul nuw nsw i64 %c, %d
  %tid = call i32 @simt.tid.x()
  %t = zext nneg i32 %tid to i64
  %i = add nuw nsw i64 %m, %t
  %blocks = call i32 @simt.nctaid.x()
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i
  store i32 %blocks, ptr addrspace(1) %p, align 4
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %sum, i32 1, i32 1)
  ret void
}

; CHECK: attributes #[[KERNEL]] = { "nvptx.coarsened"="4,add$x4" "simt.kernel" }
; CHECK: !heddle.remarks
; CHECK: !{!"add: in a large one-dimensional grid a thread does the work of 4 threads, with accesses of up to 16 bytes"}
declare i32 @simt.tid.x() nounwind willreturn memory(none)
declare i32 @simt.ctaid.x() nounwind willreturn memory(none)
declare i32 @simt.ntid.x() nounwind willreturn memory(none)
declare i32 @simt.nctaid.x() nounwind willreturn memory(none)
declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32)
; CHECK: ![[LOOP]] = distinct !{![[LOOP]], ![[ROLLED:[0-9]+]]}
; CHECK: ![[ROLLED]] = !{!"llvm.loop.unroll.disable"}
