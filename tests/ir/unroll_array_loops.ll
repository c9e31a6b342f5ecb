; RUN: heddle-opt -passes=loop-simplify,unroll-array-loops,simplifycfg,sroa,report-local-arrays -S %s | FileCheck %s
; Loops that select the elements of local arrays are unrolled, also outer ones; other loops stay.

; sum[i * 2 + j] += a[i] * k for k in range(n): the loops over i and j vanish, that over k stays.
; CHECK-LABEL: @nested(
; CHECK-NOT: alloca
; CHECK: %k = phi i32 [ 0, %entry ]
; CHECK-NOT: phi i32
; CHECK-COUNT-4: fadd float
; CHECK-NOT: fadd
; CHECK: ret void
define void @nested(ptr addrspace(1) %x, ptr addrspace(1) %out, i32 %n) {
entry:
  %sum = alloca [4 x float]
  call void @llvm.memset.p0.i64(ptr align 4 %sum, i8 0, i64 16, i1 false)
  br label %k.loop
k.loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %k.latch ]
  %px = getelementptr float, ptr addrspace(1) %x, i32 %k
  %v = load float, ptr addrspace(1) %px
  br label %i.loop
i.loop:
  %i = phi i32 [ 0, %k.loop ], [ %i1, %i.latch ]
  br label %j.loop
j.loop:
  %j = phi i32 [ 0, %i.loop ], [ %j1, %j.loop ]
  %row = mul i32 %i, 2
  %at = add i32 %row, %j
  %p = getelementptr [4 x float], ptr %sum, i32 0, i32 %at
  %old = load float, ptr %p
  %new = fadd float %old, %v
  store float %new, ptr %p
  %j1 = add i32 %j, 1
  %j.more = icmp ult i32 %j1, 2
  br i1 %j.more, label %j.loop, label %i.latch
i.latch:
  %i1 = add i32 %i, 1
  %i.more = icmp ult i32 %i1, 2
  br i1 %i.more, label %i.loop, label %k.latch
k.latch:
  %k1 = add i32 %k, 1
  %k.more = icmp ult i32 %k1, %n
  br i1 %k.more, label %k.loop, label %exit
exit:
  %p3 = getelementptr [4 x float], ptr %sum, i32 0, i32 3
  %first = load float, ptr %sum
  %last = load float, ptr %p3
  %out1 = getelementptr float, ptr addrspace(1) %out, i32 1
  store float %first, ptr addrspace(1) %out
  store float %last, ptr addrspace(1) %out1
  ret void
}

