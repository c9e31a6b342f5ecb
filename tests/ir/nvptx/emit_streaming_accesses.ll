; RUN: heddle-opt -passes=nvptx-emit-streaming-accesses -S %s | FileCheck %s
; Numbers and vectors of global memory; other accesses have no PTX with the hint, or keep their meaning without it.

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
; CHECK: call { i32, i32, i32, i32 } asm "ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l"(ptr addrspace(1) %v)
; CHECK: load float, ptr addrspace(1) %a, align 4{{$}}
define void @accesses(ptr addrspace(1) %a, ptr addrspace(3) %s, ptr addrspace(1) %v) {
  %f = load float, ptr addrspace(1) %a, align 4, !nontemporal !0
  %b = load i8, ptr addrspace(1) %a, align 1, !nontemporal !0
  %d = fpext float %f to double
  store double %d, ptr addrspace(1) %a, align 8, !nontemporal !0
  store i8 %b, ptr addrspace(1) %a, align 1, !nontemporal !0
  %unaligned = load double, ptr addrspace(1) %a, align 4, !nontemporal !0
  %shared = load float, ptr addrspace(3) %s, align 4, !nontemporal !0
  %volatile = load volatile float, ptr addrspace(1) %a, align 4, !nontemporal !0
  %vector = load <4 x float>, ptr addrspace(1) %v, align 16, !nontemporal !0
  %plain = load float, ptr addrspace(1) %a, align 4
  ret void
}

; Words of 16 aligned bytes are accessed together.
; CHECK-LABEL: define void @words(
; CHECK: call { i64, i64 } asm "ld.global.cs.v2.b64 {$0, $1}, [$2];", "=l,=l,l"(ptr addrspace(1) %a)
; CHECK: call void asm sideeffect "st.global.cs.v2.b64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr addrspace(1) %b, i64 %{{.*}}, i64 %{{.*}})
; CHECK-NOT: nontemporal
define void @words(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %a1 = getelementptr inbounds i8, ptr addrspace(1) %a, i64 8
  %b1 = getelementptr inbounds i8, ptr addrspace(1) %b, i64 8
  %x = load i64, ptr addrspace(1) %a, align 16, !nontemporal !0
  %y = load i64, ptr addrspace(1) %a1, align 8, !nontemporal !0
  store i64 %y, ptr addrspace(1) %b, align 16, !nontemporal !0
  store i64 %x, ptr addrspace(1) %b1, align 8, !nontemporal !0
  ret void
}

!0 = !{i32 1}
