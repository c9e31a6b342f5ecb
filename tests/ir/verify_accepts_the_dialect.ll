; RUN: heddle-opt -passes=verify-simt -S %s | FileCheck %s
; One example of everything that front ends may generate.

; CHECK: @tile
@tile = internal addrspace(3) global [64 x float] poison, align 16
@table = internal addrspace(4) constant [2 x float] [float 1.0, float 2.0]

; CHECK: define void @k
define void @k(ptr addrspace(1) noalias align 16 %a, i64 range(i64 0, 2147483648) %n, i64 %stride, i8 %flag, half %h) "simt.kernel" {
entry:
  %local = alloca [8 x i32]
  %t = call i32 @simt.tid.x()
  %generic = addrspacecast ptr addrspace(1) %a to ptr
  %pair = call { i32, float } @pair(i32 %t)
  %x = extractvalue { i32, float } %pair, 1
  %s = call float @simt.math.sin.f32(float %x)
  %r = call float @llvm.sqrt.f32(float %s)
  %p = getelementptr float, ptr addrspace(3) @tile, i32 %t
  store float %r, ptr addrspace(3) %p
  call void @simt.barrier(i32 0)
  %old = call float @simt.atomic.add.f32.p0(ptr %generic, float %r, i32 2)
  %i = call i64 @llvm.fptosi.sat.i64.f32(float %old)
  switch i64 %i, label %done [ i64 1, label %stop ]
stop:
  call void @simt.trap.index(i32 0, i64 %i, i64 %n)
  unreachable
done:
  ret void
}
define internal { i32, float } @pair(i32 %n) {
  %z = icmp eq i32 %n, 0
  br i1 %z, label %stop, label %more
more:
  %m = sub i32 %n, 1
  %p = call { i32, float } @pair(i32 %m)
  ret { i32, float } %p
stop:
  ret { i32, float } { i32 1, float 2.0 }
}
declare i32 @simt.tid.x()
declare float @simt.math.sin.f32(float)
declare float @llvm.sqrt.f32(float)
declare i64 @llvm.fptosi.sat.i64.f32(float)
declare float @simt.atomic.add.f32.p0(ptr, float, i32)
declare void @simt.barrier(i32) convergent
declare void @simt.trap.index(i32, i64, i64) noreturn
!simt.sites = !{!0}
!0 = !{!"IndexError", !"{index}", !"k", !"k.py", i32 7, i32 8}
