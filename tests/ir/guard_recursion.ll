; RUN: heddle-opt -host -passes=check-resources,bind-context,guard-recursion -S %s | FileCheck %s
; A recursive function first checks its stack, including its local arrays.

; CHECK-LABEL: define internal i64 @self(
; CHECK: alloca [64 x i32]
; CHECK: %[[FRAME:.*]] = call ptr @llvm.frameaddress.p0(i32 0)
; CHECK: %[[LIMIT:.*]] = load i64
; CHECK: %[[ADDRESS:.*]] = ptrtoint ptr %[[FRAME]] to i64
; CHECK: %[[LOWEST:.*]] = sub i64 %[[ADDRESS]], 256
; CHECK: icmp ult i64 %[[LOWEST]], %[[LIMIT]]
; CHECK: call void @heddle_cpu_stack_overflow(ptr %context)
; CHECK-NEXT: unreachable
define internal i64 @self(i64 %n) {
  %a = alloca [64 x i32]
  %r = call i64 @self(i64 %n)
  ret i64 %r
}
; CHECK-LABEL: define internal void @k(
; CHECK-NOT: br
; CHECK: ret void
define void @k() "simt.kernel" {
  %r = call i64 @self(i64 1)
  ret void
}
