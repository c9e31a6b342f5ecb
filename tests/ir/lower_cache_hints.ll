; RUN: heddle-opt -passes=lower-cache-hints -S %s | FileCheck %s
; Cache operators are hints for a GPU: here they are plain accesses, but for the one that asks to look again.
source_filename = "lower_cache_hints"

define void @k(ptr addrspace(1) %p) "simt.kernel" {
  %v = call i16 @simt.load.cached.i16.p1(ptr addrspace(1) %p, i32 1)
  call void @simt.store.cached.i16.p1(ptr addrspace(1) %p, i16 %v, i32 2)
  %w = call i64 @simt.load.cached.i64.p1(ptr addrspace(1) %p, i32 4)
  call void @simt.store.cached.i64.p1(ptr addrspace(1) %p, i64 %w, i32 0)
  ret void
}
; CHECK-LABEL: @k(
; CHECK: load i16, ptr addrspace(1) %p
; CHECK: store i16 {{.*}}, ptr addrspace(1) %p
; CHECK: load volatile i64, ptr addrspace(1) %p
; CHECK: store i64 {{.*}}, ptr addrspace(1) %p
; CHECK-NOT: call {{.*}} @simt.

declare i16 @simt.load.cached.i16.p1(ptr addrspace(1), i32)
declare void @simt.store.cached.i16.p1(ptr addrspace(1), i16, i32)
declare i64 @simt.load.cached.i64.p1(ptr addrspace(1), i32)
declare void @simt.store.cached.i64.p1(ptr addrspace(1), i64, i32)
