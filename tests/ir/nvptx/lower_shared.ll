; RUN: heddle-opt -passes=nvptx-lower-shared -S %s | FileCheck %s
; RUN: heddle-opt -ptx %s | FileCheck %s --check-prefix=PTX
; All kernels share one name for dynamic shared memory; variables are aligned for 16-byte accesses.

; CHECK: @tile = internal addrspace(3) global [64 x i32] poison, align 16
; CHECK: @flag = internal addrspace(3) global i32 poison{{$}}
; CHECK: @heddle_dynamic_shared = external addrspace(3) global [0 x i8], align 16
; CHECK-LABEL: @k(
; CHECK: store i32 %v, ptr addrspace(3) @heddle_dynamic_shared
; CHECK-LABEL: @l(
; CHECK: store i32 %v, ptr addrspace(3) @heddle_dynamic_shared

; PTX: .extern .shared .align 16 .b8 heddle_dynamic_shared[];
; PTX-LABEL: .entry k(
; PTX: .shared .align 16 .b8 tile[256];
; PTX: st.shared.b32 [heddle_dynamic_shared],
@tile = internal addrspace(3) global [64 x i32] poison
@flag = internal addrspace(3) global i32 poison
define void @k(i32 %v, i32 %i) "simt.kernel" {
  %d = call ptr addrspace(3) @simt.shared.dynamic()
  store i32 %v, ptr addrspace(3) %d
  %p = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store volatile i32 %v, ptr addrspace(3) %p
  store volatile i32 %v, ptr addrspace(3) @flag
  ret void
}
define void @l(i32 %v) "simt.kernel" {
  %d = call ptr addrspace(3) @simt.shared.dynamic()
  store i32 %v, ptr addrspace(3) %d
  ret void
}
declare ptr addrspace(3) @simt.shared.dynamic()
