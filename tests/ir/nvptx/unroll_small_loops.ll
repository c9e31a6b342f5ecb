; RUN: heddle-opt -passes=nvptx-unroll-small-loops -S %s | FileCheck %s
; A small innermost loop is unrolled eight times; loops with barriers or constant trip counts are left to LLVM.
; A short loop that takes a division stays rolled.

; CHECK-LABEL: define float @sum(
; CHECK: br i1 %more, label %loop, label %exit, !llvm.loop ![[LOOP:[0-9]+]]
; CHECK-LABEL: define void @waits(
; CHECK: br i1 %more, label %loop, label %exit{{$}}
; CHECK-LABEL: define float @eight(
; CHECK: br i1 %more, label %loop, label %exit{{$}}
; CHECK-LABEL: define float @strided(
; CHECK: br i1 %more, label %loop, label %exit, !llvm.loop ![[STRIDED:[0-9]+]]
; CHECK-LABEL: define float @strided_in_shared_memory(
; CHECK: br i1 %more, label %loop, label %exit{{$}}
; CHECK-LABEL: define i32 @count_by_switch(
; CHECK: br i1 %more, label %loop, label %exit, !llvm.loop ![[SWITCH:[0-9]+]]
; CHECK-LABEL: define float @sum_if_positive(
; CHECK: br i1 %more, label %loop, label %exit, !llvm.loop ![[IF:[0-9]+]]
; CHECK-LABEL: define float @short_in_shared_memory(
; CHECK: br i1 %more, label %loop, label %exit, !llvm.loop ![[SHORT:[0-9]+]]
; CHECK-LABEL: define float @large(
; CHECK: br i1 %more, label %loop, label %exit, !llvm.loop ![[LARGE:[0-9]+]]
; CHECK-LABEL: define float @large_with_store(
; CHECK: br i1 %more, label %loop, label %exit{{$}}
; CHECK-LABEL: define float @sum_twice(
; CHECK: br i1 %more, label %loop, label %between, !llvm.loop ![[FIRST:[0-9]+]]
; CHECK: br i1 %morej, label %loop2, label %exit, !llvm.loop ![[SECOND:[0-9]+]]
; CHECK-LABEL: define void @copy(
; CHECK: br i1 %more, label %loop, label %exit, !llvm.loop ![[COPY:[0-9]+]]
; CHECK: ![[LOOP]] = distinct !{![[LOOP]], ![[EIGHT:[0-9]+]], ![[REST:[0-9]+]]}
; CHECK: ![[EIGHT]] = !{!"llvm.loop.unroll.count", i32 8}
; CHECK: ![[REST]] = !{!"llvm.loop.unroll.followup_remainder", ![[PARTS:[0-9]+]], !{{[0-9]+}}}
; CHECK: ![[PARTS]] = !{!"heddle.remainder", i32 8}
; CHECK: ![[STRIDED]] = distinct !{![[STRIDED]], ![[EIGHT]], ![[REST]]}
; CHECK: ![[SWITCH]] = distinct !{![[SWITCH]], ![[FOUR:[0-9]+]]}
; CHECK: ![[FOUR]] = !{!"llvm.loop.unroll.count", i32 4}
; CHECK: ![[IF]] = distinct !{![[IF]], ![[EIGHT]], ![[REST]]}
; CHECK: ![[SHORT]] = distinct !{![[SHORT]], ![[ROLLED:[0-9]+]]}
; CHECK: ![[ROLLED]] = !{!"llvm.loop.unroll.runtime.disable"}
; CHECK: ![[LARGE]] = distinct !{![[LARGE]], ![[FOUR]]}
; CHECK: ![[FIRST]] = distinct !{![[FIRST]], ![[FOUR]]}
; CHECK: ![[SECOND]] = distinct !{![[SECOND]], ![[FOUR]]}
; CHECK: ![[COPY]] = distinct !{![[COPY]], ![[FOUR]]}

define float @sum(ptr addrspace(1) %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret float %t
}

define void @waits(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define float @eight(ptr addrspace(1) %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 8
  br i1 %more, label %loop, label %exit
exit:
  ret float %t
}

; The number of iterations is a quotient: that pays for loads of global memory.
define float @strided(ptr addrspace(1) %a, i64 range(i64 0, 1024) %first, i64 range(i64 1, 1025) %step, i64 range(i64 0, 4294967296) %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i64 %i, %step
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret float %t
}

define float @strided_in_shared_memory(ptr addrspace(3) %a, i64 range(i64 0, 1024) %first, i64 range(i64 1, 1025) %step, i64 range(i64 0, 4294967296) %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(3) %a, i64 %i
  %v = load float, ptr addrspace(3) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i64 %i, %step
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret float %t
}

; The branches keep the loads of different iterations apart.
define i32 @count_by_switch(ptr addrspace(1) %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %zeros = phi i32 [ 0, %entry ], [ %zeros.next, %latch ]
  %ones = phi i32 [ 0, %entry ], [ %ones.next, %latch ]
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %i
  %v = load i8, ptr addrspace(1) %p
  switch i8 %v, label %latch [ i8 48, label %zero
                               i8 49, label %one
                               i8 50, label %both ]
zero:
  %zeros.more = add i32 %zeros, 1
  br label %latch
one:
  %ones.more = add i32 %ones, 1
  br label %latch
both:
  %zeros.both = add i32 %zeros, 1
  %ones.both = add i32 %ones, 1
  br label %latch
latch:
  %zeros.next = phi i32 [ %zeros, %loop ], [ %zeros.more, %zero ], [ %zeros, %one ], [ %zeros.both, %both ]
  %ones.next = phi i32 [ %ones, %loop ], [ %ones, %zero ], [ %ones.more, %one ], [ %ones.both, %both ]
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %sum = add i32 %zeros.next, %ones.next
  ret i32 %sum
}

; ptxas replaces the branches of an if-else by predicates.
define float @sum_if_positive(ptr addrspace(1) %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %s = phi float [ 0.0, %entry ], [ %t, %latch ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p
  %positive = fcmp ogt float %v, 0.0
  br i1 %positive, label %then, label %else
then:
  %plus = fadd float %s, %v
  br label %latch
else:
  %minus = fsub float %s, 1.0
  br label %latch
latch:
  %t = phi float [ %plus, %then ], [ %minus, %else ]
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret float %t
}

define float @short_in_shared_memory(ptr addrspace(3) %a, i64 range(i64 0, 1024) %first, i64 range(i64 1, 1025) %step) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(3) %a, i64 %i
  %v = load float, ptr addrspace(3) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i64 %i, %step
  %more = icmp ult i64 %next, 8
  br i1 %more, label %loop, label %exit
exit:
  ret float %t
}

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent

; The loads of four copies of a large loop overlap, unless a store may change what the next copy loads.
define float @large(ptr addrspace(1) %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p
  %f0 = fmul float %v, %v
  %f1 = fmul float %f0, %v
  %f2 = fmul float %f1, %v
  %f3 = fmul float %f2, %v
  %f4 = fmul float %f3, %v
  %f5 = fmul float %f4, %v
  %f6 = fmul float %f5, %v
  %f7 = fmul float %f6, %v
  %f8 = fmul float %f7, %v
  %f9 = fmul float %f8, %v
  %f10 = fmul float %f9, %v
  %f11 = fmul float %f10, %v
  %f12 = fmul float %f11, %v
  %f13 = fmul float %f12, %v
  %f14 = fmul float %f13, %v
  %f15 = fmul float %f14, %v
  %f16 = fmul float %f15, %v
  %f17 = fmul float %f16, %v
  %f18 = fmul float %f17, %v
  %f19 = fmul float %f18, %v
  %f20 = fmul float %f19, %v
  %f21 = fmul float %f20, %v
  %f22 = fmul float %f21, %v
  %f23 = fmul float %f22, %v
  %f24 = fmul float %f23, %v
  %f25 = fmul float %f24, %v
  %f26 = fmul float %f25, %v
  %f27 = fmul float %f26, %v
  %f28 = fmul float %f27, %v
  %f29 = fmul float %f28, %v
  %f30 = fmul float %f29, %v
  %f31 = fmul float %f30, %v
  %f32 = fmul float %f31, %v
  %f33 = fmul float %f32, %v
  %f34 = fmul float %f33, %v
  %f35 = fmul float %f34, %v
  %f36 = fmul float %f35, %v
  %f37 = fmul float %f36, %v
  %f38 = fmul float %f37, %v
  %f39 = fmul float %f38, %v
  %t = fadd float %s, %f39
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret float %t
}

define float @large_with_store(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p
  %f0 = fmul float %v, %v
  %f1 = fmul float %f0, %v
  %f2 = fmul float %f1, %v
  %f3 = fmul float %f2, %v
  %f4 = fmul float %f3, %v
  %f5 = fmul float %f4, %v
  %f6 = fmul float %f5, %v
  %f7 = fmul float %f6, %v
  %f8 = fmul float %f7, %v
  %f9 = fmul float %f8, %v
  %f10 = fmul float %f9, %v
  %f11 = fmul float %f10, %v
  %f12 = fmul float %f11, %v
  %f13 = fmul float %f12, %v
  %f14 = fmul float %f13, %v
  %f15 = fmul float %f14, %v
  %f16 = fmul float %f15, %v
  %f17 = fmul float %f16, %v
  %f18 = fmul float %f17, %v
  %f19 = fmul float %f18, %v
  %f20 = fmul float %f19, %v
  %f21 = fmul float %f20, %v
  %f22 = fmul float %f21, %v
  %f23 = fmul float %f22, %v
  %f24 = fmul float %f23, %v
  %f25 = fmul float %f24, %v
  %f26 = fmul float %f25, %v
  %f27 = fmul float %f26, %v
  %f28 = fmul float %f27, %v
  %f29 = fmul float %f28, %v
  %f30 = fmul float %f29, %v
  %f31 = fmul float %f30, %v
  %f32 = fmul float %f31, %v
  %f33 = fmul float %f32, %v
  %f34 = fmul float %f33, %v
  %f35 = fmul float %f34, %v
  %f36 = fmul float %f35, %v
  %f37 = fmul float %f36, %v
  %f38 = fmul float %f37, %v
  %f39 = fmul float %f38, %v
  %t = fadd float %s, %f39
  store float %t, ptr addrspace(1) %b
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret float %t
}

; Two loops that could have eight copies share them.
define float @sum_twice(ptr addrspace(1) %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %between
between:
  br label %loop2
loop2:
  %j = phi i64 [ 0, %between ], [ %nextj, %loop2 ]
  %u = phi float [ %t, %between ], [ %w, %loop2 ]
  %q = getelementptr float, ptr addrspace(1) %a, i64 %j
  %x = load float, ptr addrspace(1) %q
  %w = fadd float %u, %x
  %nextj = add nuw nsw i64 %j, 1
  %morej = icmp ult i64 %nextj, %n
  br i1 %morej, label %loop2, label %exit
exit:
  ret float %w
}

; A load of the second copy waits for the store of the first, which may change what it loads.
define void @copy(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p
  %q = getelementptr float, ptr addrspace(1) %b, i64 %i
  store float %v, ptr addrspace(1) %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
