; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; If no lane of a group is past the end of a row, a wrapped index is strided.

; CHECK-LABEL: define void @masked_index(
; CHECK: %[[FIRST:.*]] = and i64 %mask, %
; CHECK: %[[LAST:.*]] = and i64 %mask, %
; CHECK: %[[SPAN:.*]] = sub i64 %[[LAST]], %[[FIRST]]
; CHECK: icmp eq i64 %[[SPAN]], 3
; CHECK: br i1 %{{.*}}, label %inside, label %clamped
; CHECK: inside:
; CHECK-NOT: gather
; CHECK: load <4 x float>, ptr addrspace(1)
; CHECK: clamped:
; CHECK: masked.gather
define void @masked_index(ptr addrspace(1) noalias %row, ptr addrspace(1) noalias %out, i64 %mask) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %wide = sext i32 %t to i64
  %i = and i64 %wide, %mask
  %p = getelementptr float, ptr addrspace(1) %row, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i64 %wide
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; Stores of a butterfly, with addresses computed from a remainder and a quotient.
; CHECK-LABEL: define void @butterfly(
; CHECK: inside:
; CHECK: store <4 x float>
; CHECK: store <4 x float>
; CHECK: clamped:
; CHECK: masked.scatter
define void @butterfly(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %from, i64 %stride) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %wide = zext i32 %t to i64
  %x = getelementptr float, ptr addrspace(1) %from, i64 %wide
  %v = load float, ptr addrspace(1) %x, align 4
  %low = urem i64 %wide, %stride
  %piece = udiv i64 %wide, %stride
  %twice = mul i64 %piece, 2
  %start = mul i64 %twice, %stride
  %i = add i64 %start, %low
  %j = add i64 %i, %stride
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %q = getelementptr float, ptr addrspace(1) %a, i64 %j
  store float %v, ptr addrspace(1) %p, align 4
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; The row of a flattened index is uniform.
; CHECK-LABEL: define void @row(
; CHECK: inside:
; CHECK: load float, ptr addrspace(1)
; CHECK: clamped:
; CHECK: masked.gather
define void @row(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %out, i64 %columns) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %wide = zext i32 %t to i64
  %i = udiv i64 %wide, %columns
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i64 %wide
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; A known bit above the bits of a group.
; CHECK-LABEL: define void @other_half(
; CHECK-NOT: gather
; CHECK: ret void
define void @other_half(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %out) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %other = xor i32 %t, 32
  %i = sext i32 %other to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %wide = sext i32 %t to i64
  %q = getelementptr float, ptr addrspace(1) %out, i64 %wide
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

declare i32 @simt.tid.x()
