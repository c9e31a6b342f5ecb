; RUN: heddle-opt -passes=insert-sample-probes -S %s | FileCheck %s

; Each basic block has a probe. Its site has the block's number, its cost, the divergent branch around it and its loops.
; CHECK-LABEL: define void @loop(
; CHECK: entry:
; CHECK: call i1 @simt.check.block(i32 [[ENTRY:[0-9]+]])
; CHECK: loop:
; CHECK-NEXT: phi
; CHECK-NEXT: call i1 @simt.check.block(i32 [[LOOP:[0-9]+]])
; CHECK: end:
; CHECK: call i1 @simt.check.block(i32 [[END:[0-9]+]])
; CHECK: !simt.sites = !{![[#E:]], ![[#L:]], ![[#N:]]
; CHECK: ![[#E]] = !{!"block", !"", !"", !"", i32 0, i32 0, !"1,1,0"}
; CHECK: ![[#L]] = !{!"block", !"loop", {{.*}}, !"2,13,2,2"}
; CHECK: ![[#N]] = !{!"block", !"", !"", !"", i32 0, i32 0, !"3,0,0"}
define void @loop(ptr addrspace(1) %a) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i32 %i
  %v = load float, ptr addrspace(1) %p
  %w = fdiv float %v, 3.0
  %unused = fmul float %w, %w
  store float %v, ptr addrspace(1) %p
  call void @llvm.assume(i1 true)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %t
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare i32 @simt.tid.x()
declare void @llvm.assume(i1)
