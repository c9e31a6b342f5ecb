; RUN: heddle-opt -passes=nvptx-lower-cache-hints -S %s | FileCheck %s
; Accesses with a cache operator become PTX instructions, or volatile accesses for cv and wt. Shared memory and the
; stack have no cache.
source_filename = "lower_cache_hints"

define void @k(ptr addrspace(1) %p, ptr addrspace(3) %s) "simt.kernel" {
  %v = call i32 @simt.load.cached.i32.p1(ptr addrspace(1) %p, i32 1)
  call void @simt.store.cached.i32.p1(ptr addrspace(1) %p, i32 %v, i32 3)
  %b = call i8 @simt.load.cached.i8.p1(ptr addrspace(1) %p, i32 4)
  %w = call i64 @simt.load.cached.i64.p3(ptr addrspace(3) %s, i32 4)
  call void @simt.store.cached.i64.p3(ptr addrspace(3) %s, i64 %w, i32 0)
  ret void
}
; CHECK-LABEL: @k(
; CHECK: call i32 asm sideeffect "ld.global.cg.b32 $0, [$1];", "=r,l,~{memory}"
; CHECK: store volatile i32 {{.*}}, ptr addrspace(1) %p
; CHECK: load volatile i8, ptr addrspace(1) %p
; CHECK: load volatile i64, ptr addrspace(3) %s
; CHECK: store i64 {{.*}}, ptr addrspace(3) %s
; CHECK-NOT: call {{.*}} @simt.

declare i32 @simt.load.cached.i32.p1(ptr addrspace(1), i32)
declare void @simt.store.cached.i32.p1(ptr addrspace(1), i32, i32)
declare i8 @simt.load.cached.i8.p1(ptr addrspace(1), i32)
declare i64 @simt.load.cached.i64.p3(ptr addrspace(3), i32)
declare void @simt.store.cached.i64.p3(ptr addrspace(3), i64, i32)
