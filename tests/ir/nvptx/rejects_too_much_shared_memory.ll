; RUN: not heddle-opt -ptx %s 2>&1 | FileCheck %s
; CHECK: kernel 'k' needs 50000 bytes of static shared memory per block; the limit is 49152
; CHECK: hint: make its shared arrays smaller
@big = internal addrspace(3) global [50000 x i8] poison
define internal void @f(i32 %i) {
  %p = getelementptr i8, ptr addrspace(3) @big, i32 %i
  store i8 1, ptr addrspace(3) %p
  ret void
}
define void @k(i32 %i) "simt.kernel" {
  call void @f(i32 %i)
  ret void
}
