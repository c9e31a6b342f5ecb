; RUN: heddle-opt -passes=bind-context,lower-prints -S %s | FileCheck %s
; The runtime gets the site's format and the values.

; CHECK: @format = private unnamed_addr constant [{{[0-9]+}} x i8] c"%d is %b\0A\00"
; CHECK-LABEL: @k(
; CHECK: call void @heddle_cpu_print(ptr %context, ptr @format, ptr %v)
define void @k() "simt.kernel" {
  %v = alloca [2 x i64]
  store [2 x i64] [i64 7, i64 1], ptr %v
  call void @simt.print(i32 0, ptr %v)
  ret void
}
declare void @simt.print(i32, ptr)
!simt.sites = !{!0}
!0 = !{!"print", !"%d is %b\0A", !"k", !"k.py", i32 7, i32 8}
