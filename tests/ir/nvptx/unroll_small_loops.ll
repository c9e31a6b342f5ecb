; RUN: heddle-opt -passes=nvptx-unroll-small-loops -S %s | FileCheck %s
; A small innermost loop is unrolled sixteen times; loops with barriers or constant trip counts are left to LLVM.

; CHECK-LABEL: define float @sum(
; CHECK: br i1 %more, label %loop, label %exit, !llvm.loop ![[LOOP:[0-9]+]]
; CHECK-LABEL: define void @waits(
; CHECK: br i1 %more, label %loop, label %exit{{$}}
; CHECK-LABEL: define float @eight(
; CHECK: br i1 %more, label %loop, label %exit{{$}}
; CHECK: ![[LOOP]] = distinct !{![[LOOP]], ![[COUNT:[0-9]+]]}
; CHECK: ![[COUNT]] = !{!"llvm.loop.unroll.count", i32 16}

define float @sum(ptr addrspace(1) %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret float %t
}

define void @waits(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define float @eight(ptr addrspace(1) %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 8
  br i1 %more, label %loop, label %exit
exit:
  ret float %t
}

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
