; RUN: heddle-opt -host -passes='cpu-lowering,cpu-optimization' -S %s | FileCheck %s
; A sum that lives across a barrier is stored once after its loop; the FMA form is not held up.

; CHECK-LABEL: define internal ptr @k.kernel(
; CHECK: loop:
; CHECK-NOT: store
; CHECK: br i1
; CHECK-NOT: freeze
define void @k(ptr addrspace(1) %p, i64 %n) "simt.kernel" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s.next, %loop ]
  %q = getelementptr float, ptr addrspace(1) %p, i64 %i
  %x = load volatile float, ptr addrspace(1) %q
  %s.next = fadd float %s, %x
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  call void @simt.barrier(i32 0)
  store float %s.next, ptr addrspace(1) %p
  ret void
}
declare void @simt.barrier(i32) convergent
