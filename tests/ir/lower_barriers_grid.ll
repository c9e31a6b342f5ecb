; RUN: heddle-opt -passes=bind-context,plan-blocks-as-coroutines,lower-barriers -S %s | FileCheck %s
; A thread sets a flag before it suspends at a grid barrier, and the kernel is marked.

; CHECK-LABEL: define internal ptr @k(ptr {{.*}}%context
; CHECK-SAME: #[[ATTRIBUTES:[0-9]+]]
; CHECK: %[[FLAG:.*]] = getelementptr {{.*}}%context
; CHECK: store i32 1, ptr
; CHECK: call i8 @llvm.coro.suspend(token none, i1 false)
; CHECK: attributes #[[ATTRIBUTES]] = {{.*}}"cpu.plan"="{{.*}}waits-for-grid
define void @k(ptr addrspace(1) %p) "simt.kernel" {
  call void @simt.grid.barrier(i32 0)
  store i32 1, ptr addrspace(1) %p
  ret void
}
declare void @simt.grid.barrier(i32) convergent
