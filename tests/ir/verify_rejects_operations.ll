; RUN: not heddle-opt -passes=verify-simt -S %s 2>&1 | FileCheck %s
; Operations that do not match their rows in calls or declarations.

; CHECK-DAG: function 'k': operand 0 must be the constant index of a site in !simt.sites: {{.*}}simt.barrier(i32 1)
; CHECK-DAG: function 'k': operand 0 must be the constant index of a site in !simt.sites: {{.*}}simt.barrier(i32 %n)
; CHECK-DAG: function 'k': the last operand is the scope: the constant 0, 1 or 2: {{.*}}i32 3)
; CHECK-DAG: function 'k': the last operand is the cache operator: a constant from 0 to 4: {{.*}}i32 %n)
; CHECK-DAG: function 'k': the last operand is the cache operator: a constant from 0 to 3: {{.*}}i32 4)
; CHECK-DAG: function 'simt.math.sin.f64': its operands belong to 'simt.math.sin.f32'
; CHECK-DAG: function 'simt.tid.x': takes '' and returns 'i32'
; CHECK-DAG: function 'simt.barrier.count': must be declared convergent
; CHECK-DAG: function 'simt.warp.shuffle': declared but neither a SIMT operation nor an LLVM intrinsic
; CHECK-DAG: function 'simt.mine': the name is reserved
define void @k(ptr addrspace(1) %p, i32 %n) "simt.kernel" {
  call void @simt.barrier(i32 0)
  call void @simt.barrier(i32 1)
  call void @simt.barrier(i32 %n)
  %a = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %p, i32 1, i32 3)
  %l = call i32 @simt.load.cached.i32.p1(ptr addrspace(1) %p, i32 %n)
  call void @simt.store.cached.i32.p1(ptr addrspace(1) %p, i32 1, i32 4)
  %s = call float @simt.math.sin.f64(float 1.0)
  %t = call i64 @simt.tid.x()
  %c = call i32 @simt.barrier.count(i32 0, i1 true)
  call void @simt.warp.shuffle()
  ret void
}
define internal void @simt.mine() {
  ret void
}
declare void @simt.barrier(i32) convergent
declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32)
declare i32 @simt.load.cached.i32.p1(ptr addrspace(1), i32)
declare void @simt.store.cached.i32.p1(ptr addrspace(1), i32, i32)
declare float @simt.math.sin.f64(float)
declare i64 @simt.tid.x()
declare i32 @simt.barrier.count(i32, i1)
declare void @simt.warp.shuffle()
!simt.sites = !{!0}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 7, i32 8}
