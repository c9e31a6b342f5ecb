; RUN: heddle-opt -ptx %s | FileCheck %s
; Constants, local arrays and memory intrinsics.

; CHECK: .const .align 4 .b8 table[16]
; CHECK-LABEL: .entry k(
; CHECK: .local .align 4 .b8 __local_depot0[400];
; CHECK-DAG: ld.const.b32
; CHECK-DAG: st.local
; CHECK-DAG: ld.local.b32
@table = internal addrspace(4) constant [4 x i32] [i32 3, i32 1, i32 4, i32 1]
define void @k(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, i64 %n, i64 %j) "simt.kernel" {
  %l = alloca [100 x i32]
  call void @llvm.memset.p0.i64(ptr %l, i8 1, i64 400, i1 false)
  %q = getelementptr i32, ptr %l, i64 %j
  %v = load i32, ptr %q
  %c = getelementptr i32, ptr addrspace(4) @table, i64 %j
  %w = load i32, ptr addrspace(4) %c
  %s = add i32 %v, %w
  store volatile i32 %s, ptr addrspace(1) %b
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %b, ptr addrspace(1) %a, i64 %n, i1 false)
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %b, ptr addrspace(1) %a, i64 %n, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %b, i8 7, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr %l, ptr addrspace(1) %a, i64 64, i1 false)
  %u = load i32, ptr %q
  store volatile i32 %u, ptr addrspace(1) %b
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memmove.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
