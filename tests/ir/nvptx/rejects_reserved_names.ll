; RUN: not heddle-opt -ptx %s 2>&1 | FileCheck %s
; CHECK: '__nv_sinf' is a reserved name in GPU code
define void @__nv_sinf(ptr addrspace(1) %o) "simt.kernel" {
  store i32 0, ptr addrspace(1) %o
  ret void
}
