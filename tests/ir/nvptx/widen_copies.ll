; RUN: heddle-opt -passes=nvptx-widen-copies -S %s | FileCheck %s
; Aligned copies of 16 and 32 bytes become vectors; unaligned, volatile and long copies stay.

; CHECK-LABEL: @copies(
; CHECK: %[[A:.*]] = load <4 x i32>, ptr addrspace(1) %{{.*}}, align 16
; CHECK: store <4 x i32> %[[A]], ptr addrspace(3) %{{.*}}, align 16
; CHECK: load <4 x i32>, ptr addrspace(1) %{{.*}}, align 16
; CHECK: load <4 x i32>, ptr addrspace(1) %{{.*}}, align 16
; CHECK: store <4 x i32>
; CHECK: store <4 x i32>
; CHECK: call void @llvm.memcpy{{.*}}align 8
; CHECK: call void @llvm.memcpy{{.*}}i1 true
; CHECK: call void @llvm.memcpy{{.*}}i64 1024
; CHECK: call void @llvm.memcpy{{.*}}i64 24
define void @copies(ptr addrspace(3) %to, ptr addrspace(1) %from) {
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 16 %to, ptr addrspace(1) align 16 %from, i64 16, i1 false)
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 16 %to, ptr addrspace(1) align 32 %from, i64 32, i1 false)
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 8 %to, ptr addrspace(1) align 16 %from, i64 16, i1 false)
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 16 %to, ptr addrspace(1) align 16 %from, i64 16, i1 true)
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 16 %to, ptr addrspace(1) align 16 %from, i64 1024, i1 false)
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 16 %to, ptr addrspace(1) align 16 %from, i64 24, i1 false)
  ret void
}

declare void @llvm.memcpy.p3.p1.i64(ptr addrspace(3), ptr addrspace(1), i64, i1)
