; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; Structures as a whole, and vectors of a single thread.

; A copy is split into elements of the common alignment: all loads precede all stores.
; CHECK-LABEL: define void @copy(
; CHECK-NOT: memcpy
; CHECK-COUNT-4: load <4 x i32>, ptr addrspace(1)
; CHECK-COUNT-4: store <4 x i32> %{{.*}}, ptr addrspace(3)
; CHECK: ret void
define void @copy(ptr addrspace(1) noalias %from) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr [4 x float], ptr addrspace(1) %from, i64 %i
  %q = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %i
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 4 %q, ptr addrspace(1) align 4 %p, i64 16, i1 false)
  ret void
}

; CHECK-LABEL: define void @pairs(
; CHECK: fadd <4 x float>
; CHECK: fadd <4 x float>
; CHECK-NOT: store <2 x float>
; CHECK: ret void
define void @pairs(ptr addrspace(1) noalias %from, ptr addrspace(1) noalias %to) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr <2 x float>, ptr addrspace(1) %from, i64 %i
  %v = load <2 x float>, ptr addrspace(1) %p, align 8
  %sum = fadd <2 x float> %v, <float 1.0, float 2.0>
  %q = getelementptr <2 x float>, ptr addrspace(1) %to, i64 %i
  store <2 x float> %sum, ptr addrspace(1) %q, align 8
  ret void
}

@tile = internal addrspace(3) global [256 x [4 x float]] poison, align 16
declare range(i32 0, 1024) i32 @simt.tid.x()
declare void @llvm.memcpy.p3.p1.i64(ptr addrspace(3), ptr addrspace(1), i64, i1)
