; RUN: heddle-opt -passes=insert-race-filter -S %s | FileCheck %s

@tile = internal addrspace(3) global [64 x float] poison

; The kernel gets parameters for the first block's number and the cells of %b and @tile. Arrays that are only read, or
; whose accesses are proven disjoint, get none. The stride of %b is unknown, so that its alignment is checked.
; CHECK-LABEL: define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %stride, i64 %0,
; CHECK-SAME: ptr addrspace(1) noalias %1, ptr addrspace(1) noalias %2, ptr addrspace(1) noalias %3, ptr addrspace(1) noalias %4, ptr addrspace(1) noalias %5, ptr addrspace(1) noalias %6)
; CHECK-NOT: simt.filter.access
; CHECK: load float, ptr addrspace(1) %from
; CHECK: call void @simt.filter.access(ptr {{.*}}, i64 4, i32 1, i32 1)
; CHECK-NEXT: store float %v, ptr addrspace(3) %own
; CHECK: call void @simt.barrier(i32 0)
; CHECK: call void @simt.filter.access(ptr {{.*}}, i64 4, i32 0, i32 1)
; CHECK-NEXT: %w = load float, ptr addrspace(3) @tile
; CHECK: call void @simt.filter.access(ptr %{{.*}}, ptr %{{.*}}, i64 4, i32 1, i32 2)
; CHECK: %[[LOW:.*]] = and i64 %{{.*}}, 3
; CHECK: call void @simt.check.index(i32 {{[0-9]+}}, i64 %[[LOW]], i64 %[[LOW]], i64 0, i64 0, i64 1)
; CHECK-NEXT: store float %w, ptr addrspace(1) %strided
; CHECK-NOT: simt.filter.access
; CHECK: store float %w, ptr addrspace(1) %to
; CHECK: ret void
define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %stride) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %block = call i32 @simt.ctaid.x()
  %n = call i32 @simt.ntid.x()
  %first = mul i32 %block, %n
  %i = add i32 %first, %t
  %wide = zext i32 %i to i64
  %thread = zext i32 %t to i64
  %from = getelementptr float, ptr addrspace(1) %a, i64 0
  %v = load float, ptr addrspace(1) %from
  %own = getelementptr float, ptr addrspace(3) @tile, i64 %thread
  store float %v, ptr addrspace(3) %own
  call void @simt.barrier(i32 0)
  %w = load float, ptr addrspace(3) @tile
  %distance = mul i64 %wide, %stride
  %strided = getelementptr i8, ptr addrspace(1) %b, i64 %distance
  store float %w, ptr addrspace(1) %strided
  %to = getelementptr float, ptr addrspace(1) %c, i64 %wide
  store float %w, ptr addrspace(1) %to
  ret void
}

; CHECK: !simt.filter = !{![[NUMBER:.*]], ![[A:.*]], ![[TILE:.*]], ![[B:.*]], ![[C:.*]]}
; CHECK-DAG: ![[NUMBER]] = !{!"4"}
; CHECK-DAG: ![[A]] = !{!"argument 0 bytes 0 bounds 0 cell 4 align 4 read"}
; CHECK-DAG: ![[TILE]] = !{!"shared 0 bytes 256 bounds 0 cell 4 align 4 read written cells read-cells"}
; CHECK-DAG: ![[B]] = !{!"argument 1 bytes 0 bounds 0 cell 4 align 1 written cells"}
; CHECK-DAG: ![[C]] = !{!"argument 2 bytes 0 bounds 0 cell 4 align 4 written"}

declare i32 @simt.tid.x()
declare i32 @simt.ctaid.x()
declare i32 @simt.ntid.x()
declare void @simt.barrier(i32)
!simt.sites = !{!0}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 7, i32 8}
