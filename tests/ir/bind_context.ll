; RUN: heddle-opt -passes=check-resources,bind-context -S %s | FileCheck %s
; A kernel gets its block and thread as parameters; callees find the thread in the context.

; CHECK-LABEL: define internal void @k(ptr {{.*}}dereferenceable({{[0-9]+}}) %context, i32 noundef %tid.x, i32 noundef %tid.y, i32 noundef %tid.z, ptr addrspace(1) noalias %p, i32 %n)
; CHECK: store i32 %tid.x
; CHECK: store i32 %tid.y
; CHECK: store i32 %tid.z
; CHECK: call i32 @self(ptr %context, i32 %n)
define void @k(ptr addrspace(1) noalias %p, i32 %n) "simt.kernel" {
  %r = call i32 @self(i32 %n)
  store i32 %r, ptr addrspace(1) %p
  ret void
}
; CHECK-LABEL: define internal i32 @self(ptr {{.*}}%context, i32 %n)
; CHECK-NOT: store
; CHECK: call i32 @self(ptr %context, i32 %n)
define internal i32 @self(i32 %n) {
  %r = call i32 @self(i32 %n)
  ret i32 %r
}
; CHECK: "disable-tail-calls"="true"
