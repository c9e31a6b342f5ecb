; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; Indices of an array with few elements are computed in 32 bits, even after InstCombine has rewritten their sums.

; A loaded index that counts from the end if negative.
; CHECK-LABEL: define void @wrapped(
; CHECK: trunc i64 %n to i32
; CHECK: %[[SUM:.*]] = add <4 x i32>
; CHECK-NEXT: %[[WIDE:.*]] = sext <4 x i32> %[[SUM]] to <4 x i64>
; CHECK: %[[PLACES:.*]] = getelementptr float, ptr addrspace(1) %x, <4 x i64> %[[WIDE]]
; CHECK: @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %[[PLACES]]
define void @wrapped(ptr addrspace(1) noalias readonly "simt.few-elements-of"="4" %x, i64 range(i64 0, 2147483648) %n, ptr addrspace(1) noalias readonly %columns, ptr addrspace(1) noalias %out) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %c = getelementptr i32, ptr addrspace(1) %columns, i32 %t
  %i = load i32, ptr addrspace(1) %c, align 4
  %wide = sext i32 %i to i64
  %from_end = add i64 %wide, %n
  %negative = icmp slt i32 %i, 0
  %index = select i1 %negative, i64 %from_end, i64 %wide
  %p = getelementptr inbounds float, ptr addrspace(1) %x, i64 %index
  %v = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i32 %t
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; A matrix row and an index in it.
; CHECK-LABEL: define void @rows(
; CHECK: mul <4 x i32>
; CHECK: sext <4 x i32> %{{.*}} to <4 x i64>
define void @rows(ptr addrspace(1) noalias readonly "simt.few-elements-of"="4" %x, i64 range(i64 0, 2147483648) %n, ptr addrspace(1) noalias readonly %columns, ptr addrspace(1) noalias %out) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %c = getelementptr i32, ptr addrspace(1) %columns, i32 %t
  %i = load i32, ptr addrspace(1) %c, align 4
  %wide = sext i32 %i to i64
  %row = mul nsw i64 %wide, %n
  %index = add nsw i64 %row, %n
  %p = getelementptr inbounds float, ptr addrspace(1) %x, i64 %index
  %v = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i32 %t
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; The low half of a shift by 32 or more is not a shift of the low half.
; CHECK-LABEL: define void @far(
; CHECK: shl{{.*}} <4 x i64>
; CHECK-NOT: shl <4 x i32>
; CHECK: ret void
define void @far(ptr addrspace(1) noalias readonly "simt.few-elements-of"="4" %x, i64 %n, ptr addrspace(1) noalias readonly %columns, ptr addrspace(1) noalias %out) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %c = getelementptr i32, ptr addrspace(1) %columns, i32 %t
  %i = load i32, ptr addrspace(1) %c, align 4
  %wide = sext i32 %i to i64
  %shifted = shl i64 %wide, 33
  %index = xor i64 %shifted, %n
  %p = getelementptr inbounds float, ptr addrspace(1) %x, i64 %index
  %v = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i32 %t
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; An array of floats that is read as bytes may have more than 2^31 of them.
; CHECK-LABEL: define void @bytes(
; CHECK: mul{{.*}} <4 x i64>
define void @bytes(ptr addrspace(1) noalias readonly "simt.few-elements-of"="4" %x, i64 range(i64 0, 2147483648) %n, ptr addrspace(1) noalias readonly %columns, ptr addrspace(1) noalias %out) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %c = getelementptr i32, ptr addrspace(1) %columns, i32 %t
  %i = load i32, ptr addrspace(1) %c, align 4
  %wide = sext i32 %i to i64
  %index = mul nsw i64 %wide, %n
  %p = getelementptr inbounds i8, ptr addrspace(1) %x, i64 %index
  %v = load i8, ptr addrspace(1) %p, align 1
  %q = getelementptr i8, ptr addrspace(1) %out, i32 %t
  store i8 %v, ptr addrspace(1) %q, align 1
  ret void
}

declare i32 @simt.tid.x()
