; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; Local arrays are interleaved: an access with a uniform index is a vector.

; CHECK-LABEL: define void @same_index(
; CHECK: %a = alloca [4 x [9 x float]], align 16, !heddle.interleaved ![[WORDS:[0-9]+]]
; CHECK: %[[P:.*]] = getelementptr [16 x i8], ptr %a, i64 %i
; CHECK: %[[V:.*]] = load <4 x float>, ptr %[[P]]
; CHECK: %[[Q:.*]] = getelementptr i8, ptr %[[P]], i64 16
; CHECK: store <4 x float> %[[V]], ptr %[[Q]]
define void @same_index(ptr addrspace(1) %out, i64 %i) "simt.kernel" {
  %a = alloca [9 x float]
  %p = getelementptr [9 x float], ptr %a, i64 0, i64 %i
  %v = load float, ptr %p
  %q = getelementptr float, ptr %p, i64 1
  store float %v, ptr %q
  %t = call i32 @simt.tid.x()
  %x = zext i32 %t to i64
  %r = getelementptr float, ptr addrspace(1) %out, i64 %x
  store float %v, ptr addrspace(1) %r
  ret void
}

; Varying indices: a lane's elements are one group apart.
; CHECK-LABEL: define void @own_index(
; CHECK: store <4 x i32> zeroinitializer, ptr %a
; CHECK: getelementptr [16 x i8], <4 x ptr> %{{.*}}, <4 x i64>
; CHECK: call <4 x float> @llvm.masked.gather
define void @own_index(ptr addrspace(1) %out, ptr addrspace(1) %indices) "simt.kernel" {
  %a = alloca [9 x float]
  call void @llvm.memset(ptr %a, i8 0, i64 36, i1 false)
  %t = call i32 @simt.tid.x()
  %x = zext i32 %t to i64
  %at = getelementptr i64, ptr addrspace(1) %indices, i64 %x
  %i = load i64, ptr addrspace(1) %at
  %p = getelementptr [9 x float], ptr %a, i64 0, i64 %i
  %v = load float, ptr %p
  %r = getelementptr float, ptr addrspace(1) %out, i64 %x
  store float %v, ptr addrspace(1) %r
  ret void
}

; Accesses of several sizes: each lane's array stays contiguous.
; CHECK-LABEL: define void @several_sizes(
; CHECK: %a = alloca [4 x [8 x float]], align 4{{$}}
define void @several_sizes(ptr addrspace(1) %out, i64 %i, i64 %j) "simt.kernel" {
  %a = alloca [8 x float]
  %p = getelementptr [8 x float], ptr %a, i64 0, i64 %i
  store double 1.0, ptr %p
  %q = getelementptr [8 x float], ptr %a, i64 0, i64 %j
  %v = load float, ptr %q
  %t = call i32 @simt.tid.x()
  %x = zext i32 %t to i64
  %r = getelementptr float, ptr addrspace(1) %out, i64 %x
  store float %v, ptr addrspace(1) %r
  ret void
}

; CHECK: ![[WORDS]] = !{i64 4}
declare i32 @simt.tid.x()
declare void @llvm.memset(ptr, i8, i64, i1)
