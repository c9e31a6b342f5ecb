; RUN: heddle-opt -passes=version-wraps,lower-wraps,instcombine,simplifycfg -S %s | FileCheck %s
; for k in range(first, last): total += a[k - 1]: one of two versions has no wrap.

; CHECK-LABEL: @sum(
; CHECK: %[[START:.*]] = add i64 %first, -2305843009213693954
; CHECK: icmp ult i64 %[[START]], -2305843009213693953
; CHECK: loop.us:
; CHECK-NOT: select
; CHECK: br i1 %more.us
; CHECK: loop:
; CHECK: %[[BELOW:.*]] = icmp slt i64 %index, 0
; CHECK: select i1 %[[BELOW]], i64 %{{.*}}, i64 %index
; CHECK: ret i64
define i64 @sum(ptr %a, i64 %size, i64 %first, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %before, label %exit
before:
  br label %loop
loop:
  %i = phi i64 [ 0, %before ], [ %next, %loop ]
  %total = phi i64 [ 0, %before ], [ %sum, %loop ]
  %k = add i64 %first, %i
  %index = add i64 %k, -1
  %wrapped = call i64 @simt.wrap(i64 %index, i64 %size)
  %p = getelementptr i64, ptr %a, i64 %wrapped
  %v = load i64, ptr %p
  %sum = add i64 %total, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  br label %exit
exit:
  %result = phi i64 [ 0, %entry ], [ %sum, %done ]
  ret i64 %result
}

; A 32-bit induction variable stays small.
; CHECK-LABEL: @short_counter(
; CHECK: icmp ugt i64 %first{{.*}}, 2305843009213693952
; CHECK-NOT: icmp ugt
; CHECK: loop.us:
; CHECK-NOT: select
; CHECK: br i1 %more.us
; CHECK: ret i64
define i64 @short_counter(ptr %a, i64 %size, i64 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %total = phi i64 [ 0, %entry ], [ %sum, %loop ]
  %round = zext nneg i32 %i to i64
  %k = add i64 %first, %round
  %wrapped = call i64 @simt.wrap(i64 %k, i64 %size)
  %p = getelementptr i64, ptr %a, i64 %wrapped
  %v = load i64, ptr %p
  %sum = add i64 %total, %v
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret i64 %sum
}

; a[j + 1] for j in range(1, n - 1): no count up to the maximum of n reaches an index that overflows.
; CHECK-LABEL: @interior(
; CHECK-NOT: loop.us
; CHECK-NOT: select
; CHECK: ret i64
define i64 @interior(ptr %a, ptr %extent) "instcombine-no-verify-fixpoint" {
entry:
  %size = load i64, ptr %extent, !range !0, !noundef !1
  %n = add nsw i64 %size, -2
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %before, label %exit
before:
  br label %loop
loop:
  %i = phi i64 [ 0, %before ], [ %next, %loop ]
  %total = phi i64 [ 0, %before ], [ %sum, %loop ]
  %index = add i64 %i, 2
  %wrapped = call i64 @simt.wrap(i64 %index, i64 %size)
  %p = getelementptr i64, ptr %a, i64 %wrapped
  %v = load i64, ptr %p
  %sum = add i64 %total, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  br label %exit
exit:
  %result = phi i64 [ 0, %entry ], [ %sum, %done ]
  ret i64 %result
}

; A loaded index may have any sign.
; CHECK-LABEL: @gather(
; CHECK-NOT: loop.us
; CHECK: select i1 %{{.*}}, i64 %size, i64 0, !prof
; CHECK: ret i64
define i64 @gather(ptr %a, ptr %indices, i64 %size, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %total = phi i64 [ 0, %entry ], [ %sum, %loop ]
  %where = getelementptr i64, ptr %indices, i64 %i
  %index = load i64, ptr %where
  %wrapped = call i64 @simt.wrap(i64 %index, i64 %size)
  %p = getelementptr i64, ptr %a, i64 %wrapped
  %v = load i64, ptr %p
  %sum = add i64 %total, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret i64 %sum
}

; A loop that exits at its header ends one iteration before the negative index that its header reaches.
; CHECK-LABEL: @backwards(
; CHECK: %[[END:.*]] = sub i64 %n, %smax
; CHECK: icmp ugt i64 %[[END]], 2305843009213693952
; CHECK: body.us:
; CHECK-NOT: select
; CHECK: br label %head.us
; CHECK: ret i64
define i64 @backwards(ptr %a, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %total = phi i64 [ 0, %entry ], [ %sum, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %exit
body:
  %last = sub i64 %n, 1
  %k = sub i64 %last, %i
  %wrapped = call i64 @simt.wrap(i64 %k, i64 %n)
  %p = getelementptr i64, ptr %a, i64 %wrapped
  %v = load i64, ptr %p
  %sum = add i64 %total, %v
  %next = add nuw nsw i64 %i, 1
  br label %head
exit:
  ret i64 %total
}

; A bounds check of another index may exit the loop earlier: the trip count is an upper bound.
; CHECK-LABEL: @checked(
; CHECK: loop.us:
; CHECK-NOT: select
; CHECK: br i1 %more.us
; CHECK: loop:
; CHECK: select i1 %{{.*}}, i64 %{{.*}}, i64 %k
; CHECK: ret i64
define i64 @checked(ptr %a, i64 %size, i64 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %inside ]
  %total = phi i64 [ 0, %entry ], [ %sum, %inside ]
  %round = zext nneg i32 %i to i64
  %k = add i64 %first, %round
  %wrapped = call i64 @simt.wrap(i64 %k, i64 %size)
  %p = getelementptr i64, ptr %a, i64 %wrapped
  %v = load i64, ptr %p
  %out = icmp uge i64 %v, %size
  br i1 %out, label %stop, label %inside
inside:
  %sum = add i64 %total, %v
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
stop:
  unreachable
exit:
  ret i64 %sum
}

declare i64 @simt.wrap(i64, i64)

!0 = !{i64 0, i64 -9223372036854775808}
!1 = !{}
