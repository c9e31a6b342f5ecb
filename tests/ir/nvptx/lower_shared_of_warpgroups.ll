; RUN: heddle-opt -passes=nvptx-lower-shared -S %s | FileCheck %s
; Factors of wgmma start at multiples of 1024 bytes.

; CHECK: @tile = internal addrspace(3) global [4096 x half] poison, align 1024
; CHECK: @few = internal addrspace(3) global [64 x half] poison, align 16
; CHECK: @heddle_dynamic_shared = external addrspace(3) global [0 x i8], align 1024

@tile = internal addrspace(3) global [4096 x half] poison
@few = internal addrspace(3) global [64 x half] poison
declare ptr addrspace(3) @simt.shared.dynamic()

define void @k(ptr addrspace(1) %out) "simt.kernel" {
  %dynamic = call ptr addrspace(3) @simt.shared.dynamic()
  store volatile half 0.0, ptr addrspace(3) %dynamic
  store volatile half 0.0, ptr addrspace(3) @tile
  store volatile half 0.0, ptr addrspace(3) @few
  call void asm sideeffect "wgmma.wait_group.sync.aligned 0;", "~{memory}"()
  ret void
}
