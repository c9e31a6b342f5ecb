; RUN: heddle-opt -passes=nvptx-hoist-joined-loads -S %s | FileCheck %s

; The loads after a chain of ifs move before them, with the computation of their addresses. Empty inline PTX uses the
; values, so that the code generator does not move the loads back.
define float @chain(ptr addrspace(1) %a, i64 %i, float %s) {
entry:
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p
  %c = fcmp ogt float %x, %s
  br i1 %c, label %then, label %join
then:
  %t = call float @llvm.sqrt.f32(float %x)
  br label %join
join:
  %m = phi float [ %s, %entry ], [ %t, %then ]
  %i1 = add i64 %i, 1
  %p1 = getelementptr float, ptr addrspace(1) %a, i64 %i1
  %x1 = load float, ptr addrspace(1) %p1
  %c1 = fcmp ogt float %x1, %m
  br i1 %c1, label %above, label %below
above:
  %t1 = fmul float %x1, %m
  br label %end
below:
  %t2 = fadd float %x1, %m
  br label %end
end:
  %r = phi float [ %t1, %above ], [ %t2, %below ]
  %q = getelementptr float, ptr addrspace(1) %a, i64 %i
  %x2 = load float, ptr addrspace(1) %q
  %sum = fadd float %r, %x2
  ret float %sum
}
; CHECK-LABEL: @chain(
; CHECK: %x = load float, ptr addrspace(1) %p
; CHECK: %i1 = add i64 %i, 1
; CHECK-NEXT: %p1 = getelementptr float, ptr addrspace(1) %a, i64 %i1
; CHECK-NEXT: %x1 = load float, ptr addrspace(1) %p1
; CHECK-NEXT: %q = getelementptr float, ptr addrspace(1) %a, i64 %i
; CHECK-NEXT: %x2 = load float, ptr addrspace(1) %q
; CHECK-NEXT: call void asm sideeffect "", "f,f"(float %x2, float %x1)
; CHECK-NEXT: br i1 %c
; CHECK: then:
; CHECK-NOT: load
; CHECK: ret float

; Loads stay after a store or a barrier, at addresses that a side computes, in shared memory, if they are volatile, and
; if they run in some cases only.
define float @others(ptr addrspace(1) %a, ptr addrspace(3) %shared, i1 %c, i1 %d, i1 %e) {
entry:
  br i1 %c, label %stores, label %join
stores:
  store float 1.0, ptr addrspace(1) %a
  br label %join
join:
  %after.store = load float, ptr addrspace(1) %a
  br i1 %d, label %waits, label %join2
waits:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %join2
join2:
  %after.barrier = load float, ptr addrspace(1) %a
  br i1 %e, label %computes, label %join3
computes:
  %b = getelementptr float, ptr addrspace(1) %a, i64 1
  br label %join3
join3:
  %p = phi ptr addrspace(1) [ %a, %join2 ], [ %b, %computes ]
  %of.side = load float, ptr addrspace(1) %p
  %in.shared = load float, ptr addrspace(3) %shared
  %volatile = load volatile float, ptr addrspace(1) %a
  br i1 %c, label %loads, label %end
loads:
  %sometimes = load float, ptr addrspace(1) %a
  br label %end
end:
  %sum1 = fadd float %after.store, %after.barrier
  %sum2 = fadd float %of.side, %in.shared
  %sum3 = fadd float %sum1, %sum2
  %sum4 = fadd float %sum3, %volatile
  ret float %sum4
}
; CHECK-LABEL: @others(
; CHECK: join:
; CHECK-NEXT: %after.store = load
; CHECK: join2:
; CHECK-NEXT: %after.barrier = load
; CHECK: join3:
; CHECK-NEXT: %p = phi
; CHECK-NEXT: %of.side = load
; CHECK-NEXT: %in.shared = load
; CHECK-NEXT: %volatile = load volatile
; CHECK: loads:
; CHECK-NEXT: %sometimes = load
