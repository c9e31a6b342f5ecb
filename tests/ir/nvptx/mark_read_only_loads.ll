; RUN: heddle-opt -passes=nvptx-mark-read-only-loads -S %s | FileCheck %s
; Only memory that nothing writes while the kernel runs.

; CHECK-LABEL: @k(
; CHECK: load float, ptr addrspace(1) %{{.*}}, align 4, !invariant.load
; CHECK: load float, ptr addrspace(1) %written, align 4{{$}}
; CHECK: load float, ptr addrspace(1) %shared, align 4{{$}}
; CHECK: load volatile float, ptr addrspace(1) %read, align 4{{$}}
define void @k(ptr addrspace(1) noalias readonly %read, ptr addrspace(1) noalias %written, ptr addrspace(1) readonly %shared) "simt.kernel" {
  %p1 = getelementptr float, ptr addrspace(1) %read, i64 1
  %p2 = getelementptr float, ptr addrspace(1) %p1, i64 1
  %p3 = getelementptr float, ptr addrspace(1) %p2, i64 1
  %p4 = getelementptr float, ptr addrspace(1) %p3, i64 1
  %p5 = getelementptr float, ptr addrspace(1) %p4, i64 1
  %p6 = getelementptr float, ptr addrspace(1) %p5, i64 1
  %p7 = getelementptr float, ptr addrspace(1) %p6, i64 1
  %a = load float, ptr addrspace(1) %p7, align 4
  %b = load float, ptr addrspace(1) %written, align 4
  %c = load float, ptr addrspace(1) %shared, align 4
  %d = load volatile float, ptr addrspace(1) %read, align 4
  store float %a, ptr addrspace(1) %written, align 4
  ret void
}

; CHECK-LABEL: @device(
; CHECK: load float, ptr addrspace(1) %read, align 4{{$}}
define internal float @device(ptr addrspace(1) noalias readonly %read) {
  %a = load float, ptr addrspace(1) %read, align 4
  ret float %a
}
