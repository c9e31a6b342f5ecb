; RUN: heddle-opt -passes=nvptx-emit-streaming-accesses -S %s | FileCheck %s
; Numbers of global memory; other accesses have no PTX with the hint, or keep their meaning without it.

; CHECK-LABEL: define void @accesses(
; CHECK: %[[F:.*]] = call i32 asm "ld.global.cs.b32 $0, [$1];", "=r,l"(ptr addrspace(1) %a)
; CHECK: bitcast i32 %[[F]] to float
; CHECK: %[[B:.*]] = call i16 asm "ld.global.cs.b8 $0, [$1];", "=h,l"(ptr addrspace(1) %a)
; CHECK: trunc i16 %[[B]] to i8
; CHECK: call void asm sideeffect "st.global.cs.b64 [$0], $1;", "l,l,~{memory}"(ptr addrspace(1) %a, i64 %{{.*}})
; CHECK: call void asm sideeffect "st.global.cs.b8 [$0], $1;", "l,h,~{memory}"(ptr addrspace(1) %a, i16 %{{.*}})
; CHECK: load double, ptr addrspace(1) %a, align 4, !nontemporal
; CHECK: load float, ptr addrspace(3) %s, align 4, !nontemporal
; CHECK: load volatile float, ptr addrspace(1) %a, align 4, !nontemporal
; CHECK: load <4 x float>, ptr addrspace(1) %a, align 16, !nontemporal
; CHECK: load float, ptr addrspace(1) %a, align 4{{$}}
define void @accesses(ptr addrspace(1) %a, ptr addrspace(3) %s) {
  %f = load float, ptr addrspace(1) %a, align 4, !nontemporal !0
  %b = load i8, ptr addrspace(1) %a, align 1, !nontemporal !0
  %d = fpext float %f to double
  store double %d, ptr addrspace(1) %a, align 8, !nontemporal !0
  store i8 %b, ptr addrspace(1) %a, align 1, !nontemporal !0
  %unaligned = load double, ptr addrspace(1) %a, align 4, !nontemporal !0
  %shared = load float, ptr addrspace(3) %s, align 4, !nontemporal !0
  %volatile = load volatile float, ptr addrspace(1) %a, align 4, !nontemporal !0
  %vector = load <4 x float>, ptr addrspace(1) %a, align 16, !nontemporal !0
  %plain = load float, ptr addrspace(1) %a, align 4
  ret void
}

!0 = !{i32 1}
