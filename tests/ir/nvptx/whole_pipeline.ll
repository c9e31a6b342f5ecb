; RUN: heddle-opt -ptx -sm=90 %s | FileCheck %s
; The whole pipeline on small kernels.

; A product of three values stays before the barrier: past it, the three values would occupy registers.
define void @product(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %out, i32 %c) "simt.kernel" {
entry:
  %x = load volatile float, ptr addrspace(1) %a
  %y = load volatile float, ptr addrspace(1) %a
  %z = load volatile float, ptr addrspace(1) %a
  %xy = fadd float %x, %y
  %xyz = fmul float %xy, %z
  %any = icmp ne i32 %c, 0
  br i1 %any, label %then, label %end
then:
  store volatile i32 1, ptr addrspace(1) %out
  br label %end
end:
  call void @simt.barrier(i32 0)
  store float %xyz, ptr addrspace(1) %out
  ret void
}
; CHECK-LABEL: .entry product(
; CHECK: add.f32
; CHECK: mul.f32
; CHECK: bra
; CHECK: bar.sync
; CHECK: ret;

; One element of a float4 is used in a branch only: all are loaded together.
define void @vector(ptr addrspace(1) readonly noalias %v, ptr addrspace(1) noalias %out, i32 %c) "simt.kernel" {
entry:
  %p1 = getelementptr inbounds i8, ptr addrspace(1) %v, i64 4
  %y = load float, ptr addrspace(1) %p1, align 4
  %p2 = getelementptr inbounds i8, ptr addrspace(1) %v, i64 8
  %z = load float, ptr addrspace(1) %p2, align 8
  %p3 = getelementptr inbounds i8, ptr addrspace(1) %v, i64 12
  %w = load float, ptr addrspace(1) %p3, align 4
  %any = icmp ne i32 %c, 0
  br i1 %any, label %then, label %end
then:
  %x = load float, ptr addrspace(1) %v, align 16
  store volatile float %x, ptr addrspace(1) %out
  br label %end
end:
  %yz = fadd float %y, %z
  %yzw = fadd float %yz, %w
  store volatile float %yzw, ptr addrspace(1) %out
  ret void
}
; CHECK-LABEL: .entry vector(
; CHECK: ld.global{{.*}}.v4
; CHECK-NOT: ld.global
; CHECK: ret;

; The remaining iterations of a sum: blocks of four, two and one, and one loop of eight.
define void @sum(ptr addrspace(1) readonly noalias %a, ptr addrspace(1) noalias %out, i64 %n) "simt.kernel" {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %loop, label %exit
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %r = phi float [ 0.0, %entry ], [ %t, %loop ]
  store float %r, ptr addrspace(1) %out
  ret void
}
; CHECK-LABEL: .entry sum(
; CHECK-COUNT-15: ld.global
; CHECK-NOT: ld.global
; CHECK: ret;

declare void @simt.barrier(i32) convergent
!simt.sites = !{!0}
!0 = !{!"barrier", !"simt.barrier", !"product", !"k.py", i32 1, i32 1}
