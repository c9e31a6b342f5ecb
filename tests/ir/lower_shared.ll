; RUN: heddle-opt -host -passes=check-resources,bind-context,lower-shared -S %s | FileCheck %s
; Shared variables are laid out consecutively and aligned; dynamic shared memory follows at a multiple of 16.

@bytes = internal addrspace(3) global [5 x i8] poison
@floats = internal addrspace(3) global [3 x float] poison, align 16
@unused = internal addrspace(3) global [100 x float] poison

; CHECK-NOT: addrspace(3) global
; CHECK-LABEL: define internal void @k(
; CHECK: %[[FIELD:.*]] = getelementptr inbounds i8, ptr %context, i64 40
; CHECK: %[[GENERIC:.*]] = load ptr, ptr %[[FIELD]], {{.*}}!invariant.load
; CHECK: %shared = addrspacecast ptr %[[GENERIC]] to ptr addrspace(3)
; CHECK: %[[FLOATS:.*]] = getelementptr inbounds i8, ptr addrspace(3) %shared, i64 16
; CHECK: %[[DYNAMIC:.*]] = getelementptr inbounds i8, ptr addrspace(3) %shared, i64 32
; CHECK: store i8 1, ptr addrspace(3) %shared
; CHECK: store float 2.000000e+00, ptr addrspace(3) %[[FLOATS]]
; CHECK: store i32 3, ptr addrspace(3) %[[DYNAMIC]]
; CHECK: "cpu.plan"="{{.*}}shared-bytes=28"
define void @k() "simt.kernel" {
  store i8 1, ptr addrspace(3) @bytes
  store float 2.0, ptr addrspace(3) @floats
  %d = call ptr addrspace(3) @simt.shared.dynamic()
  store i32 3, ptr addrspace(3) %d
  ret void
}
declare ptr addrspace(3) @simt.shared.dynamic()
