; RUN: heddle-opt -passes=nvptx-hide-induction-variables -S %s | FileCheck %s
; RUN: heddle-opt -passes=nvptx-hide-induction-variables,nvptx-show-induction-variables -S %s | FileCheck %s --check-prefix=SHOWN
; Addresses of a loop with an unroll factor take the induction variable from a freeze while LLVM unrolls the loop.

; CHECK-LABEL: define float @unrolled(
; CHECK: %i = phi i32
; CHECK: %hidden = freeze i32 %i, !heddle.hidden
; CHECK: getelementptr float, ptr addrspace(1) %a, i32 %hidden
; CHECK: %next = add nuw nsw i32 %i, 1
; CHECK: %more = icmp ult i32 %next, %n
; CHECK-LABEL: define float @rolled(
; CHECK-NOT: freeze
; CHECK: ret
; CHECK-LABEL: define float @frozen(
; CHECK: freeze i32 %x
; CHECK-NOT: freeze
; CHECK: ret
; CHECK-LABEL: define float @outer(
; CHECK-NOT: freeze
; CHECK: ret

; SHOWN-LABEL: define float @unrolled(
; SHOWN-NOT: freeze
; SHOWN: getelementptr float, ptr addrspace(1) %a, i32 %i
; SHOWN-LABEL: define float @frozen(
; SHOWN: freeze i32 %x

define float @unrolled(ptr addrspace(1) %a, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i32 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret float %t
}

define float @rolled(ptr addrspace(1) %a, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i32 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret float %t
}

; The program's own freeze stays, and so does the counter of a loop without other uses.
define float @frozen(i32 %x, i32 %n) {
entry:
  %same = freeze i32 %x
  %factor = uitofp i32 %same to float
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 1.0, %entry ], [ %t, %loop ]
  %t = fmul float %s, %factor
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !2
exit:
  ret float %t
}

; The trip count of the inner loop is known, because both of its bounds are computed from the same value.
define float @outer(ptr addrspace(1) %a, i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %so = phi float [ 0.0, %entry ], [ %t, %latch ]
  %end = add i32 %i, 4
  br label %inner
inner:
  %j = phi i32 [ %i, %outer ], [ %j.next, %inner ]
  %s = phi float [ %so, %outer ], [ %t, %inner ]
  %p = getelementptr float, ptr addrspace(1) %a, i32 %j
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %j.next = add i32 %j, 1
  %again = icmp ne i32 %j.next, %end
  br i1 %again, label %inner, label %latch
latch:
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %outer, label %exit, !llvm.loop !3
exit:
  ret float %t
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.count", i32 16}
!2 = distinct !{!2, !1}
!3 = distinct !{!3, !1}
