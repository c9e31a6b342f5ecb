; RUN: heddle-opt -ptx %s | FileCheck %s
; RUN: heddle-opt -passes=nvptx-lower-grid-barrier -S %s | FileCheck %s --check-prefix=IR
; A block barrier, one thread's wait for the other blocks, and another block barrier.

; IR: @heddle_grid_leader = internal addrspace(3) global i32 poison
; IR-LABEL: @k(
; IR: call void @heddle_grid_barrier()
; IR: define internal i1 @heddle_grid_stopped({{.*}}
; IR-NEXT: ret i1 false

; CHECK-LABEL: .entry k(
; CHECK: bar.sync 0;
; CHECK: atom.shared.exch.b32 [[EARLIER:%r[0-9]+]], [heddle_grid_leader], 1;
; CHECK: setp.ne.b32 [[P:%p[0-9]+]], [[EARLIER]], 0;
; CHECK: @[[P]] bra
; CHECK-DAG: mov.b32 {{.*}}, %envreg1;
; CHECK-DAG: mov.b32 {{.*}}, %envreg2;
; CHECK: membar.gl;
; CHECK: atom.global.add.u32
; CHECK: ld.volatile.global.b32
; CHECK: bar.sync 0;
; CHECK: // kernel k cooperative
define void @k(ptr addrspace(1) %p) "simt.kernel" {
  store i32 1, ptr addrspace(1) %p
  call void @simt.grid.barrier(i32 0)
  %q = getelementptr i32, ptr addrspace(1) %p, i32 7
  store i32 2, ptr addrspace(1) %q
  ret void
}
declare void @simt.grid.barrier(i32) convergent
!simt.sites = !{!0}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 7, i32 8}
