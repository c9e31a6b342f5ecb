; RUN: heddle-opt -ptx %s | FileCheck %s
; RUN: heddle-opt -ptx -no-opt %s | FileCheck %s
; A recursive function stays a function, others are inlined, exported ones are visible.

; CHECK-DAG: .visible .func (.param .b32 func_retval0) twice(
; CHECK-DAG: .visible .entry k(
; CHECK-NOT: .func {{.*}} square(
; CHECK: call.uni (retval0), fib,
define internal i64 @fib(i64 %n) {
  %base = icmp slt i64 %n, 2
  br i1 %base, label %one, label %more
one:
  ret i64 %n
more:
  %n1 = sub i64 %n, 1
  %n2 = sub i64 %n, 2
  %a = call i64 @fib(i64 %n1)
  %b = call i64 @fib(i64 %n2)
  %s = add i64 %a, %b
  ret i64 %s
}
define internal i64 @square(i64 %n) {
  %s = mul i64 %n, %n
  ret i64 %s
}
define float @twice(float %x) "simt.export" {
  %y = fadd float %x, %x
  ret float %y
}
define void @k(ptr addrspace(1) %o, i64 %n) "simt.kernel" {
  %f = call i64 @fib(i64 %n)
  %r = call i64 @square(i64 %f)
  store i64 %r, ptr addrspace(1) %o
  ret void
}
