; RUN: heddle-opt -passes=insert-race-filter -S %s | FileCheck %s

@tile = internal addrspace(3) global [64 x float] poison
@half = internal addrspace(3) global [64 x float] poison

; The kernel gets parameters for the first block's number and the cells of %b, %d and @half. Arrays that are only read,
; or whose accesses are proven disjoint, get none. All threads write @tile before the barrier. The stride of %b is unknown,
; so that its alignment is checked. Only half the threads write @half: a read of it tests whether it has been written.
; Whether threads write %d depends on memory: the writes copy the old values.
; CHECK-LABEL: define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %d, i64 %stride, i64 %0,
; CHECK-SAME: ptr addrspace(1) noalias %1, {{.*}} ptr addrspace(1) noalias %9)
; CHECK-NOT: simt.filter.access
; CHECK: load float, ptr addrspace(1) %from
; CHECK-NEXT: %own = getelementptr
; CHECK-NEXT: store float %v, ptr addrspace(3) %own
; CHECK: call void @simt.filter.access(ptr {{.*}}, i64 4, i32 4, i32 2)
; CHECK-NEXT: store float %v, ptr addrspace(3) %part
; CHECK: call void @simt.barrier(i32 0)
; CHECK-NEXT: %w = load float, ptr addrspace(3) @tile
; CHECK: call void @simt.filter.access(ptr {{.*}}, i64 4, i32 3, i32 2)
; CHECK-NEXT: %h = load float, ptr addrspace(3) @half
; CHECK: call void @simt.filter.access(ptr %{{.*}}, ptr %{{.*}}, i64 4, i32 1, i32 3)
; CHECK: %[[LOW:.*]] = and i64 %{{.*}}, 3
; CHECK: call void @simt.check.index(i32 {{[0-9]+}}, i64 %[[LOW]], i64 %[[LOW]], i64 0, i64 0, i64 1)
; CHECK-NEXT: store float %w, ptr addrspace(1) %strided
; CHECK-NOT: simt.filter.access
; CHECK: store float %w, ptr addrspace(1) %to
; CHECK: call void @simt.filter.access(ptr {{.*}}, i64 4, i32 4, i32 5)
; CHECK-NEXT: store float %w, ptr addrspace(1) %old
; CHECK: ret void
define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %d, i64 %stride) "simt.kernel" {
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
  %few = icmp ult i32 %t, 32
  br i1 %few, label %write, label %meet
write:
  %part = getelementptr float, ptr addrspace(3) @half, i64 %thread
  store float %v, ptr addrspace(3) %part
  br label %meet
meet:
  call void @simt.barrier(i32 0)
  %w = load float, ptr addrspace(3) @tile
  %h = load float, ptr addrspace(3) @half
  %distance = mul i64 %wide, %stride
  %strided = getelementptr i8, ptr addrspace(1) %b, i64 %distance
  store float %w, ptr addrspace(1) %strided
  %to = getelementptr float, ptr addrspace(1) %c, i64 %wide
  store float %w, ptr addrspace(1) %to
  %old = getelementptr float, ptr addrspace(1) %d, i64 %wide
  %o = load float, ptr addrspace(1) %old
  %less = fcmp olt float %h, %o
  br i1 %less, label %improve, label %end
improve:
  store float %w, ptr addrspace(1) %old
  br label %end
end:
  ret void
}

; CHECK: !simt.filter = !{![[NUMBER:.*]], ![[A:.*]], ![[TILE:.*]], ![[HALF:.*]], ![[B:.*]], ![[C:.*]], ![[D:.*]]}
; CHECK-DAG: ![[NUMBER]] = !{!"5"}
; CHECK-DAG: ![[A]] = !{!"argument 0 bytes 0 bounds 0 cell 4 align 4 read"}
; CHECK-DAG: ![[TILE]] = !{!"shared 0 bytes 256 bounds 0 cell 4 align 4 read written"}
; CHECK-DAG: ![[HALF]] = !{!"shared 0 bytes 256 bounds 0 cell 4 align 4 read written cells undefined"}
; CHECK-DAG: ![[B]] = !{!"argument 1 bytes 0 bounds 0 cell 4 align 1 written cells"}
; CHECK-DAG: ![[C]] = !{!"argument 2 bytes 0 bounds 0 cell 4 align 4 written"}
; CHECK-DAG: ![[D]] = !{!"argument 3 bytes 0 bounds 0 cell 4 align 4 read written cells"}

declare i32 @simt.tid.x()
declare i32 @simt.ctaid.x()
declare i32 @simt.ntid.x()
declare void @simt.barrier(i32)
!simt.sites = !{!0}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 7, i32 8}
