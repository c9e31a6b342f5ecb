; RUN: heddle-opt -host -passes=check-resources,bind-context,lower-shared -S %s | FileCheck %s
; Factors of warpgroups start at multiples of 1024 bytes, also in dynamic shared memory.

@bytes = internal addrspace(3) global [5 x i8] poison
@tile = internal addrspace(3) global [1040 x i8] poison
!heddle.warpgroups = !{}

; CHECK-LABEL: define internal void @k(
; CHECK: %[[TILE:.*]] = getelementptr inbounds i8, ptr addrspace(3) %shared, i64 1024
; CHECK: %[[DYNAMIC:.*]] = getelementptr inbounds i8, ptr addrspace(3) %shared, i64 3072
; CHECK: store i8 1, ptr addrspace(3) %shared
; CHECK: store i8 2, ptr addrspace(3) %[[TILE]]
; CHECK: store i8 3, ptr addrspace(3) %[[DYNAMIC]]
; CHECK: "cpu.plan"="{{.*}}shared-bytes=3072"
define void @k() "simt.kernel" {
  store i8 1, ptr addrspace(3) @bytes
  store i8 2, ptr addrspace(3) @tile
  %d = call ptr addrspace(3) @simt.shared.dynamic()
  store i8 3, ptr addrspace(3) %d
  ret void
}
declare ptr addrspace(3) @simt.shared.dynamic()
