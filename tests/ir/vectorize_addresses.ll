; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; Detection of consecutive accesses. The extent along x and lane 0's index are multiples of the width.

; An extended 32-bit index does not wrap within a group that starts at a multiple of the width.
; CHECK-LABEL: define void @aligned(
; CHECK: load <4 x float>, ptr addrspace(1)
define void @aligned(ptr addrspace(1) %a) "simt.kernel" {
  %b = call i32 @simt.ctaid.x()
  %n = call i32 @simt.ntid.x()
  %t = call i32 @simt.tid.x()
  %start = mul i32 %b, %n
  %i = add i32 %start, %t
  %index = zext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %index
  %v = load float, ptr addrspace(1) %p, align 4
  call void @simt.barrier(i32 0)
  store float %v, ptr addrspace(1) %a, align 4
  ret void
}

; Adjacent elements without known alignment: the signed sum does not wrap.
; CHECK-LABEL: define void @neighbour(
; CHECK: load <4 x float>, ptr addrspace(1)
define void @neighbour(ptr addrspace(1) %a) "simt.kernel" {
  %b = call i32 @simt.ctaid.x()
  %n = call i32 @simt.ntid.x()
  %t = call i32 @simt.tid.x()
  %start = mul i32 %b, %n
  %i = add i32 %start, %t
  %next = add nsw i32 %i, -1
  %index = sext i32 %next to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %index
  %v = load float, ptr addrspace(1) %p, align 4
  call void @simt.barrier(i32 0)
  store float %v, ptr addrspace(1) %a, align 4
  ret void
}

; A sum that may wrap between two lanes.
; CHECK-LABEL: define void @wrapping(
; CHECK: call <4 x float> @llvm.masked.gather
define void @wrapping(ptr addrspace(1) %a, i32 %from) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = add i32 %from, %t
  %index = zext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %index
  %v = load float, ptr addrspace(1) %p, align 4
  call void @simt.barrier(i32 0)
  store float %v, ptr addrspace(1) %a, align 4
  ret void
}

; Shared memory has less than 2^31 elements: its indices are treated as signed, and cannot wrap in bounds.
; CHECK-LABEL: define void @in_shared_memory(
; CHECK: %[[INDEX:[0-9]+]] = sext i32 %i to i64
; CHECK: %p = getelementptr float, ptr addrspace(3) %s, i64 %[[INDEX]]
; CHECK: load <4 x float>, ptr addrspace(3) %p
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p1
define void @in_shared_memory(ptr addrspace(1) %a, ptr addrspace(3) %s, i32 %from) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = add i32 %from, %t
  %index = zext i32 %i to i64
  %p = getelementptr inbounds float, ptr addrspace(3) %s, i64 %index
  %v = load float, ptr addrspace(3) %p, align 4
  call void @simt.barrier(i32 0)
  %q = getelementptr inbounds float, ptr addrspace(1) %a, i64 %index
  %w = load float, ptr addrspace(1) %q, align 4
  %sum = fadd float %v, %w
  store float %sum, ptr addrspace(1) %a, align 4
  ret void
}

; Lane 0 may be inactive and its sum may wrap: the scalar has no poison-generating flags.
; CHECK-LABEL: define void @lane_zero_is_off(
; CHECK: %i = add i32 %t, -2{{$}}
define void @lane_zero_is_off(ptr addrspace(3) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  call void @simt.barrier(i32 0)
  %some = icmp ugt i32 %t, 1
  br i1 %some, label %do, label %end
do:
  %i = add nuw i32 %t, -2
  %p = getelementptr float, ptr addrspace(3) %a, i32 %i
  store float 1.0, ptr addrspace(3) %p, align 4
  br label %end
end:
  ret void
}

; An induction variable without wraparound has a stride in 64 bits, even without known alignment.
; CHECK-LABEL: define void @counter(
; CHECK: phi i64
; CHECK: load <4 x float>, ptr addrspace(1)
; CHECK: store <4 x float>
define void @counter(ptr addrspace(1) %a, i32 %start, i32 %step, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %first = add nsw i32 %start, %t
  br label %loop
loop:
  %i = phi i32 [ %first, %0 ], [ %next, %loop ]
  %round = phi i32 [ 0, %0 ], [ %round.next, %loop ]
  %next = add nsw i32 %i, %step
  %index = sext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %index
  %v = load float, ptr addrspace(1) %p, align 4
  call void @simt.barrier(i32 0)
  store float %v, ptr addrspace(1) %p, align 4
  %round.next = add i32 %round, 1
  %more = icmp slt i32 %round.next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; One that may wrap has none.
; CHECK-LABEL: define void @wrapping_counter(
; CHECK: call <4 x float> @llvm.masked.gather
define void @wrapping_counter(ptr addrspace(1) %a, i32 %start, i32 %step, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %first = add nsw i32 %start, %t
  br label %loop
loop:
  %i = phi i32 [ %first, %0 ], [ %next, %loop ]
  %round = phi i32 [ 0, %0 ], [ %round.next, %loop ]
  %next = add i32 %i, %step
  %index = sext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %index
  %v = load float, ptr addrspace(1) %p, align 4
  call void @simt.barrier(i32 0)
  store float %v, ptr addrspace(1) %p, align 4
  %round.next = add i32 %round, 1
  %more = icmp slt i32 %round.next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Shared memory offsets have 32 bits, even if several addresses share parts of their indices.
; CHECK-LABEL: define void @shared(
; CHECK: %[[K:.*]] = mul <4 x i32>
; CHECK: %[[FIRST:.*]] = mul <4 x i32> %[[K]], splat (i32 4)
; CHECK: getelementptr i8, ptr addrspace(3) @s, <4 x i32> %[[FIRST]]
; CHECK: %[[L:.*]] = add <4 x i32> %{{.*}}, splat (i32 12)
; CHECK: getelementptr i8, ptr addrspace(3) @s, <4 x i32> %[[L]]
@s = internal addrspace(3) global [1024 x float] poison
define void @shared(ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %k = mul nsw i32 %t, %t
  %l = add nsw i32 %k, 3
  %first = sext i32 %k to i64
  %second = sext i32 %l to i64
  %p = getelementptr inbounds float, ptr addrspace(3) @s, i64 %first
  %q = getelementptr inbounds float, ptr addrspace(3) @s, i64 %second
  call void @simt.barrier(i32 0)
  %x = load float, ptr addrspace(3) %p, align 4
  %y = load float, ptr addrspace(3) %q, align 4
  %sum = fadd float %x, %y
  store float %sum, ptr addrspace(3) %q, align 4
  ret void
}

; All lanes write one element: the highest lane's value remains.
; CHECK-LABEL: define void @one_place(
; CHECK: %[[LAST:.*]] = extractelement <4 x i32> %{{.*}}, i64 3
; CHECK: store i32 %[[LAST]], ptr addrspace(1) %a
define void @one_place(ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %square = mul i32 %t, %t
  call void @simt.barrier(i32 0)
  store i32 %square, ptr addrspace(1) %a, align 4
  ret void
}
declare i32 @simt.tid.x()
declare i32 @simt.ntid.x()
declare i32 @simt.ctaid.x()
declare void @simt.barrier(i32) convergent
