; RUN: heddle-opt -passes=nvptx-widen-copies,nvptx-widen-copies-of-locals -S %s | FileCheck %s
; Copies and fills of constant size use the widest accesses that the alignment allows.

; CHECK-LABEL: @copies(
; CHECK: %[[A:.*]] = load <4 x i32>, ptr addrspace(1) %from, align 16
; CHECK: store <4 x i32> %[[A]], ptr addrspace(3) %to, align 16
; CHECK: load i64, ptr addrspace(1) %from, align 8
; CHECK: store i64 %{{.*}}, ptr addrspace(3) %to, align 8
; CHECK: %[[P:.*]] = getelementptr inbounds i8, ptr addrspace(1) %from, i64 8
; CHECK: load i64, ptr addrspace(1) %[[P]], align 8
; CHECK: call void @llvm.memcpy{{.*}}i1 true
; CHECK: call void @llvm.memcpy{{.*}}i64 %n
; CHECK: load i32, ptr addrspace(1) %from, align 4
; CHECK: load i16, ptr addrspace(1) %{{.*}}, align 2
; CHECK: load i8, ptr addrspace(1) %{{.*}}, align 1
; CHECK: ret void
define void @copies(ptr addrspace(3) %to, ptr addrspace(1) %from, i64 %n) {
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 16 %to, ptr addrspace(1) align 32 %from, i64 16, i1 false)
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 8 %to, ptr addrspace(1) align 16 %from, i64 16, i1 false)
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 16 %to, ptr addrspace(1) align 16 %from, i64 16, i1 true)
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 16 %to, ptr addrspace(1) align 16 %from, i64 %n, i1 false)
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 4 %to, ptr addrspace(1) align 4 %from, i64 7, i1 false)
  ret void
}

; Many pieces are copied in a loop.
; CHECK-LABEL: @long_copy(
; CHECK: phi i64
; CHECK: load <4 x i32>, ptr addrspace(1) %{{.*}}, align 16
; CHECK: store <4 x i32> %{{.*}}, ptr addrspace(3) %{{.*}}, align 16
; CHECK: icmp eq i64 %{{.*}}, 64
; CHECK: load i64, ptr addrspace(1) %{{.*}}, align 8
; CHECK: ret void
define void @long_copy(ptr addrspace(3) %to, ptr addrspace(1) %from) {
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 16 %to, ptr addrspace(1) align 16 %from, i64 1032, i1 false)
  ret void
}

; CHECK-LABEL: @fills(
; CHECK: %local = alloca [5 x i32], align 16
; CHECK: %[[W:.*]] = zext i8 %byte to i32
; CHECK: %[[S:.*]] = mul i32 %[[W]], 16843009
; CHECK: store i32 %[[S]], ptr addrspace(1) %to, align 4
; CHECK: store <4 x i32> zeroinitializer, ptr %local, align 16
; CHECK: %[[L:.*]] = getelementptr inbounds i8, ptr %local, i64 16
; CHECK: store i32 0, ptr %[[L]], align 4
; CHECK: ret void
define void @fills(ptr addrspace(1) %to, i8 %byte, i32 %i) {
  %local = alloca [5 x i32], align 4
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 %to, i8 %byte, i64 4, i1 false)
  call void @llvm.memset.p0.i64(ptr align 4 %local, i8 0, i64 20, i1 false)
  ret void
}

declare void @llvm.memcpy.p3.p1.i64(ptr addrspace(3), ptr addrspace(1), i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
