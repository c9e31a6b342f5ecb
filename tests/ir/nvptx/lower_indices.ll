; RUN: heddle-opt -passes=nvptx-lower-indices -S %s | FileCheck %s
; Special registers with the ranges of CUDA's launch limits; the warp size is a constant.

; CHECK-LABEL: @k(
; CHECK: call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK: call range(i32 1, 65) i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
; CHECK: call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK: call range(i32 1, 65536) i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
; CHECK: call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK: store volatile i32 32,
; CHECK: %[[SIZE:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
; CHECK: zext nneg i32 %[[SIZE]] to i64
; CHECK-NOT: call {{.*}}@simt.
; CHECK: ret void
define void @k(ptr addrspace(1) %out) "simt.kernel" {
  %a = call i32 @simt.tid.x()
  store volatile i32 %a, ptr addrspace(1) %out
  %b = call i32 @simt.ntid.z()
  store volatile i32 %b, ptr addrspace(1) %out
  %c = call i32 @simt.ctaid.x()
  store volatile i32 %c, ptr addrspace(1) %out
  %d = call i32 @simt.nctaid.y()
  store volatile i32 %d, ptr addrspace(1) %out
  %e = call i32 @simt.laneid()
  store volatile i32 %e, ptr addrspace(1) %out
  %f = call i32 @simt.warpsize()
  store volatile i32 %f, ptr addrspace(1) %out
  %g = call i64 @simt.shared.dynamic.size()
  store volatile i64 %g, ptr addrspace(1) %out
  ret void
}
declare range(i32 0, 1024) i32 @simt.tid.x()
declare range(i32 1, 65) i32 @simt.ntid.z()
declare range(i32 0, 2147483647) i32 @simt.ctaid.x()
declare range(i32 1, 65536) i32 @simt.nctaid.y()
declare range(i32 0, 32) i32 @simt.laneid()
declare i32 @simt.warpsize()
declare i64 @simt.shared.dynamic.size()
