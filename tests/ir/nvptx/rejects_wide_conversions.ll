; RUN: not heddle-opt -ptx %s 2>&1 | FileCheck %s
; CHECK: 'k' converts between a float and a 128-bit integer, which GPUs do not support
define void @k(ptr addrspace(1) %o, i64 %i) "simt.kernel" {
  %w = sext i64 %i to i128
  %f = sitofp i128 %w to double
  store double %f, ptr addrspace(1) %o
  ret void
}
