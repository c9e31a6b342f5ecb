; RUN: heddle-opt -host -passes='cpu-lowering,cpu-optimization' -S %s | FileCheck %s
; One loop resumes a block's threads; the resume function is inlined into it.

; CHECK: @k.entry = constant {{.*}} ptr @k.kernel, ptr @k.kernel.resume_loop }
; CHECK-LABEL: define internal ptr @k.kernel(
; CHECK: store ptr @k.kernel.resume_loop, ptr %{{[0-9]+}}
; CHECK-NOT: @k.kernel.resume(
; CHECK-LABEL: define internal i64 @k.kernel.resume_loop(
; CHECK: [[LOOP:[a-z.]+]]:
; CHECK: %frame = load ptr
; CHECK-NOT: call
; CHECK: store volatile float 2.000000e+00
; CHECK: br i1 %{{.*}}, label %{{.*}}
; CHECK: ret i64
define void @k(ptr addrspace(1) %p) "simt.kernel" {
  store float 1.0, ptr addrspace(1) %p
  call void @simt.barrier(i32 0)
  store volatile float 2.0, ptr addrspace(1) %p
  call void @simt.barrier(i32 1)
  ret void
}

; Threads that wait at warp operations are resumed one at a time.
; CHECK: define internal {{.*}}void @w.kernel.resume(
; CHECK-NOT: @w.kernel.resume_loop
define void @w(ptr addrspace(1) %p) "simt.kernel" {
  call void @simt.warp.barrier(i32 0, i32 -1)
  store float 1.0, ptr addrspace(1) %p
  ret void
}
declare void @simt.barrier(i32) convergent
declare void @simt.warp.barrier(i32, i32) convergent
