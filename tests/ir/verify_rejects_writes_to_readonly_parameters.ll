; RUN: not heddle-opt -passes=verify-simt -S %s 2>&1 | FileCheck %s
; A readonly parameter must not be written, however the address is computed.

; CHECK-DAG: function 'k': writes to the memory of parameter 0, which is readonly: {{.*}}store i32 1
; CHECK-DAG: function 'k': writes to the memory of parameter 0, which is readonly: {{.*}}store i32 2
; CHECK-DAG: function 'k': writes to the memory of parameter 0, which is readonly: {{.*}}simt.atomic.add
; CHECK-DAG: function 'k': writes to the memory of parameter 0, which is readonly: {{.*}}simt.store.cached
; CHECK-DAG: function 'k': writes to the memory of parameter 0, which is readonly: {{.*}}llvm.memset
; CHECK-NOT: parameter 1
; CHECK-NOT: {{.*}}simt.load.cached
define void @k(ptr addrspace(1) readonly %p, ptr addrspace(1) %q, i1 %which) "simt.kernel" {
  store i32 1, ptr addrspace(1) %p
  %element = getelementptr i8, ptr addrspace(1) %p, i64 4
  %either = select i1 %which, ptr addrspace(1) %q, ptr addrspace(1) %element
  store i32 2, ptr addrspace(1) %either
  %l = call i32 @simt.load.cached.i32.p1(ptr addrspace(1) %p, i32 0)
  %a = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %p, i32 1, i32 1)
  call void @simt.store.cached.i32.p1(ptr addrspace(1) %p, i32 1, i32 0)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 0, i64 8, i1 false)
  store i32 %l, ptr addrspace(1) %q
  ret void
}
declare i32 @simt.load.cached.i32.p1(ptr addrspace(1), i32)
declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32)
declare void @simt.store.cached.i32.p1(ptr addrspace(1), i32, i32)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
