; RUN: heddle-opt -passes=merge-sign-tests -S %s | FileCheck %s
; Nearby indices share one sign test.

; CHECK-LABEL: define float @two(
; CHECK: %i = load i64, ptr %p
; CHECK: %j = load i64, ptr %q
; CHECK: %[[SIGNS:.*]] = or i64 %i, %j
; CHECK: %[[BELOW:.*]] = icmp slt i64 %[[SIGNS]], 0
; CHECK: br i1 %[[BELOW]], label %[[ENDS:.*]], label %[[ON:.*]], !prof
; CHECK: [[ENDS]]:
; CHECK: %[[I:.*]] = select i1 %below.i, i64 %last.i, i64 %i
; CHECK: %[[J:.*]] = select i1 %below.j, i64 %last.j, i64 %j
; CHECK: [[ON]]:
; CHECK-DAG: phi i64 [ %[[I]], %[[ENDS]] ], [ %i, %entry ]
; CHECK-DAG: phi i64 [ %[[J]], %[[ENDS]] ], [ %j, %entry ]
; CHECK-NOT: select
; CHECK: ret float
define float @two(ptr %p, ptr %q, ptr %x, i64 %n) {
entry:
  %i = load i64, ptr %p
  %below.i = icmp slt i64 %i, 0
  %last.i = add i64 %i, %n
  %wrapped.i = select i1 %below.i, i64 %last.i, i64 %i, !prof !0
  %at.i = getelementptr float, ptr %x, i64 %wrapped.i
  %a = load float, ptr %at.i
  %j = load i64, ptr %q
  %below.j = icmp slt i64 %j, 0
  %last.j = add i64 %j, %n
  %wrapped.j = select i1 %below.j, i64 %last.j, i64 %j, !prof !0
  %at.j = getelementptr float, ptr %x, i64 %wrapped.j
  %b = load float, ptr %at.j
  %sum = fadd float %a, %b
  ret float %sum
}

; A 32-bit index is tested before its extension.
; CHECK-LABEL: define i64 @short(
; CHECK: or i64 %i, %j
; CHECK-COUNT-1: br i1
; CHECK: ret i64
define i64 @short(i32 %first, i32 %second, i64 %n) {
  %i = sext i32 %first to i64
  %below.i = icmp slt i32 %first, 0
  %last.i = add i64 %i, %n
  %wrapped.i = select i1 %below.i, i64 %last.i, i64 %i
  %j = sext i32 %second to i64
  %below.j = icmp slt i32 %second, 0
  %last.j = add i64 %j, %n
  %wrapped.j = select i1 %below.j, i64 %last.j, i64 %j
  %sum = add i64 %wrapped.i, %wrapped.j
  ret i64 %sum
}

; An index that depends on the first element is not merged.
; CHECK-LABEL: define i64 @depends(
; CHECK: select i1 %below.i
; CHECK: select i1 %below.j
; CHECK-NOT: br i1
; CHECK: ret i64
define i64 @depends(ptr %x, i64 %i, i64 %n) {
  %below.i = icmp slt i64 %i, 0
  %last.i = add i64 %i, %n
  %wrapped.i = select i1 %below.i, i64 %last.i, i64 %i
  %p = getelementptr i64, ptr %x, i64 %wrapped.i
  %j = load i64, ptr %p
  %below.j = icmp slt i64 %j, 0
  %last.j = add i64 %j, %n
  %wrapped.j = select i1 %below.j, i64 %last.j, i64 %j
  ret i64 %wrapped.j
}

; A load after a store is not moved before it.
; CHECK-LABEL: define i64 @written(
; CHECK: select i1 %below.i
; CHECK: store
; CHECK: load
; CHECK: select i1 %below.j
; CHECK-NOT: br i1
; CHECK: ret i64
define i64 @written(ptr %x, i64 %i, i64 %n) {
  %below.i = icmp slt i64 %i, 0
  %last.i = add i64 %i, %n
  %wrapped.i = select i1 %below.i, i64 %last.i, i64 %i
  store i64 %n, ptr %x
  %j = load i64, ptr %x
  %below.j = icmp slt i64 %j, 0
  %last.j = add i64 %j, %n
  %wrapped.j = select i1 %below.j, i64 %last.j, i64 %j
  %sum = add i64 %wrapped.i, %wrapped.j
  ret i64 %sum
}

; A division stays after the check of its divisor.
; CHECK-LABEL: define i64 @checked(
; CHECK: call void @check
; CHECK: sdiv
; CHECK: ret i64
define i64 @checked(i64 %i, i64 %by, i64 %n) {
  %below.i = icmp slt i64 %i, 0
  %last.i = add i64 %i, %n
  %wrapped.i = select i1 %below.i, i64 %last.i, i64 %i
  call void @check(i64 %by)
  %j = sdiv i64 %n, %by
  %below.j = icmp slt i64 %j, 0
  %last.j = add i64 %j, %n
  %wrapped.j = select i1 %below.j, i64 %last.j, i64 %j
  %sum = add i64 %wrapped.i, %wrapped.j
  ret i64 %sum
}

declare void @check(i64)

!0 = !{!"branch_weights", i32 1, i32 2000}
