; RUN: heddle-opt -passes=expect-nonnegative-indices -S %s | FileCheck %s
; Selects of an index from the end are marked unlikely.

; CHECK-LABEL: define float @places(
; CHECK-NOT: select i1 %below, ptr
; CHECK: %[[LAST:.*]] = add i64 %i, %n
; CHECK: %[[K:.*]] = select i1 %below, i64 %[[LAST]], i64 %i, !prof ![[SELDOM:[0-9]+]]
; CHECK: getelementptr float, ptr %start, i64 %[[K]]
define float @places(ptr %start, i64 %n, i64 %i) {
  %below = icmp slt i64 %i, 0
  %end = getelementptr float, ptr %start, i64 %n
  %from = select i1 %below, ptr %end, ptr %start
  %p = getelementptr float, ptr %from, i64 %i
  %v = load float, ptr %p
  ret float %v
}

; CHECK-LABEL: define i64 @indices(
; CHECK: select i1 %below, i64 %end, i64 %i, !prof ![[SELDOM]]
define i64 @indices(i64 %n, i64 %i) {
  %below = icmp slt i64 %i, 0
  %end = add i64 %i, %n
  %index = select i1 %below, i64 %end, i64 %i
  ret i64 %index
}

; Other selects by a sign are unchanged, and so are vector selects.
; CHECK-LABEL: define i64 @others(
; CHECK: select i1 %below, i64 %n, i64 %i{{$}}
define i64 @others(i64 %n, i64 %i) {
  %below = icmp slt i64 %i, 0
  %one = select i1 %below, i64 %n, i64 %i
  ret i64 %one
}

; CHECK-LABEL: define <4 x i64> @lanes(
; CHECK: select <4 x i1> %below, <4 x i64> %end, <4 x i64> %i{{$}}
define <4 x i64> @lanes(<4 x i64> %n, <4 x i64> %i) {
  %below = icmp slt <4 x i64> %i, zeroinitializer
  %end = add <4 x i64> %i, %n
  %index = select <4 x i1> %below, <4 x i64> %end, <4 x i64> %i
  ret <4 x i64> %index
}

; Each path to an element computes its own index.
; CHECK-LABEL: define float @ways(
; CHECK: seldom:
; CHECK: %[[LAST:.*]] = add i64 %i, %n
; CHECK: on:
; CHECK: %[[AT:.*]] = phi i64 [ %i, %entry ], [ %[[LAST]], %seldom ]
; CHECK: getelementptr float, ptr %a, i64 %[[AT]]
define float @ways(ptr %a, i64 %i, i64 %n) {
entry:
  %out = icmp uge i64 %i, %n
  br i1 %out, label %seldom, label %on
seldom:
  br label %on
on:
  %ends = phi i64 [ 0, %entry ], [ %n, %seldom ]
  %place = getelementptr float, ptr %a, i64 %ends
  %element = getelementptr float, ptr %place, i64 %i
  %v = load float, ptr %element
  ret float %v
}

; An index that is computed after the join stays there.
; CHECK-LABEL: define float @later(
; CHECK: %place = getelementptr float, ptr %a, i64 %ends
; CHECK: getelementptr float, ptr %place, i64 %k
define float @later(ptr %a, i64 %i, i64 %n) {
entry:
  %out = icmp uge i64 %i, %n
  br i1 %out, label %seldom, label %on
seldom:
  br label %on
on:
  %ends = phi i64 [ 0, %entry ], [ %n, %seldom ]
  %place = getelementptr float, ptr %a, i64 %ends
  %k = mul i64 %i, 3
  %element = getelementptr float, ptr %place, i64 %k
  %v = load float, ptr %element
  ret float %v
}

; CHECK: ![[SELDOM]] = !{!"branch_weights", i32 1, i32 2000}
