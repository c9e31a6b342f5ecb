; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; An invariant load is hoisted and masked once. In the loop, an iteration's mask would depend on the load, and the load
; on the previous iteration's mask.

; CHECK-LABEL: define void @first_above(
; CHECK: load <[[W:[0-9]+]] x float>
; CHECK: {{^}}body:
; CHECK-NOT: @llvm.masked
; CHECK-NOT: load <
; CHECK: store <[[W]] x i32>
define void @first_above(ptr addrspace(1) noalias %sums, ptr addrspace(1) noalias %limits, ptr addrspace(1) noalias %out, i32 %n) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %more ]
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %end
body:
  %p = getelementptr float, ptr addrspace(1) %sums, i32 %i
  %sum = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %limits, i32 %t
  %limit = load float, ptr addrspace(1) %q, align 4
  %above = fcmp oge float %sum, %limit
  br i1 %above, label %end, label %more
more:
  %next = add nsw i32 %i, 1
  br label %head
end:
  %r = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %i, ptr addrspace(1) %r, align 4
  ret void
}

; Out of a loop with barriers, it would be live across them.
; CHECK-LABEL: define void @rounds(
; CHECK: {{^}}round:
; CHECK: %v = load float
; CHECK: call void @simt.barrier
define void @rounds(ptr addrspace(1) noalias %factor, ptr addrspace(3) %tile, i32 %n) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %p = getelementptr float, ptr addrspace(3) %tile, i32 %t
  br label %round
round:
  %i = phi i32 [ 0, %entry ], [ %next, %round ]
  %v = load float, ptr addrspace(1) %factor, align 4, !invariant.load !0
  %x = load float, ptr addrspace(3) %p, align 4
  %y = fmul float %x, %v
  store float %y, ptr addrspace(3) %p, align 4
  call void @simt.barrier(i32 0)
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %round, label %end
end:
  ret void
}
declare i32 @simt.tid.x()
declare void @simt.barrier(i32) convergent
!0 = !{}
