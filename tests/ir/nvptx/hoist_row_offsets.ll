; RUN: heddle-opt -passes=nvptx-hoist-row-offsets -S %s | FileCheck %s

declare void @use(ptr)

; Two rows whose first index changes: one multiplication in the loop.
define void @rows(ptr %a, i64 %width, i64 %row0, i64 %row1, i64 %n) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %r0 = add nuw nsw i64 %k, %row0
  %at0 = mul nuw nsw i64 %r0, %width
  %p0 = getelementptr inbounds half, ptr %a, i64 %at0
  call void @use(ptr %p0)
  %r1 = add nuw nsw i64 %row1, %k
  %at1 = mul nuw nsw i64 %width, %r1
  %p1 = getelementptr inbounds half, ptr %a, i64 %at1
  call void @use(ptr %p1)
  %next = add i64 %k, 64
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}
; CHECK-LABEL: @rows(
; CHECK: entry:
; CHECK: %[[O0:.*]] = mul i64 %row0, %width
; CHECK: %[[A0:.*]] = getelementptr half, ptr %a, i64 %[[O0]]
; CHECK: %[[O1:.*]] = mul i64 %row1, %width
; CHECK: %[[A1:.*]] = getelementptr half, ptr %a, i64 %[[O1]]
; CHECK: loop:
; CHECK: %[[ROW:.*]] = mul i64 %k, %width
; CHECK-NOT: mul
; CHECK: getelementptr half, ptr %[[A0]], i64 %[[ROW]]
; CHECK: getelementptr half, ptr %[[A1]], i64 %[[ROW]]
; CHECK: out:

; A product that is no address is a sum.
define i64 @numbers(i64 %width, i64 %row0, i64 %row1, i64 %n) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %r0 = add i64 %k, %row0
  %at0 = mul i64 %r0, %width
  %r1 = add i64 %k, %row1
  %at1 = mul i64 %r1, %width
  %next = xor i64 %at0, %at1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret i64 %next
}
; CHECK-LABEL: @numbers(
; CHECK: %[[ROW:.*]] = mul i64 %k, %width
; CHECK-NEXT: add i64 %[[ROW]], %row.offset
; CHECK-NOT: mul
; CHECK: out:

; Branches: the product is computed before both.
define void @branches(ptr %a, i64 %width, i64 %row0, i64 %row1, i64 %n, i1 %c) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %end ]
  br i1 %c, label %left, label %right
left:
  %r0 = add i64 %k, %row0
  %at0 = mul i64 %r0, %width
  %p0 = getelementptr half, ptr %a, i64 %at0
  call void @use(ptr %p0)
  br label %end
right:
  %r1 = add i64 %k, %row1
  %at1 = mul i64 %r1, %width
  %p1 = getelementptr half, ptr %a, i64 %at1
  call void @use(ptr %p1)
  br label %end
end:
  %next = add i64 %k, 64
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}
; CHECK-LABEL: @branches(
; CHECK: loop:
; CHECK: mul i64 %k, %width
; CHECK: left:
; CHECK-NOT: mul
; CHECK: out:

; One product, products by a constant or of a sum with one, and a stride that changes.
define i64 @others(i64 %width, i64 %row0, i64 %row1, i64 %n) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %r0 = add i64 %k, %row0
  %at0 = mul i64 %r0, %width
  %r1 = add i64 %k, %row1
  %at1 = mul i64 %r1, 144
  %at2 = mul i64 %r0, 144
  %at3 = mul i64 %r1, %at0
  %r4 = add i64 %k, 1
  %at4 = mul i64 %r4, %width
  %s = xor i64 %at0, %at1
  %t = xor i64 %at2, %at3
  %u = xor i64 %s, %t
  %next = xor i64 %u, %at4
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret i64 %next
}
; CHECK-LABEL: @others(
; CHECK: entry:
; CHECK-NEXT: br label %loop
; CHECK-COUNT-5: mul i64 %r

; CHECK: !{!"rows: the offsets of 2 rows are computed before the loops that access the rows"}
