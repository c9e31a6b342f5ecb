; RUN: not heddle-opt -passes=check-resources -S %s 2>&1 | FileCheck %s
; Mutually recursive functions with a barrier cannot suspend.

; CHECK: calls itself and can reach a barrier
; CHECK: hint: move the barrier out of the recursive function
define void @k() "simt.kernel" {
  call void @even(i32 5)
  ret void
}
define internal void @even(i32 %n) {
  call void @odd(i32 %n)
  ret void
}
define internal void @odd(i32 %n) {
  call void @simt.barrier(i32 0)
  call void @even(i32 %n)
  ret void
}
declare void @simt.barrier(i32) convergent
