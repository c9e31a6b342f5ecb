; RUN: heddle-opt -ptx -launch-bounds=256,2 -max-registers=64 %s | FileCheck %s
; RUN: heddle-opt -ptx -sm=90 -launch-bounds=256,2,4 %s | FileCheck %s --check-prefix=CLUSTER
; RUN: heddle-opt -ptx -sm=80 -launch-bounds=256,2,4 %s | FileCheck %s --check-prefix=NOCLUSTER
; Launch bounds and the register limit become directives; pointers get address spaces and alignments.

; CHECK-LABEL: .visible .entry k(
; CHECK: .param .u64 .ptr .global .align 16 k_param_0,
; CHECK: .param .u64 k_param_1
; CHECK: .maxntid 256
; CHECK: .minnctapersm 2
; CHECK: .maxnreg 64
; CLUSTER: .maxclusterrank 4
; NOCLUSTER-NOT: .maxclusterrank
define void @k(ptr addrspace(1) align 16 %o, i64 %x) "simt.kernel" {
  store i64 %x, ptr addrspace(1) %o
  ret void
}
