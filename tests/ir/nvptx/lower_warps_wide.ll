; RUN: heddle-opt -passes=nvptx-lower-warps -sm=90 -S %s | FileCheck %s
; RUN: heddle-opt -ptx -sm=90 %s -o /dev/null
; RUN: heddle-opt -passes=nvptx-lower-warps -sm=75 -S %s | FileCheck %s --check-prefix=OLD
; A 64-bit shuffle is two shuffles; a reduction without hardware support reads the participating lanes one by one.

; CHECK-LABEL: @shuffle(
; CHECK: %[[LOW:.*]] = trunc i64 %v to i32
; CHECK: call i32 @llvm.nvvm.shfl.sync.down.i32(i32 %m, i32 %[[LOW]], i32 1, i32 31)
; CHECK: lshr i64 %v, 32
; CHECK: call i32 @llvm.nvvm.shfl.sync.down.i32(i32 %m, i32 %{{.*}}, i32 1, i32 31)
; CHECK: shl i64 %{{.*}}, 32
define void @shuffle(ptr addrspace(1) %out, i32 %m, i64 %v) "simt.kernel" {
  %s = call i64 @simt.warp.shuffle.down.i64(i32 0, i32 %m, i64 %v, i32 1, i32 32)
  store i64 %s, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @reduce(
; CHECK: %[[LANES:.*]] = call i32 @llvm.nvvm.vote.ballot.sync(i32 %m, i1 true)
; CHECK: %[[FIRST:.*]] = call i32 @llvm.cttz.i32(i32 %[[LANES]], i1 true)
; CHECK: call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %m, i32 %{{.*}}, i32 %[[FIRST]], i32 31)
; CHECK: lane:
; CHECK: %[[REST:.*]] = phi i32 [ %[[LANES]], %0 ], [ %[[NEXT:.*]], %more ]
; CHECK: %[[NEXT]] = and i32 %[[REST]],
; CHECK: more:
; CHECK: call i64 @llvm.smax.i64(
define void @reduce(ptr addrspace(1) %out, i32 %m, i64 %v) "simt.kernel" {
  %s = call i64 @simt.warp.reduce.max.i64(i32 0, i32 %m, i64 %v)
  store i64 %s, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @narrow(
; CHECK: call i32 @llvm.nvvm.redux.sync.add(
; OLD-LABEL: @narrow(
; OLD-NOT: redux
; OLD: call i32 @llvm.nvvm.vote.ballot.sync(i32 %m, i1 true)
; OLD: add i32
define void @narrow(ptr addrspace(1) %out, i32 %m, i32 %v) "simt.kernel" {
  %s = call i32 @simt.warp.reduce.add.i32(i32 0, i32 %m, i32 %v)
  store i32 %s, ptr addrspace(1) %out
  ret void
}

declare i64 @simt.warp.shuffle.down.i64(i32, i32, i64, i32, i32) convergent
declare i64 @simt.warp.reduce.max.i64(i32, i32, i64) convergent
declare i32 @simt.warp.reduce.add.i32(i32, i32, i32) convergent
!simt.sites = !{!0}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 7, i32 8}
