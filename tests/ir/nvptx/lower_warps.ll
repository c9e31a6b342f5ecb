; RUN: heddle-opt -passes=nvptx-lower-warps -sm=90 -S %s | FileCheck %s
; RUN: heddle-opt -ptx -sm=90 %s | FileCheck %s --check-prefix=PTX
; Warp operations are instructions; a shuffle's clamp is computed from its width.

; CHECK-LABEL: @k(
; CHECK: call void @llvm.nvvm.bar.warp.sync(i32 %m)
; CHECK: call i32 @llvm.nvvm.activemask()
; CHECK: call i32 @llvm.nvvm.vote.ballot.sync(i32 %m, i1 %p)
; CHECK: call i1 @llvm.nvvm.vote.all.sync(i32 %m, i1 %p)
; CHECK: call i1 @llvm.nvvm.vote.any.sync(i32 %m, i1 %p)
; CHECK: call i1 @llvm.nvvm.vote.uni.sync(i32 %m, i1 %p)
; CHECK: call i32 @llvm.nvvm.match.any.sync.i32(i32 %m, i32 %n)
; CHECK: call { i32, i1 } @llvm.nvvm.match.all.sync.i64p(i32 %m, i64 %v)
; CHECK: call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %m, i32 %n, i32 %l, i32 31)
; CHECK: call i32 @llvm.nvvm.shfl.sync.up.i32(i32 %m, i32 %n, i32 %l, i32 6144)
; CHECK: call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 %m, i32 %n, i32 %l, i32 4127)
; CHECK: call i32 @llvm.nvvm.redux.sync.umin(i32 %n, i32 %m)

; PTX-LABEL: .entry k(
; PTX: bar.warp.sync
; PTX: activemask.b32
; PTX: vote.sync.ballot.b32
; PTX: vote.sync.all.pred
; PTX: vote.sync.any.pred
; PTX: vote.sync.uni.pred
; PTX: match.any.sync.b32
; PTX: match.all.sync.b64
; PTX: shfl.sync.idx.b32 {{.*}}, 31,
; PTX: shfl.sync.up.b32 {{.*}}, 6144,
; PTX: shfl.sync.bfly.b32 {{.*}}, 4127,
; PTX: redux.sync.min.u32
define void @k(ptr addrspace(1) %out, i32 %m, i32 %n, i64 %v, i32 %l) "simt.kernel" {
  %p = icmp sgt i32 %n, 3
  call void @simt.warp.barrier(i32 0, i32 %m)
  %a = call i32 @simt.warp.active(i32 0)
  store volatile i32 %a, ptr addrspace(1) %out
  %b = call i32 @simt.warp.ballot(i32 0, i32 %m, i1 %p)
  store volatile i32 %b, ptr addrspace(1) %out
  %c = call i1 @simt.warp.all(i32 0, i32 %m, i1 %p)
  store volatile i1 %c, ptr addrspace(1) %out
  %d = call i1 @simt.warp.any(i32 0, i32 %m, i1 %p)
  store volatile i1 %d, ptr addrspace(1) %out
  %e = call i1 @simt.warp.equal(i32 0, i32 %m, i1 %p)
  store volatile i1 %e, ptr addrspace(1) %out
  %f = call i32 @simt.warp.match.any.i32(i32 0, i32 %m, i32 %n)
  store volatile i32 %f, ptr addrspace(1) %out
  %g = call i32 @simt.warp.match.all.i64(i32 0, i32 %m, i64 %v)
  store volatile i32 %g, ptr addrspace(1) %out
  %h = call i32 @simt.warp.shuffle.index.i32(i32 0, i32 %m, i32 %n, i32 %l, i32 32)
  store volatile i32 %h, ptr addrspace(1) %out
  %i = call i32 @simt.warp.shuffle.up.i32(i32 0, i32 %m, i32 %n, i32 %l, i32 8)
  store volatile i32 %i, ptr addrspace(1) %out
  %j = call i32 @simt.warp.shuffle.xor.i32(i32 0, i32 %m, i32 %n, i32 %l, i32 16)
  store volatile i32 %j, ptr addrspace(1) %out
  %r = call i32 @simt.warp.reduce.umin.i32(i32 0, i32 %m, i32 %n)
  store volatile i32 %r, ptr addrspace(1) %out
  ret void
}

declare void @simt.warp.barrier(i32, i32) convergent
declare i32 @simt.warp.active(i32) convergent
declare i32 @simt.warp.ballot(i32, i32, i1) convergent
declare i1 @simt.warp.all(i32, i32, i1) convergent
declare i1 @simt.warp.any(i32, i32, i1) convergent
declare i1 @simt.warp.equal(i32, i32, i1) convergent
declare i32 @simt.warp.match.any.i32(i32, i32, i32) convergent
declare i32 @simt.warp.match.all.i64(i32, i32, i64) convergent
declare i32 @simt.warp.shuffle.index.i32(i32, i32, i32, i32, i32) convergent
declare i32 @simt.warp.shuffle.up.i32(i32, i32, i32, i32, i32) convergent
declare i32 @simt.warp.shuffle.xor.i32(i32, i32, i32, i32, i32) convergent
declare i32 @simt.warp.reduce.umin.i32(i32, i32, i32) convergent
!simt.sites = !{!0}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 7, i32 8}
