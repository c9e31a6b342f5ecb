; RUN: heddle-opt -passes=make-loops-reducible-with-one-dispatch,verify-simt -S %s | FileCheck %s
; An irreducible loop gets one dispatch for all back edges, including those of inner loops.

; %v dominated its use in the loop of x: both come after the dispatch now.
; CHECK-LABEL: @value_of_an_inner_loop(
; CHECK:     x:
; CHECK-NEXT:  [[HERE:%.*]] = phi i32 [ [[V:%.*]], %dispatch ], [ %v, %a ]
; CHECK-NEXT:  store i32 [[HERE]]
; CHECK-NEXT:  br i1 %d, label %[[AGAIN:.*]], label %b
; CHECK:     dispatch:
; CHECK-NEXT:  [[V]] = phi i32
; CHECK-SAME:    [ [[HERE]], %[[AGAIN]] ]
; CHECK-NEXT:  %target = phi i32
; CHECK-NEXT:  switch i32 %target
define internal void @value_of_an_inner_loop(ptr addrspace(1) %p, i1 %c, i1 %d) {
  br i1 %c, label %a, label %b
a:
  %v = load i32, ptr addrspace(1) %p
  br label %x
x:
  store i32 %v, ptr addrspace(1) %p
  br i1 %d, label %x, label %b
b:
  br i1 %d, label %a, label %done
done:
  ret void
}
