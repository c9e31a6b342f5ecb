; RUN: heddle-opt -ptx %s | FileCheck %s
; A block at a grid barrier polls for traps of other blocks; on a trap, it undoes its arrival and exits.

; CHECK-LABEL: .entry k(
; CHECK: atom.global.add.u32
; CHECK: and.b32 {{.*}}, 63;
; CHECK: ld.global.b64 [[RECORD:%rd[0-9]+]], [heddle_errors];
; CHECK: ld.volatile.global.b32 {{.*}}, [[[RECORD]]];
; CHECK: atom.relaxed.gpu.global.cas.b32
; CHECK: st.volatile.shared.b32 [heddle_grid_leader], 2;
; CHECK: bar.sync 0;
; CHECK: ld.volatile.shared.b32
; CHECK: exit;
define void @k(ptr addrspace(1) %p, i32 %i) "simt.kernel" {
  %bad = icmp eq i32 %i, 0
  br i1 %bad, label %stop, label %go
stop:
  call void @simt.trap(i32 1)
  unreachable
go:
  call void @simt.grid.barrier(i32 0)
  store i32 2, ptr addrspace(1) %p
  ret void
}
declare void @simt.trap(i32) noreturn
declare void @simt.grid.barrier(i32) convergent
!simt.sites = !{!0, !1}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 7, i32 8}
!1 = !{!"ValueError", !"no", !"k", !"k.py", i32 8, i32 8}
