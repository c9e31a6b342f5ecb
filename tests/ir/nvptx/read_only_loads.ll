; RUN: heddle-opt -ptx %s | FileCheck %s
; Memory that is not written and does not alias is loaded through the non-coherent cache; the rest is not.

; CHECK-LABEL: .entry k(
; CHECK: ld.global.nc.b32 {{.*}}
; CHECK: ld.global.b32 {{.*}}
; CHECK: st.global.b32
; CHECK-LABEL: .entry may_overlap(
; CHECK-NOT: ld.global.nc
; CHECK: st.global.b32
define void @k(ptr addrspace(1) noalias align 4 %a, ptr addrspace(1) noalias align 4 %b) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext i32 %t to i64
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %pa
  %pb = getelementptr float, ptr addrspace(1) %b, i64 %i
  %y = load float, ptr addrspace(1) %pb
  %z = fadd float %x, %y
  store float %z, ptr addrspace(1) %pb
  ret void
}
define void @may_overlap(ptr addrspace(1) align 4 %a, ptr addrspace(1) align 4 %b) "simt.kernel" {
  %x = load float, ptr addrspace(1) %a
  store float %x, ptr addrspace(1) %b
  ret void
}
declare i32 @simt.tid.x()
