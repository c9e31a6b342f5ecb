; RUN: not heddle-opt -passes=verify-simt -S %s 2>&1 | FileCheck %s
; Global variables are shared memory, constants or module variables.

; CHECK-DAG: global 'initialized': a shared variable's initializer must be poison or undef
@initialized = internal addrspace(3) global i32 0
; CHECK-DAG: global 'outside': must have an initializer
@outside = external addrspace(3) global i32
; CHECK-DAG: global 'open': must be internal
@open = addrspace(3) global i32 poison
; CHECK-DAG: global 'writable': a module variable is external
@writable = internal addrspace(4) global i32 5
; CHECK-DAG: global 'host': must be in address space 3 (shared) or 4 (constant)
@host = internal global i32 5
; CHECK-NOT: global 'fine
@fine = internal addrspace(3) global [4 x float] poison
@fine.variable = addrspace(1) global i32 5
@fine.table = addrspace(4) global [2 x i32] zeroinitializer
@fine.too = internal addrspace(4) constant [2 x i32] [i32 1, i32 2]
