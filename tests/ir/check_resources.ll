; RUN: heddle-opt -host -passes=check-resources -S %s | FileCheck %s
; Recursive functions are marked; a kernel gets the stack size of its deepest call chain.

; CHECK: define void @k() #[[KERNEL:[0-9]+]]
define void @k() "simt.kernel" {
  %a = alloca [100 x i32]
  %x = call i32 @leaf(i32 1)
  %y = call i32 @self(i32 1)
  ret void
}
; CHECK: define internal i32 @leaf(i32 %n) {
define internal i32 @leaf(i32 %n) {
  %a = alloca [10 x i32]
  ret i32 %n
}
; CHECK: define internal i32 @self(i32 %n) #[[RECURSIVE:[0-9]+]]
define internal i32 @self(i32 %n) {
  %a = alloca [25 x i32]
  %r = call i32 @self(i32 %n)
  ret i32 %r
}
; CHECK-DAG: attributes #[[KERNEL]] = { "cpu.plan"="local-bytes=500" "simt.kernel" }
; CHECK-DAG: attributes #[[RECURSIVE]] = { "heddle.out-of-line" "heddle.recursive" }
