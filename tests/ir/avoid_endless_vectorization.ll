; RUN: heddle-opt -passes=avoid-endless-vectorization -S %s | FileCheck %s
; A chain of invariants, each computed from two uses of the previous one, has 2^20 paths.

; CHECK-LABEL: @chain(
; CHECK: br i1 %more, label %loop, label %exit, !llvm.loop ![[OFF:[0-9]+]]
; CHECK-LABEL: @short(
; CHECK: br i1 %more, label %loop, label %exit{{$}}
; CHECK-LABEL: @of_the_iteration(
; CHECK: br i1 %more, label %loop, label %exit{{$}}
; CHECK: ![[OFF]] = distinct !{![[OFF]], ![[NO:[0-9]+]]}
; CHECK: ![[NO]] = !{!"llvm.loop.vectorize.enable", i32 0}
define void @chain(ptr %p, i32 %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %v0 = xor i32 %a, 77
  %v1 = mul i32 %v0, %v0
  %v2 = mul i32 %v1, %v1
  %v3 = mul i32 %v2, %v2
  %v4 = mul i32 %v3, %v3
  %v5 = mul i32 %v4, %v4
  %v6 = mul i32 %v5, %v5
  %v7 = mul i32 %v6, %v6
  %v8 = mul i32 %v7, %v7
  %v9 = mul i32 %v8, %v8
  %v10 = mul i32 %v9, %v9
  %v11 = mul i32 %v10, %v10
  %v12 = mul i32 %v11, %v11
  %v13 = mul i32 %v12, %v12
  %v14 = mul i32 %v13, %v13
  %v15 = mul i32 %v14, %v14
  %v16 = mul i32 %v15, %v15
  %v17 = mul i32 %v16, %v16
  %v18 = mul i32 %v17, %v17
  %v19 = mul i32 %v18, %v18
  %v20 = mul i32 %v19, %v19
  %at = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 %v20, ptr %at
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @short(ptr %p, i32 %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %v0 = xor i32 %a, 77
  %v1 = mul i32 %v0, %v0
  %v2 = mul i32 %v1, %v1
  %at = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 %v2, ptr %at
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Obviously varying values are cheap for the vectorizer.
define void @of_the_iteration(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %v0 = trunc i64 %i to i32
  %v1 = mul i32 %v0, %v0
  %v2 = mul i32 %v1, %v1
  %v3 = mul i32 %v2, %v2
  %v4 = mul i32 %v3, %v3
  %v5 = mul i32 %v4, %v4
  %v6 = mul i32 %v5, %v5
  %v7 = mul i32 %v6, %v6
  %v8 = mul i32 %v7, %v7
  %v9 = mul i32 %v8, %v8
  %v10 = mul i32 %v9, %v9
  %v11 = mul i32 %v10, %v10
  %v12 = mul i32 %v11, %v11
  %v13 = mul i32 %v12, %v12
  %v14 = mul i32 %v13, %v13
  %v15 = mul i32 %v14, %v14
  %v16 = mul i32 %v15, %v15
  %v17 = mul i32 %v16, %v16
  %v18 = mul i32 %v17, %v17
  %v19 = mul i32 %v18, %v18
  %v20 = mul i32 %v19, %v19
  %at = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 %v20, ptr %at
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
