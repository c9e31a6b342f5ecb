; RUN: heddle-opt -ptx -sm=90 %s | FileCheck %s
; A thread that loads or stores four adjacent floats of an aligned array uses one access.

; CHECK-LABEL: .entry copy(
; CHECK: ld.global.nc.v4.b32
; CHECK: st.global.v4.b32
; CHECK-LABEL: .entry copy_unaligned(
; CHECK-COUNT-4: ld.global.nc.b32

define void @copy(ptr addrspace(1) noalias align 16 %to, ptr addrspace(1) noalias align 16 %from) #0 {
  %t = call i32 @simt.tid.x()
  %v = zext nneg i32 %t to i64
  %first = shl nuw nsw i64 %v, 2
  %second = or disjoint i64 %first, 1
  %third = or disjoint i64 %first, 2
  %fourth = or disjoint i64 %first, 3
  %p0 = getelementptr inbounds float, ptr addrspace(1) %from, i64 %first
  %p1 = getelementptr inbounds float, ptr addrspace(1) %from, i64 %second
  %p2 = getelementptr inbounds float, ptr addrspace(1) %from, i64 %third
  %p3 = getelementptr inbounds float, ptr addrspace(1) %from, i64 %fourth
  %a = load float, ptr addrspace(1) %p0, align 4
  %b = load float, ptr addrspace(1) %p1, align 4
  %c = load float, ptr addrspace(1) %p2, align 4
  %d = load float, ptr addrspace(1) %p3, align 4
  %q0 = getelementptr inbounds float, ptr addrspace(1) %to, i64 %first
  %q1 = getelementptr inbounds float, ptr addrspace(1) %to, i64 %second
  %q2 = getelementptr inbounds float, ptr addrspace(1) %to, i64 %third
  %q3 = getelementptr inbounds float, ptr addrspace(1) %to, i64 %fourth
  store float %a, ptr addrspace(1) %q0, align 4
  store float %b, ptr addrspace(1) %q1, align 4
  store float %c, ptr addrspace(1) %q2, align 4
  store float %d, ptr addrspace(1) %q3, align 4
  ret void
}

define void @copy_unaligned(ptr addrspace(1) noalias align 4 %to, ptr addrspace(1) noalias align 4 %from) #0 {
  %t = call i32 @simt.tid.x()
  %v = zext nneg i32 %t to i64
  %first = shl nuw nsw i64 %v, 2
  %second = or disjoint i64 %first, 1
  %third = or disjoint i64 %first, 2
  %fourth = or disjoint i64 %first, 3
  %p0 = getelementptr inbounds float, ptr addrspace(1) %from, i64 %first
  %p1 = getelementptr inbounds float, ptr addrspace(1) %from, i64 %second
  %p2 = getelementptr inbounds float, ptr addrspace(1) %from, i64 %third
  %p3 = getelementptr inbounds float, ptr addrspace(1) %from, i64 %fourth
  %a = load float, ptr addrspace(1) %p0, align 4
  %b = load float, ptr addrspace(1) %p1, align 4
  %c = load float, ptr addrspace(1) %p2, align 4
  %d = load float, ptr addrspace(1) %p3, align 4
  %ab = fadd float %a, %b
  %cd = fadd float %c, %d
  %sum = fadd float %ab, %cd
  %q = getelementptr inbounds float, ptr addrspace(1) %to, i64 %v
  store float %sum, ptr addrspace(1) %q, align 4
  ret void
}

declare range(i32 0, 1024) i32 @simt.tid.x() #1

attributes #0 = { nounwind "simt.kernel" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
