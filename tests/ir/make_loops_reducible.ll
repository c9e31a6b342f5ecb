; RUN: heddle-opt -passes=make-loops-reducible,verify-simt -S %s | FileCheck %s
; Every loop gets a single entry; nothing is duplicated.

; CHECK-LABEL: @two_entries(
; CHECK-NEXT:  br i1 %c, label %[[TO_A:.*]], label %[[TO_B:.*]]
; CHECK:     [[TO_B]]:
; CHECK-NEXT:  br label %dispatch
; CHECK:     [[BACK:.*]]:
; CHECK-NEXT:  br label %dispatch
; CHECK:     [[TO_A]]:
; CHECK-NEXT:  br label %dispatch
; CHECK:     dispatch:
; CHECK-NEXT:  %target = phi i32 [ 0, %[[TO_B]] ], [ 1, %[[BACK]] ], [ 1, %[[TO_A]] ]
; CHECK-NEXT:  switch i32 %target, label %b [
; CHECK-NEXT:    i32 1, label %a
; CHECK-NEXT:  ]
; CHECK:     b:
; CHECK-NEXT:  call void @simt.barrier(i32 0)
; CHECK-NEXT:  br i1 %d, label %[[BACK]], label %done
define internal void @two_entries(i1 %c, i1 %d) {
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  call void @simt.barrier(i32 0)
  br i1 %d, label %a, label %done
done:
  ret void
}

; A switch enters a loop, with two cases to one block. The entries' phis share one phi of the dispatch.
; CHECK-LABEL: @switch_into_a_loop(
; CHECK-NEXT:  switch i32 %n, label %done [
; CHECK-NEXT:    i32 0, label %[[TO_A:.*]]
; CHECK-NEXT:    i32 1, label %[[TO_B:.*]]
; CHECK-NEXT:    i32 2, label %[[TO_B]]
; CHECK:     a:
; CHECK-NEXT:  %i = phi i32 [ [[V:%.*]], %dispatch ]
; CHECK:     dispatch:
; CHECK-NEXT:  [[V]] = phi i32 [ 20, %[[TO_B]] ], [ %x, %{{.*}} ], [ 10, %[[TO_A]] ]
; CHECK-NEXT:  %target = phi i32
; CHECK:     b:
; CHECK-NEXT:  %x = phi i32 [ %j, %a ], [ [[V]], %dispatch ]
define internal void @switch_into_a_loop(i32 %n) {
  switch i32 %n, label %done [
    i32 0, label %a
    i32 1, label %b
    i32 2, label %b
  ]
a:
  %i = phi i32 [ 10, %0 ], [ %x, %b ]
  %j = add i32 %i, 1
  br label %b
b:
  %x = phi i32 [ 20, %0 ], [ 20, %0 ], [ %j, %a ]
  %more = icmp slt i32 %x, 40
  br i1 %more, label %a, label %done
done:
  ret void
}

; The loop of a and b is inside a natural loop and contains one; both are unchanged.
; CHECK-LABEL: @natural_loops_around_and_inside(
; CHECK:     x:
; CHECK-NEXT:  br i1 %d, label %x, label %b
; CHECK:     dispatch:
; CHECK-NOT: dispatch{{[0-9]+}}:
; CHECK:     next:
; CHECK-NEXT:  br i1 %c, label %outer, label %done
define internal void @natural_loops_around_and_inside(i1 %c, i1 %d) {
  br label %outer
outer:
  br i1 %c, label %a, label %b
a:
  br label %x
x:
  br i1 %d, label %x, label %b
b:
  br i1 %d, label %a, label %next
next:
  br i1 %c, label %outer, label %done
done:
  ret void
}

; A natural loop whose header is an entry of the outer loop keeps its back edge.
; CHECK-LABEL: @header_that_is_an_entry(
; CHECK:     more:
; CHECK-NEXT:  br i1 %d, label %a, label %b
define internal void @header_that_is_an_entry(i1 %c, i1 %d) {
  br i1 %c, label %a, label %b
a:
  br label %more
more:
  br i1 %d, label %a, label %b
b:
  br i1 %d, label %a, label %done
done:
  ret void
}

; x and y form an irreducible loop inside another one; the next round finds it.
; CHECK-LABEL: @two_entries_in_two_entries(
; CHECK:     a:
; CHECK-NEXT:  br i1 %d, label %[[TO_X:.*]], label %[[TO_Y:.*]]
; CHECK:     [[TO_Y]]:
; CHECK-NEXT:  br label %[[INNER:dispatch[0-9]+]]
; CHECK:     [[TO_X]]:
; CHECK-NEXT:  br label %[[INNER]]
; CHECK:     dispatch:
; CHECK:     e:
; CHECK-NEXT:  br i1 %c, label %{{to.*}}, label %done
define internal void @two_entries_in_two_entries(i1 %c, i1 %d) {
  br i1 %c, label %a, label %e
a:
  br i1 %d, label %x, label %y
x:
  br i1 %c, label %y, label %e
y:
  br i1 %d, label %x, label %e
e:
  br i1 %c, label %a, label %done
done:
  ret void
}

; A function with reducible loops is unchanged.
; CHECK-LABEL: @natural(
; CHECK-NEXT:  br label %loop
; CHECK:     loop:
; CHECK-NEXT:  br i1 %c, label %loop, label %done
; CHECK:     nowhere:
define internal void @natural(i1 %c) {
  br label %loop
loop:
  br i1 %c, label %loop, label %done
done:
  ret void
nowhere:
  br label %loop
}

declare void @simt.barrier(i32) convergent

!simt.sites = !{!0}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.cu", i32 1, i32 1}
