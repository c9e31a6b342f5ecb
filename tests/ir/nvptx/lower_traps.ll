; RUN: heddle-opt -passes=nvptx-lower-traps -S %s | FileCheck %s
; RUN: heddle-opt -ptx -ptx-version=64 %s | FileCheck %s --check-prefix=PTX
; A trap is an out-of-line call; only the first trap of a launch writes the record.

; CHECK: @heddle_errors = addrspace(1) externally_initialized global {{.*}} zeroinitializer, align 16
; CHECK-LABEL: @k(
; CHECK: call void @heddle_trap(i32 0, i64 %i, i64 %n)
; CHECK-NEXT: unreachable
; CHECK: call void @heddle_trap(i32 1, i64 0, i64 0)
; CHECK: define internal void @heddle_trap(i32 %site, i64 %index, i64 %extent)
; CHECK: cmpxchg ptr addrspace(1) %claim, i32 0, i32 1 syncscope("device") monotonic monotonic
; CHECK: call void @llvm.nvvm.membar.sys()
; CHECK-NEXT: store atomic volatile i32 2
; CHECK: call void @llvm.nvvm.exit()

; PTX: .visible .global .align 16 .b8 heddle_errors[24];
; PTX-LABEL: .entry k(
; PTX: call.uni heddle_trap,
; PTX: .func heddle_trap(
; PTX: .noreturn
; PTX: ld.global.b64 [[CLAIM:%rd[0-9]+]], [heddle_errors];
; PTX: atom.relaxed.gpu.global.cas.b32 {{.*}}, [[[CLAIM]]], 0, 1;
; PTX: ld.global.b64 [[RECORD:%rd[0-9]+]], [heddle_errors+8];
; PTX: st.global.b32 [[[RECORD]]+8],
; PTX: membar.sys;
; PTX-NEXT: st.volatile.global.b32 [[[RECORD]]], 2;
; PTX: exit;
define void @k(ptr addrspace(1) %p, i64 %i, i64 %n) "simt.kernel" {
  %bad = icmp uge i64 %i, %n
  br i1 %bad, label %stop, label %go
stop:
  call void @simt.trap.index(i32 0, i64 %i, i64 %n)
  unreachable
go:
  %x = load i32, ptr addrspace(1) %p
  %zero = icmp eq i32 %x, 0
  br i1 %zero, label %stop2, label %go2
stop2:
  call void @simt.trap(i32 1)
  unreachable
go2:
  store i32 1, ptr addrspace(1) %p
  ret void
}
declare void @simt.trap(i32) noreturn
declare void @simt.trap.index(i32, i64, i64) noreturn
!simt.sites = !{!0, !1}
!0 = !{!"IndexError", !"{index} of {extent}", !"k", !"k.py", i32 7, i32 8}
!1 = !{!"ZeroDivisionError", !"division by zero", !"k", !"k.py", i32 8, i32 8}
