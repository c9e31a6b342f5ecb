; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s

; A warp's index in the grid is uniform: grid indices are nonnegative.
; CHECK-LABEL: define void @warp_of_grid(
; CHECK: lshr i32
; CHECK: load float, ptr addrspace(1)
define void @warp_of_grid(ptr addrspace(1) %a, ptr addrspace(1) %b) "simt.kernel" {
  %block = call i32 @simt.ctaid.x()
  %n = call i32 @simt.ntid.x()
  %t = call i32 @simt.tid.x()
  %start = mul i32 %block, %n
  %i = add i32 %start, %t
  %warp = sdiv i32 %i, 64
  %index = sext i32 %warp to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %index
  %v = load float, ptr addrspace(1) %p, align 4
  call void @simt.barrier(i32 0)
  %wide = sext i32 %t to i64
  %q = getelementptr float, ptr addrspace(1) %b, i64 %wide
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

declare range(i32 0, 1024) i32 @simt.tid.x()
declare range(i32 1, 1025) i32 @simt.ntid.x()
declare range(i32 0, 2147483647) i32 @simt.ctaid.x()
declare void @simt.barrier(i32) convergent
