; RUN: heddle-opt -passes=bind-context,plan-blocks-as-coroutines,lower-barriers -S %s | FileCheck %s
; RUN: heddle-opt -passes=bind-context,plan-blocks-as-coroutines,lower-barriers,make-region-loops,emit-entries -S %s | FileCheck %s --check-prefix=ENTRY
; A warp operation stores its operands to the context, suspends, and loads its result.

; CHECK-LABEL: define internal ptr @k(ptr {{.*}}%context
; CHECK-SAME: #[[ATTRIBUTES:[0-9]+]]
; CHECK: store i32 3, ptr
; CHECK: store i32 {{[0-9]+}}, ptr
; CHECK: store i32 32, ptr
; CHECK: store i32 %m, ptr
; CHECK: %[[VALUE:.*]] = sext i32 %v to i64
; CHECK: store i64 %[[VALUE]], ptr
; CHECK: store i32 %d, ptr
; CHECK: store i32 16, ptr
; CHECK-NOT: add i32
; CHECK: call i8 @llvm.coro.suspend(token none, i1 false)
; CHECK: resume:
; CHECK: %[[RESULT:.*]] = load i64, ptr
; CHECK: trunc i64 %[[RESULT]] to i32
; CHECK: attributes #[[ATTRIBUTES]] = {{.*}}"cpu.plan"="{{.*}}waits-for-warp

; ENTRY: @k.entry = constant { i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, [3 x i32], ptr, ptr, ptr } { i32 {{[0-9]+}}, i32 0, i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 0, i32 0, i32 0, i32 0, [3 x i32] zeroinitializer, ptr null, ptr @k, ptr null }
define void @k(ptr addrspace(1) %p, i32 %m, i32 %v, i32 %d) "simt.kernel" {
  %s = call i32 @simt.warp.shuffle.up.i32(i32 3, i32 %m, i32 %v, i32 %d, i32 16)
  store i32 %s, ptr addrspace(1) %p
  ret void
}
declare i32 @simt.warp.shuffle.up.i32(i32, i32, i32, i32, i32) convergent
