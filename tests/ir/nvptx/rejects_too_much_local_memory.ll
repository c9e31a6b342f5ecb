; RUN: not heddle-opt -ptx %s 2>&1 | FileCheck %s
; CHECK: kernel 'k' needs 524292 bytes of local memory per thread; the limit is 524288
define void @k(i32 %i) "simt.kernel" {
  %a = alloca [131073 x i32]
  %p = getelementptr i32, ptr %a, i32 %i
  store i32 1, ptr %p
  ret void
}
