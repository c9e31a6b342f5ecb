; RUN: heddle-opt -passes=bind-context,plan-blocks-as-coroutines,lower-barriers -S %s | FileCheck %s
; A barrier stores its site, suspends, and then loads the count.

; CHECK-LABEL: define internal ptr @k(ptr {{.*}}%context, ptr %arguments, i32 %tid.x, i32 %tid.y, i32 %tid.z)
; CHECK: %[[SIZE:.*]] = call i64 @llvm.coro.size.i64()
; CHECK: %[[ALIGN:.*]] = call i64 @llvm.coro.align.i64()
; CHECK: call ptr @heddle_cpu_allocate_frame(ptr %context, i64 %[[SIZE]], i64 %[[ALIGN]])
; CHECK: %flag = load i8, ptr %{{.*}}, {{.*}}!invariant.load
; CHECK: store i32 3, ptr
; CHECK: %[[STATE:.*]] = call i8 @llvm.coro.suspend(token none, i1 false)
; CHECK: switch i8 %[[STATE]], label %suspend
; CHECK: i8 0, label %resume
; CHECK: resume:
; CHECK: icmp eq i32
; CHECK: return:
; CHECK: call i8 @llvm.coro.suspend(token none, i1 true)
; CHECK-NOT: simt.barrier.and(i32 3
define void @k(ptr addrspace(1) %p, i8 %flag) "simt.kernel" {
  %c = trunc i8 %flag to i1
  %all = call i32 @simt.barrier.and(i32 3, i1 %c)
  store i32 %all, ptr addrspace(1) %p
  ret void
}
declare i32 @simt.barrier.and(i32, i1) convergent
