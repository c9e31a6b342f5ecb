; RUN: heddle-opt -passes=nvptx-limit-unrolling -S %s | FileCheck %s
; Only the loop with an atomic is not unrolled.

; CHECK-LABEL: @k(
; CHECK: br i1 %more, label %sums, label %middle{{$}}
; CHECK: br i1 %again, label %counts, label %done, !llvm.loop ![[KEEP:[0-9]+]]
; CHECK: ![[KEEP]] = distinct !{![[KEEP]], ![[DISABLE:[0-9]+]]}
; CHECK: ![[DISABLE]] = !{!"llvm.loop.unroll.runtime.disable"{{.*}}}
define void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %sums
sums:
  %i = phi i32 [ 0, %entry ], [ %i1, %sums ]
  store volatile i32 %i, ptr addrspace(1) %p
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %sums, label %middle
middle:
  br label %counts
counts:
  %j = phi i32 [ 0, %middle ], [ %j1, %counts ]
  %old = atomicrmw add ptr addrspace(1) %p, i32 %j monotonic
  %j1 = add i32 %j, 1
  %again = icmp slt i32 %j1, %n
  br i1 %again, label %counts, label %done
done:
  ret void
}
