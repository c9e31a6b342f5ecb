; RUN: heddle-opt -ptx -sm=90 %s | FileCheck %s
; Divergent branches around a few arithmetic instructions become selects.

declare i32 @simt.tid.x()
declare float @simt.math.tanh.f32(float)

; Both sides of tanhf only compute.
; CHECK-LABEL: .entry hyperbolic_tangent(
; CHECK-NOT: bra
; CHECK: ex2.approx
; CHECK-NOT: bra
; CHECK: ret;
define void @hyperbolic_tangent(ptr addrspace(1) %a) "simt.kernel" {
  %x = load float, ptr addrspace(1) %a
  %t = call float @simt.math.tanh.f32(float %x)
  store float %t, ptr addrspace(1) %a
  ret void
}

; CHECK-LABEL: .entry one_side(
; CHECK-NOT: bra
; CHECK: selp
; CHECK-NOT: bra
; CHECK: ret;
define void @one_side(ptr addrspace(1) %a, float %y) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  %x = load float, ptr addrspace(1) %p
  %c = fcmp olt float %x, 1.0
  br i1 %c, label %compute, label %end
compute:
  %1 = fmul float %x, %y
  %2 = fadd float %1, 2.0
  %3 = fmul float %2, %1
  %4 = fadd float %3, %x
  %5 = fmul float %4, %2
  %6 = fadd float %5, %3
  br label %end
end:
  %r = phi float [ %6, %compute ], [ %x, %0 ]
  store float %r, ptr addrspace(1) %p
  ret void
}

; All lanes take the same side.
; CHECK-LABEL: .entry uniform(
; CHECK: bra
; CHECK: ret;
define void @uniform(ptr addrspace(1) %a, float %y) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  %x = load float, ptr addrspace(1) %p
  %c = fcmp olt float %y, 1.0
  br i1 %c, label %compute, label %end
compute:
  %1 = fmul float %x, %y
  %2 = fadd float %1, 2.0
  %3 = fmul float %2, %1
  %4 = fadd float %3, %x
  %5 = fmul float %4, %2
  %6 = fadd float %5, %3
  br label %end
end:
  %r = phi float [ %6, %compute ], [ %x, %0 ]
  store float %r, ptr addrspace(1) %p
  ret void
}

; The branch avoids a division, which takes long.
; CHECK-LABEL: .entry division(
; CHECK: bra
; CHECK: div.rn.f32
; CHECK: ret;
define void @division(ptr addrspace(1) %a, float %y) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  %x = load float, ptr addrspace(1) %p
  %c = fcmp olt float %x, 1.0
  br i1 %c, label %compute, label %end
compute:
  %1 = fdiv float %x, %y
  %2 = fadd float %1, 2.0
  %3 = fdiv float %2, %1
  br label %end
end:
  %r = phi float [ %3, %compute ], [ %x, %0 ]
  store float %r, ptr addrspace(1) %p
  ret void
}

; A load may be out of bounds if its branch is not taken.
; CHECK-LABEL: .entry access(
; CHECK: bra
; CHECK: ret;
define void @access(ptr addrspace(1) %a, ptr addrspace(1) %b) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  %x = load float, ptr addrspace(1) %p
  %c = fcmp olt float %x, 1.0
  br i1 %c, label %compute, label %end
compute:
  %q = getelementptr float, ptr addrspace(1) %b, i32 %t
  %v = load float, ptr addrspace(1) %q
  %2 = fadd float %v, 2.0
  br label %end
end:
  %r = phi float [ %2, %compute ], [ %x, %0 ]
  store float %r, ptr addrspace(1) %p
  ret void
}

; The program says that few lanes compute.
; CHECK-LABEL: .entry unlikely(
; CHECK: bra
; CHECK: ret;
define void @unlikely(ptr addrspace(1) %a, float %y) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  %x = load float, ptr addrspace(1) %p
  %c = fcmp olt float %x, 1.0
  br i1 %c, label %compute, label %end, !prof !0
compute:
  %1 = fmul float %x, %y
  %2 = fadd float %1, 2.0
  %3 = fmul float %2, %1
  %4 = fadd float %3, %x
  %5 = fmul float %4, %2
  %6 = fadd float %5, %3
  br label %end
end:
  %r = phi float [ %6, %compute ], [ %x, %0 ]
  store float %r, ptr addrspace(1) %p
  ret void
}

!0 = !{!"branch_weights", i32 1, i32 2000}
