; RUN: heddle-opt -passes=nvptx-keep-outer-loops-rolled -S %s | FileCheck %s

; The inner loop has n iterations.
; CHECK-LABEL: @rows(
; CHECK: br i1 %more, label %inner, label %next{{$}}
; CHECK: br i1 %again, label %outer, label %done, !llvm.loop ![[KEEP:[0-9]+]]
define void @rows(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  br label %inner
inner:
  %k = phi i32 [ 0, %outer ], [ %k1, %inner ]
  store volatile i32 %k, ptr addrspace(1) %p
  %k1 = add nsw i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %inner, label %next
next:
  %i1 = add nsw i32 %i, 1
  %again = icmp slt i32 %i1, 8
  br i1 %again, label %outer, label %done
done:
  ret void
}

; Unrolling of the outer loop makes the trip count of the inner one a constant.
; CHECK-LABEL: @triangle(
; CHECK-NOT: !llvm.loop
; CHECK: ret void
define void @triangle(ptr addrspace(1) %p) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  %i1 = add nsw i32 %i, 1
  br label %inner
inner:
  %k = phi i32 [ 0, %outer ], [ %k1, %inner ]
  store volatile i32 %k, ptr addrspace(1) %p
  %k1 = add nsw i32 %k, 1
  %more = icmp slt i32 %k1, %i1
  br i1 %more, label %inner, label %next
next:
  %again = icmp slt i32 %i1, 8
  br i1 %again, label %outer, label %done
done:
  ret void
}

; The program asks for copies.
; CHECK-LABEL: @pragma(
; CHECK: br i1 %again, label %outer, label %done, !llvm.loop ![[GIVEN:[0-9]+]]
define void @pragma(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  br label %inner
inner:
  %k = phi i32 [ 0, %outer ], [ %k1, %inner ]
  store volatile i32 %k, ptr addrspace(1) %p
  %k1 = add nsw i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %inner, label %next
next:
  %i1 = add nsw i32 %i, 1
  %again = icmp slt i32 %i1, 8
  br i1 %again, label %outer, label %done, !llvm.loop !0
done:
  ret void
}

; CHECK: ![[KEEP]] = distinct !{![[KEEP]], ![[DISABLE:[0-9]+]]}
; CHECK: ![[DISABLE]] = !{!"llvm.loop.unroll.disable", i32 1}
; CHECK: ![[GIVEN]] = distinct !{![[GIVEN]], ![[FULL:[0-9]+]]}
; CHECK: ![[FULL]] = !{!"llvm.loop.unroll.full"}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.full"}
