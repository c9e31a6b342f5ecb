; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; Evenly spaced lanes: vectors of all elements in between, or a separate access per lane.

; Complex numbers: both parts by two loads, and by two stores.
; CHECK-LABEL: define void @parts(
; CHECK: %[[LOW:[0-9]+]] = load <4 x float>, ptr addrspace(1) %{{.*}}, align 4
; CHECK: %[[HIGH:[0-9]+]] = load <4 x float>, ptr addrspace(1) %{{.*}}, align 4
; CHECK: %[[EVEN:[0-9]+]] = shufflevector <4 x float> %[[LOW]], <4 x float> poison, <4 x i32> <i32 0, i32 2, i32 poison, i32 poison>
; CHECK: %[[RE:[0-9]+]] = shufflevector <4 x float> %[[EVEN]], <4 x float> %[[HIGH]], <4 x i32> <i32 0, i32 1, i32 4, i32 6>
; CHECK: %[[ODD:[0-9]+]] = shufflevector <4 x float> %[[LOW]], <4 x float> poison, <4 x i32> <i32 1, i32 3, i32 poison, i32 poison>
; CHECK: %[[IM:[0-9]+]] = shufflevector <4 x float> %[[ODD]], <4 x float> %[[HIGH]], <4 x i32> <i32 0, i32 1, i32 5, i32 7>
; CHECK-NOT: load
; CHECK: %[[FIRST:[0-9]+]] = shufflevector <4 x float> %[[IM]], <4 x float> poison, <4 x i32> <i32 0, i32 poison, i32 1, i32 poison>
; CHECK: shufflevector <4 x float> %[[FIRST]], <4 x float> %[[RE]], <4 x i32> <i32 0, i32 4, i32 2, i32 5>
; CHECK: store <4 x float>
; CHECK: store <4 x float>
; CHECK-NOT: store
define void @parts(ptr addrspace(1) noalias %from, ptr addrspace(1) noalias %to) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr { float, float }, ptr addrspace(1) %from, i64 %i
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  %re = load float, ptr addrspace(1) %p, align 4
  %im = load float, ptr addrspace(1) %q, align 4
  %r = getelementptr { float, float }, ptr addrspace(1) %to, i64 %i
  %s = getelementptr i8, ptr addrspace(1) %r, i64 4
  store float %im, ptr addrspace(1) %r, align 4
  store float %re, ptr addrspace(1) %s, align 4
  ret void
}

