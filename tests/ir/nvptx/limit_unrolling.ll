; RUN: heddle-opt -passes=nvptx-limit-unrolling -S %s | FileCheck %s
; Only the loop with an atomic is not unrolled, unless the program says how many copies it wants.

; CHECK-LABEL: @k(
; CHECK: br i1 %more, label %sums, label %middle{{$}}
; CHECK: br i1 %again, label %counts, label %next, !llvm.loop ![[KEEP:[0-9]+]]
; CHECK: br i1 %once.more, label %wanted, label %done, !llvm.loop ![[WANTED:[0-9]+]]
; CHECK: ![[KEEP]] = distinct !{![[KEEP]], ![[DISABLE:[0-9]+]]}
; CHECK: ![[DISABLE]] = !{!"llvm.loop.unroll.runtime.disable"{{.*}}}
; CHECK: ![[WANTED]] = distinct !{![[WANTED]], ![[COUNT:[0-9]+]]}
; CHECK: ![[COUNT]] = !{!"llvm.loop.unroll.count", i32 8}
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
  br i1 %again, label %counts, label %next
next:
  br label %wanted
wanted:
  %k = phi i32 [ 0, %next ], [ %k1, %wanted ]
  %older = atomicrmw add ptr addrspace(1) %p, i32 %k monotonic
  %k1 = add i32 %k, 1
  %once.more = icmp slt i32 %k1, %n
  br i1 %once.more, label %wanted, label %done, !llvm.loop !0
done:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.count", i32 8}
