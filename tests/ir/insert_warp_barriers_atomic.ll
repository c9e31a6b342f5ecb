; RUN: heddle-opt -passes=insert-warp-barriers -S %s | FileCheck %s
; Atomic loads and stores are volatile, but they stay as they are, and no barriers keep their order.
source_filename = "insert_warp_barriers_atomic"

@flags = internal addrspace(3) global [64 x i32] poison, align 4

declare i32 @simt.tid.x()

; CHECK-LABEL: define void @k(
; CHECK-NOT: simt.warp.barrier
; CHECK: load volatile i32, {{.*}}, !simt.atomic
; CHECK-NOT: simt.warp.barrier
; CHECK: store volatile i32 {{.*}}, !simt.atomic
; CHECK-NOT: simt.warp.barrier
; CHECK: ret void
define void @k() "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %u = add nuw nsw i32 %t, 1
  %there = getelementptr i32, ptr addrspace(3) @flags, i32 %u
  %here = getelementptr i32, ptr addrspace(3) @flags, i32 %t
  %p = addrspacecast ptr addrspace(3) %there to ptr
  %q = addrspacecast ptr addrspace(3) %here to ptr
  %x = load volatile i32, ptr %p, align 4, !simt.atomic !0
  store volatile i32 %x, ptr %q, align 4, !simt.atomic !0
  ret void
}

!0 = !{}
