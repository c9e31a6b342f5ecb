; RUN: heddle-opt -passes=nvptx-privatize-counters -S %s | FileCheck %s
; A block counts the first elements of an array in shared memory, and adds its sums to the array at the end.

; CHECK: @counters = internal addrspace(3) global [1024 x i32] poison, align 16
; CHECK-LABEL: define void @histogram(
; CHECK: counters{{[0-9]*}}:
; CHECK: %[[NUMBER:.*]] = phi i64
; CHECK: icmp ult i64 %[[NUMBER]], 1024
; CHECK: store i32 0, ptr addrspace(3)
; CHECK: call void @simt.barrier(i32 0)
; CHECK: loop:
; CHECK: %[[FEW:.*]] = icmp ult i64 %bin, 1024
; CHECK: br i1 %[[FEW]]
; CHECK: call i32 @simt.atomic.add.i32.p3(ptr addrspace(3) %{{.*}}, i32 1, i32 0)
; CHECK: call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %p, i32 1, i32 1)
; CHECK: call void @simt.barrier(i32 0)
; CHECK: %[[SUM:.*]] = load i32, ptr addrspace(3)
; CHECK: icmp ne i32 %[[SUM]], 0
; CHECK: call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %{{.*}}, i32 %[[SUM]], i32 1)
define void @histogram(ptr addrspace(1) noalias %counts, ptr addrspace(1) noalias %bins, i64 %n) "simt.kernel" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr i64, ptr addrspace(1) %bins, i64 %i
  %bin = load i64, ptr addrspace(1) %q
  %p = getelementptr i32, ptr addrspace(1) %counts, i64 %bin
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %p, i32 1, i32 1)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Unchanged if the kernel has barriers (which early returns must not skip), if the old value is used, if the array is
; also read, if another array may alias, if there is no loop, and for floating-point sums, which depend on the order.
; CHECK-NOT: addrspace(3)
; CHECK-LABEL: define void @used(
; CHECK-LABEL: define void @read(
; CHECK-LABEL: define void @overlapping(
; CHECK-LABEL: define void @once(
; CHECK-LABEL: define void @floats(
; CHECK-LABEL: define void @waits(
; CHECK-NOT: addrspace(3)
; CHECK: declare
define void @used(ptr addrspace(1) noalias %counts, i64 %n) "simt.kernel" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %counts, i64 %i
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %p, i32 1, i32 1)
  %wide = sext i32 %old to i64
  %next = add i64 %i, %wide
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @read(ptr addrspace(1) noalias %counts, i64 %n) "simt.kernel" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %counts, i64 %i
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %p, i32 1, i32 1)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %v = load i32, ptr addrspace(1) %counts
  ret void
}

define void @overlapping(ptr addrspace(1) %counts, i64 %n) "simt.kernel" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %counts, i64 %i
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %p, i32 1, i32 1)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @once(ptr addrspace(1) noalias %counts, i64 %n) "simt.kernel" {
  %p = getelementptr i32, ptr addrspace(1) %counts, i64 %n
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %p, i32 1, i32 1)
  ret void
}

define void @floats(ptr addrspace(1) noalias %sums, i64 %n) "simt.kernel" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr addrspace(1) %sums, i64 %i
  %old = call float @simt.atomic.add.f32.p1(ptr addrspace(1) %p, float 1.0, i32 1)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @waits(ptr addrspace(1) noalias %counts, i64 %n) "simt.kernel" {
entry:
  %none = icmp eq i64 %n, 0
  br i1 %none, label %exit, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %counts, i64 %i
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %p, i32 1, i32 1)
  call void @simt.barrier(i32 0)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

declare void @simt.barrier(i32) convergent
declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32)
declare float @simt.atomic.add.f32.p1(ptr addrspace(1), float, i32)

; CHECK: !{!"histogram: each block counts in shared memory what it adds to the first 1024 elements of array counts"}
