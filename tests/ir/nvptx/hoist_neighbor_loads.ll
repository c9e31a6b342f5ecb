; RUN: heddle-opt -passes=nvptx-hoist-neighbor-loads -S %s | FileCheck %s

; One element of a float4 is used in a branch only: its load joins the others.
define void @vector(ptr addrspace(1) readonly noalias %v, ptr addrspace(1) noalias %out, i1 %c) {
entry:
  %p1 = getelementptr inbounds i8, ptr addrspace(1) %v, i64 4
  %y = load float, ptr addrspace(1) %p1, align 4
  %p2 = getelementptr inbounds i8, ptr addrspace(1) %v, i64 8
  %z = load float, ptr addrspace(1) %p2, align 8
  %p3 = getelementptr inbounds i8, ptr addrspace(1) %v, i64 12
  %w = load float, ptr addrspace(1) %p3, align 4
  br i1 %c, label %then, label %end
then:
  %x = load float, ptr addrspace(1) %v, align 16
  %bits = call float @llvm.sqrt.f32(float %x)
  store volatile float %bits, ptr addrspace(1) %out
  br label %end
end:
  %yz = fadd float %y, %z
  %yzw = fadd float %yz, %w
  store volatile float %yzw, ptr addrspace(1) %out
  ret void
}
; CHECK-LABEL: @vector(
; CHECK: %[[P:.*]] = getelementptr i8, ptr addrspace(1) %p3, i64 -12
; CHECK-NEXT: %x = load float, ptr addrspace(1) %[[P]], align 16
; CHECK: then:
; CHECK-NOT: load
; CHECK: ret void

; Other 16 bytes, unknown alignment, a store in between, and a volatile load stay.
define void @others(ptr addrspace(1) %v, ptr addrspace(1) %out, i1 %c) {
entry:
  %p1 = getelementptr inbounds i8, ptr addrspace(1) %v, i64 16
  %y = load float, ptr addrspace(1) %p1, align 4
  br i1 %c, label %then, label %end
then:
  %x = load float, ptr addrspace(1) %v, align 16
  store volatile float %x, ptr addrspace(1) %out
  br label %end
end:
  store volatile float %y, ptr addrspace(1) %out
  ret void
}
; CHECK-LABEL: @others(
; CHECK: then:
; CHECK-NEXT: load

define void @unaligned(ptr addrspace(1) %v, ptr addrspace(1) %out, i1 %c) {
entry:
  %p1 = getelementptr inbounds i8, ptr addrspace(1) %v, i64 4
  %y = load float, ptr addrspace(1) %p1, align 4
  br i1 %c, label %then, label %end
then:
  %x = load float, ptr addrspace(1) %v, align 8
  store volatile float %x, ptr addrspace(1) %out
  br label %end
end:
  store volatile float %y, ptr addrspace(1) %out
  ret void
}
; CHECK-LABEL: @unaligned(
; CHECK: then:
; CHECK-NEXT: load

define void @written(ptr addrspace(1) %v, ptr addrspace(1) %out, i1 %c) {
entry:
  %p1 = getelementptr inbounds i8, ptr addrspace(1) %v, i64 4
  %y = load float, ptr addrspace(1) %p1, align 4
  store float %y, ptr addrspace(1) %out
  br i1 %c, label %then, label %end
then:
  %x = load float, ptr addrspace(1) %v, align 16
  store volatile float %x, ptr addrspace(1) %out
  br label %end
end:
  ret void
}
; CHECK-LABEL: @written(
; CHECK: then:
; CHECK-NEXT: load

define void @volatile(ptr addrspace(1) %v, ptr addrspace(1) %out, i1 %c) {
entry:
  %p1 = getelementptr inbounds i8, ptr addrspace(1) %v, i64 4
  %y = load float, ptr addrspace(1) %p1, align 4
  br i1 %c, label %then, label %end
then:
  %x = load volatile float, ptr addrspace(1) %v, align 16
  ret void
end:
  ret void
}
; CHECK-LABEL: @volatile(
; CHECK: then:
; CHECK-NEXT: load volatile

declare float @llvm.sqrt.f32(float)
