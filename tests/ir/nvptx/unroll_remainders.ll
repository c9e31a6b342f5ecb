; RUN: heddle-opt -passes=nvptx-unroll-remainders -S %s | FileCheck %s

; At most seven iterations remain: a part of four, a part of two and one iteration, each only if the number has its bit.
define float @sum(ptr addrspace(1) %a, i32 range(i32 1, 8) %rest) {
entry:
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %a, %entry ], [ %p.next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %p.next = getelementptr float, ptr addrspace(1) %p, i64 1
  %i.next = add i32 %i, 1
  %more = icmp ne i32 %i.next, %rest
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  %last = phi float [ %v, %loop ]
  %sum = phi float [ %t, %loop ]
  %both = fadd float %sum, %last
  ret float %both
}
; CHECK-LABEL: @sum(
; CHECK: %[[FOUR:.*]] = and i32 %rest, 4
; CHECK-NEXT: %[[HAS4:.*]] = icmp ne i32 %[[FOUR]], 0
; CHECK-NEXT: br i1 %[[HAS4]], label %[[PRE4:.*]], label %[[NEXT4:.*]]
; CHECK: loop.rest4:
; CHECK: %more.rest4 = icmp ne i32 %i.next.rest4, 4
; CHECK-NEXT: br i1 %more.rest4, label %loop.rest4, label %[[NEXT4]], !llvm.loop ![[FULL4:[0-9]+]]
; CHECK: [[NEXT4]]:
; CHECK-NEXT: phi ptr addrspace(1) [ %a, %entry ], [ %p.next.rest4, %loop.rest4 ]
; CHECK-NEXT: phi float [ 0.000000e+00, %entry ], [ %t.rest4, %loop.rest4 ]
; CHECK-NEXT: %[[LAST4:.*]] = phi float [ poison, %entry ], [ %v.rest4, %loop.rest4 ]
; CHECK: %[[TWO:.*]] = and i32 %rest, 2
; CHECK: %more.rest2 = icmp ne i32 %i.next.rest2, 2
; CHECK: %[[LAST2:.*]] = phi float [ %[[LAST4]], %[[NEXT4]] ], [ %v.rest2, %loop.rest2 ]
; CHECK: %[[ONE:.*]] = and i32 %rest, 1
; CHECK-NEXT: %[[HAS1:.*]] = icmp ne i32 %[[ONE]], 0
; CHECK-NEXT: br i1 %[[HAS1]], label %{{.*}}, label %exit
; CHECK: loop:
; CHECK: br label %exit
; CHECK: exit:
; CHECK-NEXT: %last = phi float [ %v, %loop ], [ %[[LAST2]], %{{.*}} ]

; Loops without the mark stay as they are.
define void @unmarked(ptr addrspace(1) %a, i32 range(i32 1, 8) %rest) {
entry:
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %a, %entry ], [ %p.next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  store float 0.0, ptr addrspace(1) %p
  %p.next = getelementptr float, ptr addrspace(1) %p, i64 1
  %i.next = add i32 %i, 1
  %more = icmp ne i32 %i.next, %rest
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
; CHECK-LABEL: @unmarked(
; CHECK-NOT: and i32
; CHECK: ret void

; CHECK: ![[FULL4]] = distinct !{![[FULL4]], ![[FULL:[0-9]+]]}
; CHECK: ![[FULL]] = !{!"llvm.loop.unroll.full", i32 1}

!0 = distinct !{!0, !1}
!1 = !{!"heddle.remainder", i32 8}