; for i in range(3): for j in range(i + 1, 3): swap(a[i], a[j]): the trip count of the inner loop depends on i.
; CHECK-LABEL: @triangle(
; CHECK-NOT: alloca
; CHECK-COUNT-3: call i32 @llvm.umin.i32
; CHECK-NOT: call i32 @llvm.umin.i32
; CHECK: ret void
define void @triangle(ptr addrspace(1) %x) {
entry:
  %a = alloca [3 x i32]
  br label %fill
fill:
  %f = phi i32 [ 0, %entry ], [ %f1, %fill ]
  %from = getelementptr i32, ptr addrspace(1) %x, i32 %f
  %given = load i32, ptr addrspace(1) %from
  %to = getelementptr [3 x i32], ptr %a, i32 0, i32 %f
  store i32 %given, ptr %to
  %f1 = add i32 %f, 1
  %f.more = icmp ult i32 %f1, 3
  br i1 %f.more, label %fill, label %i.loop
i.loop:
  %i = phi i32 [ 0, %fill ], [ %i1, %i.latch ]
  %i1 = add nuw nsw i32 %i, 1
  br label %j.loop
j.loop:
  %j = phi i32 [ %i1, %i.loop ], [ %j1, %body ]
  %j.more = icmp ult i32 %j, 3
  br i1 %j.more, label %body, label %i.latch
body:
  %pi = getelementptr [3 x i32], ptr %a, i32 0, i32 %i
  %pj = getelementptr [3 x i32], ptr %a, i32 0, i32 %j
  %vi = load i32, ptr %pi
  %vj = load i32, ptr %pj
  %low = call i32 @llvm.umin.i32(i32 %vi, i32 %vj)
  %high = call i32 @llvm.umax.i32(i32 %vi, i32 %vj)
  store i32 %low, ptr %pi
  store i32 %high, ptr %pj
  %j1 = add nuw nsw i32 %j, 1
  br label %j.loop
i.latch:
  %i.more = icmp ult i32 %i1, 2
  br i1 %i.more, label %i.loop, label %exit
exit:
  %result = load i32, ptr %a
  store i32 %result, ptr addrspace(1) %x
  ret void
}

; A table of constants selects the elements: weights[order[i]].
; CHECK-LABEL: @table(
; CHECK-NOT: alloca
; CHECK: ret i32
@order = internal constant [4 x i32] [i32 2, i32 0, i32 3, i32 1]
define i32 @table(i32 %x) {
entry:
  %weights = alloca [4 x i32]
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %po = getelementptr [4 x i32], ptr @order, i32 0, i32 %i
  %o = load i32, ptr %po
  %p = getelementptr [4 x i32], ptr %weights, i32 0, i32 %o
  %v = mul i32 %x, %i
  store i32 %v, ptr %p
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 4
  br i1 %more, label %loop, label %exit
exit:
  %p1 = getelementptr [4 x i32], ptr %weights, i32 0, i32 1
  %result = load i32, ptr %p1
  ret i32 %result
}

; A load at an index from data selects among the elements, if they are few.
; CHECK-LABEL: @selects(
; CHECK-NOT: alloca
; CHECK: %[[ONE:.*]] = icmp eq i32 %n, 1
; CHECK: select i1 %[[ONE]]
; CHECK: %[[TWO:.*]] = icmp eq i32 %n, 2
; CHECK: select i1 %[[TWO]]
; CHECK: ret i32
define i32 @selects(i32 %n, i32 %x) {
entry:
  %few = alloca [3 x i32]
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %p = getelementptr [3 x i32], ptr %few, i32 0, i32 %i
  %v = mul i32 %x, %i
  store i32 %v, ptr %p
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 3
  br i1 %more, label %loop, label %exit
exit:
  %pn = getelementptr [3 x i32], ptr %few, i32 0, i32 %n
  %result = load i32, ptr %pn
  ret i32 %result
}

; These arrays stay in memory: the index comes from data, the address escapes, the trip count is unknown, the loop must
; not be unrolled. No loop is unrolled for them.
; CHECK-LABEL: @stays(
; CHECK: %data = alloca
; CHECK: %escaped = alloca
; CHECK: %unknown = alloca
; CHECK: %pragma = alloca
; CHECK: icmp ult i32 %i1, 4
; CHECK: icmp ult i32 %j1, %n
; CHECK: icmp ult i32 %k1, 4
; CHECK: ret i32
define i32 @stays(i32 %n, ptr addrspace(1) %x) {
entry:
  %data = alloca [9 x i32]
  %escaped = alloca [4 x i32]
  %unknown = alloca [4 x i32]
  %pragma = alloca [4 x i32]
  store ptr %escaped, ptr addrspace(1) %x
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %pd = getelementptr [9 x i32], ptr %data, i32 0, i32 %i
  store i32 %i, ptr %pd
  %pe = getelementptr [4 x i32], ptr %escaped, i32 0, i32 %i
  store i32 %i, ptr %pe
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 4
  br i1 %more, label %loop, label %j.loop
j.loop:
  %j = phi i32 [ 0, %loop ], [ %j1, %j.loop ]
  %pu = getelementptr [4 x i32], ptr %unknown, i32 0, i32 %j
  store i32 %j, ptr %pu
  %j1 = add i32 %j, 1
  %j.more = icmp ult i32 %j1, %n
  br i1 %j.more, label %j.loop, label %k.loop
k.loop:
  %k = phi i32 [ 0, %j.loop ], [ %k1, %k.loop ]
  %pp = getelementptr [4 x i32], ptr %pragma, i32 0, i32 %k
  store i32 %k, ptr %pp
  %k1 = add i32 %k, 1
  %k.more = icmp ult i32 %k1, 4
  br i1 %k.more, label %k.loop, label %exit, !llvm.loop !0
exit:
  %at = load i32, ptr addrspace(1) %x
  %p = getelementptr [9 x i32], ptr %data, i32 0, i32 %at
  %a = load i32, ptr %p
  %p2 = getelementptr [4 x i32], ptr %unknown, i32 0, i32 2
  %b = load i32, ptr %p2
  %p3 = getelementptr [4 x i32], ptr %pragma, i32 0, i32 3
  %c = load i32, ptr %p3
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %c
  ret i32 %abc
}

; The first loop of a function with many others.
; CHECK-LABEL: @many(
; CHECK-NOT: alloca
; CHECK: br label %loop1
; CHECK: ret float %x
define float @many(float %x, i32 %n, ptr addrspace(1) %out) {
entry:
  %a = alloca [3 x float]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %next, %fill ]
  %p = getelementptr float, ptr %a, i32 %i
  store float %x, ptr %p
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 3
  br i1 %more, label %fill, label %loop1
loop1:
  %i1 = phi i32 [ 0, %fill ], [ %next1, %loop1 ]
  store volatile i32 %i1, ptr addrspace(1) %out
  %next1 = add i32 %i1, 1
  %more1 = icmp ult i32 %next1, %n
  br i1 %more1, label %loop1, label %loop2
loop2:
  %i2 = phi i32 [ 0, %loop1 ], [ %next2, %loop2 ]
  store volatile i32 %i2, ptr addrspace(1) %out
  %next2 = add i32 %i2, 1
  %more2 = icmp ult i32 %next2, %n
  br i1 %more2, label %loop2, label %loop3
loop3:
  %i3 = phi i32 [ 0, %loop2 ], [ %next3, %loop3 ]
  store volatile i32 %i3, ptr addrspace(1) %out
  %next3 = add i32 %i3, 1
  %more3 = icmp ult i32 %next3, %n
  br i1 %more3, label %loop3, label %loop4
loop4:
  %i4 = phi i32 [ 0, %loop3 ], [ %next4, %loop4 ]
  store volatile i32 %i4, ptr addrspace(1) %out
  %next4 = add i32 %i4, 1
  %more4 = icmp ult i32 %next4, %n
  br i1 %more4, label %loop4, label %loop5
loop5:
  %i5 = phi i32 [ 0, %loop4 ], [ %next5, %loop5 ]
  store volatile i32 %i5, ptr addrspace(1) %out
  %next5 = add i32 %i5, 1
  %more5 = icmp ult i32 %next5, %n
  br i1 %more5, label %loop5, label %loop6
loop6:
  %i6 = phi i32 [ 0, %loop5 ], [ %next6, %loop6 ]
  store volatile i32 %i6, ptr addrspace(1) %out
  %next6 = add i32 %i6, 1
  %more6 = icmp ult i32 %next6, %n
  br i1 %more6, label %loop6, label %loop7
loop7:
  %i7 = phi i32 [ 0, %loop6 ], [ %next7, %loop7 ]
  store volatile i32 %i7, ptr addrspace(1) %out
  %next7 = add i32 %i7, 1
  %more7 = icmp ult i32 %next7, %n
  br i1 %more7, label %loop7, label %loop8
loop8:
  %i8 = phi i32 [ 0, %loop7 ], [ %next8, %loop8 ]
  store volatile i32 %i8, ptr addrspace(1) %out
  %next8 = add i32 %i8, 1
  %more8 = icmp ult i32 %next8, %n
  br i1 %more8, label %loop8, label %loop9
loop9:
  %i9 = phi i32 [ 0, %loop8 ], [ %next9, %loop9 ]
  store volatile i32 %i9, ptr addrspace(1) %out
  %next9 = add i32 %i9, 1
  %more9 = icmp ult i32 %next9, %n
  br i1 %more9, label %loop9, label %loop10
loop10:
  %i10 = phi i32 [ 0, %loop9 ], [ %next10, %loop10 ]
  store volatile i32 %i10, ptr addrspace(1) %out
  %next10 = add i32 %i10, 1
  %more10 = icmp ult i32 %next10, %n
  br i1 %more10, label %loop10, label %loop11
loop11:
  %i11 = phi i32 [ 0, %loop10 ], [ %next11, %loop11 ]
  store volatile i32 %i11, ptr addrspace(1) %out
  %next11 = add i32 %i11, 1
  %more11 = icmp ult i32 %next11, %n
  br i1 %more11, label %loop11, label %loop12
loop12:
  %i12 = phi i32 [ 0, %loop11 ], [ %next12, %loop12 ]
  store volatile i32 %i12, ptr addrspace(1) %out
  %next12 = add i32 %i12, 1
  %more12 = icmp ult i32 %next12, %n
  br i1 %more12, label %loop12, label %exit
exit:
  %last = getelementptr float, ptr %a, i32 2
  %v = load float, ptr %last
  ret float %v
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}

; CHECK: !{!"nested: 'sum' is in registers: the loops that select its elements are unrolled"}
; CHECK: !{!"triangle: 'a' is in registers: the loops that select its elements are unrolled"}
; CHECK: !{!"table: 'weights' is in registers: the loops that select its elements are unrolled"}
; CHECK: !{!"stays: 'data' stays in local memory: its index is not known at compile time"}
; CHECK: !{!"stays: 'escaped' stays in local memory: its address is used other than by loads and stores"}
; CHECK: !{!"stays: 'unknown' stays in local memory: its index is the counter of a loop without a constant number of iterations"}
; CHECK: !{!"stays: 'pragma' stays in local memory: its index is the counter of a loop that must not be unrolled"}
; CHECK: !{!"many: 'a' is in registers: the loops that select its elements are unrolled"}