; The last vector ends with the last element, because memory may end there.
; CHECK-LABEL: define void @every_second(
; CHECK: %[[SECOND:[0-9]+]] = getelementptr i8, ptr addrspace(1) %{{.*}}, i64 12
; CHECK: load <4 x float>, ptr addrspace(1) %[[SECOND]]
; CHECK: call void @llvm.masked.scatter
define void @every_second(ptr addrspace(1) %a, i64 %by) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr { float, float }, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %there = fptosi float %v to i64
  %q = getelementptr float, ptr addrspace(1) %a, i64 %there
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; Descending.
; CHECK-LABEL: define void @reversed(
; CHECK: %[[LOADED:[0-9]+]] = load <4 x float>, ptr addrspace(1)
; CHECK: shufflevector <4 x float> %[[LOADED]], <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
define void @reversed(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, i64 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %j = sub i64 %n, %i
  %p = getelementptr float, ptr addrspace(1) %a, i64 %j
  %v = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %b, i64 %i
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-LABEL: define void @reversed_by_complement(
; CHECK-NOT: gather
; CHECK: shufflevector <4 x float> %{{[0-9]+}}, <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
define void @reversed_by_complement(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, i64 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %below = xor i64 %i, -1
  %j = add i64 %n, %below
  %p = getelementptr float, ptr addrspace(1) %a, i64 %j
  %v = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %b, i64 %i
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; Rows with a length known only at run time: each lane's elements by one access.
; CHECK-LABEL: define void @rows(
; CHECK: %[[OF_ROW:[0-9]+]] = mul i64 1, %n
; CHECK: %[[STRIDE:[0-9]+]] = mul i64 %[[OF_ROW]], 4
; CHECK: %[[SECOND:[0-9]+]] = getelementptr i8, ptr addrspace(1) %{{[0-9]+}}, i64 %[[STRIDE]]
; CHECK-COUNT-4: load <2 x float>, ptr addrspace(1)
; CHECK-NOT: gather
; CHECK: store <4 x float>
define void @rows(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, i64 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %row = mul i64 %i, %n
  %p = getelementptr float, ptr addrspace(1) %a, i64 %row
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  %x = load float, ptr addrspace(1) %p, align 4
  %y = load float, ptr addrspace(1) %q, align 4
  %sum = fadd float %x, %y
  %r = getelementptr float, ptr addrspace(1) %b, i64 %i
  store float %sum, ptr addrspace(1) %r, align 4
  ret void
}

; A thread reads what it has written: the first store is not delayed.
; CHECK-LABEL: define void @reads_back(
; CHECK-COUNT-4: store float 
; CHECK: load <4 x float>
; CHECK-COUNT-4: store float 
define void @reads_back(ptr addrspace(1) %a, ptr addrspace(1) %b) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr { float, float }, ptr addrspace(1) %a, i64 %i
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  %r = getelementptr float, ptr addrspace(1) %b, i64 %i
  store float 1.0, ptr addrspace(1) %p, align 4
  %v = load float, ptr addrspace(1) %r, align 4
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; A load after a fence does not move before it.
; CHECK-LABEL: define void @fence_between(
; CHECK-COUNT-2: load <4 x float>
; CHECK: call void @simt.fence.device()
; CHECK-COUNT-2: load <4 x float>
define void @fence_between(ptr addrspace(1) %a, ptr addrspace(1) %b) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr { float, float }, ptr addrspace(1) %a, i64 %i
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  %x = load float, ptr addrspace(1) %p, align 4
  call void @simt.fence.device()
  %y = load float, ptr addrspace(1) %q, align 4
  %sum = fadd float %x, %y
  %r = getelementptr float, ptr addrspace(1) %b, i64 %i
  store float %sum, ptr addrspace(1) %r, align 4
  ret void
}

; Every second element of shared memory: the elements in between are loaded and stored back, in vectors that start at
; the variable's start.
; CHECK-LABEL: define void @every_second_shared(
; CHECK: %[[BEGIN:[0-9]+]] = getelementptr i8, ptr addrspace(3) %p, i64 0
; CHECK: %[[WAS:[0-9]+]] = load <4 x float>, ptr addrspace(3) %[[BEGIN]]
; CHECK: %[[MIXED:[0-9]+]] = shufflevector <4 x float> %[[WAS]], <4 x float> %{{.*}}, <4 x i32> <i32 0, i32 4, i32 2, i32 5>
; CHECK: store <4 x float> %[[MIXED]], ptr addrspace(3) %[[BEGIN]]
; CHECK: %[[NEXT:[0-9]+]] = getelementptr i8, ptr addrspace(3) %p, i64 16
; CHECK: load <4 x float>, ptr addrspace(3) %[[NEXT]]
; CHECK: store <4 x float> %{{.*}}, ptr addrspace(3) %[[NEXT]]
define void @every_second_shared(ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %from, align 4
  %p = getelementptr { float, float }, ptr addrspace(3) @pairs, i64 %i
  %q = getelementptr i8, ptr addrspace(3) %p, i64 4
  store float %v, ptr addrspace(3) %q, align 4
  ret void
}

; The element past the last one belongs to the variable, too, if the variable is a whole number of pairs: the vectors
; are aligned with those of other accesses.
; CHECK-LABEL: define void @every_first_shared(
; CHECK: getelementptr i8, ptr addrspace(3) %p, i64 0
; CHECK: getelementptr i8, ptr addrspace(3) %p, i64 16
define void @every_first_shared(ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %from, align 4
  %p = getelementptr { float, float }, ptr addrspace(3) @pairs, i64 %i
  store float %v, ptr addrspace(3) %p, align 4
  ret void
}

; Same for dynamic shared memory, which is padded at the end.
; CHECK-LABEL: define void @every_first_dynamic(
; CHECK: getelementptr i8, ptr addrspace(3) %p, i64 0
; CHECK: getelementptr i8, ptr addrspace(3) %p, i64 16
define void @every_first_dynamic(ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %from, align 4
  %start = call ptr addrspace(3) @simt.shared.dynamic()
  %p = getelementptr { float, float }, ptr addrspace(3) %start, i64 %i
  store float %v, ptr addrspace(3) %p, align 4
  ret void
}

; Past an element at an odd index, or in a variable of odd length, another variable may start.
; CHECK-LABEL: define void @every_first_of_odd(
; CHECK: getelementptr i8, ptr addrspace(3) %p, i64 0
; CHECK: getelementptr i8, ptr addrspace(3) %p, i64 12
; CHECK: getelementptr i8, ptr addrspace(3) %q, i64 0
; CHECK: getelementptr i8, ptr addrspace(3) %q, i64 12
define void @every_first_of_odd(ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %from, align 4
  %even = shl nuw nsw i64 %i, 1
  %p = getelementptr float, ptr addrspace(3) @odd, i64 %even
  store float %v, ptr addrspace(3) %p, align 4
  %block = call i32 @simt.ctaid.x()
  %first = zext nneg i32 %block to i64
  %sum = add nuw nsw i64 %even, %first
  %q = getelementptr float, ptr addrspace(3) @pairs, i64 %sum
  store float %v, ptr addrspace(3) %q, align 4
  ret void
}

; Before an index that may be negative, another variable may end.
; CHECK-LABEL: define void @every_second_somewhere(
; CHECK: getelementptr i8, ptr addrspace(3) %p, i64 4
; CHECK-NOT: getelementptr i8, ptr addrspace(3) %p, i64 0
; CHECK: ret void
define void @every_second_somewhere(ptr addrspace(1) %a, i64 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %from, align 4
  %j = add i64 %i, %n
  %p = getelementptr { float, float }, ptr addrspace(3) @pairs, i64 %j
  %q = getelementptr i8, ptr addrspace(3) %p, i64 4
  store float %v, ptr addrspace(3) %q, align 4
  ret void
}

; In global memory, other threads may write the elements in between.
; CHECK-LABEL: define void @every_second_global(
; CHECK-COUNT-4: store float
define void @every_second_global(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %from, align 4
  %p = getelementptr { float, float }, ptr addrspace(1) %b, i64 %i
  store float %v, ptr addrspace(1) %p, align 4
  ret void
}

@pairs = internal addrspace(3) global [256 x { float, float }] poison, align 16

@odd = internal addrspace(3) global [257 x float] poison, align 16

declare range(i32 0, 1024) i32 @simt.tid.x()
declare range(i32 0, 2147483647) i32 @simt.ctaid.x()
declare ptr addrspace(3) @simt.shared.dynamic()
declare void @simt.fence.device()
