; RUN: heddle-opt -passes=nvptx-lower-prints -S %s | FileCheck %s
; RUN: heddle-opt -ptx %s | FileCheck %s --check-prefix=PTX
; A line is a call of vprintf; a bool is the address of its text.

; CHECK-DAG: [[FORMAT:@heddle_text[.0-9]*]] = private unnamed_addr addrspace(1) constant [{{[0-9]+}} x i8] c"%lld of %llu, %f%+f: %s 100%%\0A\00"
; CHECK-DAG: [[TRUE:@heddle_text[.0-9]*]] = private unnamed_addr addrspace(1) constant [5 x i8] c"True\00"
; CHECK-DAG: [[FALSE:@heddle_text[.0-9]*]] = private unnamed_addr addrspace(1) constant [6 x i8] c"False\00"
; CHECK-LABEL: define void @k(
; CHECK: [[SLOT:%.*]] = getelementptr i64, ptr %v, i32 4
; CHECK: [[B:%.*]] = load i64, ptr [[SLOT]]
; CHECK: [[HOLDS:%.*]] = icmp ne i64 [[B]], 0
; CHECK: [[TEXT:%.*]] = select i1 [[HOLDS]], ptr addrspacecast (ptr addrspace(1) [[TRUE]] to ptr), ptr addrspacecast (ptr addrspace(1) [[FALSE]] to ptr)
; CHECK: store ptr [[TEXT]], ptr [[SLOT]]
; CHECK: call i32 @vprintf(ptr addrspacecast (ptr addrspace(1) [[FORMAT]] to ptr), ptr %v)

; PTX: .extern .func (.param .b32 func_retval0) vprintf
; PTX-LABEL: .entry k(
; PTX: vprintf,
define void @k(i64 %i) "simt.kernel" {
  %v = alloca [5 x i64]
  store i64 %i, ptr %v
  call void @simt.print(i32 0, ptr %v)
  ret void
}
; A device function with that name is unrelated.
; CHECK: define internal void @vprintf.device()
define internal void @vprintf() {
  ret void
}
declare void @simt.print(i32, ptr)
!simt.sites = !{!0}
!0 = !{!"print", !"%d of %u, %f%+f: %b 100%%\0A", !"k", !"k.py", i32 7, i32 8}
