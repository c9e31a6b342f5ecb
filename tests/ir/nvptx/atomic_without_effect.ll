; RUN: heddle-opt -ptx %s | FileCheck %s
; The minimum with NaN stores nothing: only a load of a read-only parameter remains.

; CHECK-LABEL: .entry k(
; CHECK: ld.volatile.global.b64
; CHECK-NOT: atom
; CHECK: ret;
define void @k(ptr addrspace(1) noalias align 8 %a) "simt.kernel" {
  %old = call double @simt.atomic.min.f64.p1(ptr addrspace(1) %a, double 0x7FF8000000000000, i32 1)
  ret void
}
declare double @simt.atomic.min.f64.p1(ptr addrspace(1), double, i32)
