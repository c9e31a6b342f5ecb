; RUN: heddle-opt -passes=bind-context,plan-blocks,lower-barriers -S %s | FileCheck %s
; A named barrier stores its number, threads and predicate to the context, suspends, and loads its result. The kernel
; runs as coroutines that the runtime resumes one by one.

; CHECK-LABEL: define internal ptr @k(ptr {{.*}}%context
; CHECK-SAME: #[[ATTRIBUTES:[0-9]+]]
; CHECK: store i32 0, ptr
; CHECK: store i32 %n, ptr
; CHECK: store i32 64, ptr
; CHECK: %[[VALUE:.*]] = zext i1 %p to i64
; CHECK: store i64 %[[VALUE]], ptr
; CHECK: call i8 @llvm.coro.suspend(token none, i1 false)
; CHECK: resume:
; CHECK: %[[RESULT:.*]] = load i64, ptr
; CHECK: trunc i64 %[[RESULT]] to i32
; CHECK: store i32 %n, ptr
; CHECK: store i32 96, ptr
; CHECK: store i64 0, ptr
; CHECK: call i8 @llvm.coro.suspend(token none, i1 false)
; CHECK: attributes #[[ATTRIBUTES]] = {{.*}}"cpu.plan"="barriers=coroutines; coroutines=threads wait at named barriers; waits-for-warp
define void @k(ptr addrspace(1) %out, i32 %n) "simt.kernel" {
  %p = icmp sgt i32 %n, 3
  %count = call i32 @simt.named.barrier.count(i32 0, i32 %n, i32 64, i1 %p)
  call void @simt.named.barrier.arrive(i32 0, i32 %n, i32 96)
  store i32 %count, ptr addrspace(1) %out
  ret void
}
declare i32 @simt.named.barrier.count(i32, i32, i32, i1) convergent
declare void @simt.named.barrier.arrive(i32, i32, i32) convergent
