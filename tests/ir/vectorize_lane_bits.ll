; RUN: env HEDDLE_CPU=%four-lanes heddle-opt -passes=vectorize -S %s | FileCheck %s
; The lowest bit of a thread index alternates from lane to lane: a branch on it is divergent.

; CHECK-LABEL: define void @odd(
; CHECK: %[[BIT:[0-9]+]] = trunc <4 x i32> %{{[0-9]+}} to <4 x i1>
; CHECK: some:
; CHECK: %[[LANES:[0-9]+]] = freeze <4 x i1> %[[BIT]]
; CHECK: call void @llvm.masked.store.v4f32.p1({{.*}}, <4 x i1> %[[LANES]])
define void @odd(ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  call void @simt.barrier(i32 0)
  %bit = trunc i32 %t to i1
  br i1 %bit, label %do, label %end
do:
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  store float 1.0, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}
declare i32 @simt.tid.x()
declare void @simt.barrier(i32) convergent
