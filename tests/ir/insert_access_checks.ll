; RUN: heddle-opt -passes=insert-access-checks -S %s | FileCheck %s

@s = internal addrspace(3) global [8 x [9 x float]] poison

; Loads and stores report themselves first, and an invalid load gives 0.
; CHECK-LABEL: define void @accesses(
; CHECK: %[[OK:.*]] = call i1 @simt.check.access(i32 {{[0-9]+}}, ptr %{{.*}}, ptr %{{.*}}, i64 4, i32 1032, i64 0)
; CHECK: br i1 %[[OK]]
; CHECK: %v = load float
; CHECK: %[[VALUE:.*]] = phi float [ %v, %{{.*}} ], [ 0.000000e+00, %{{.*}} ]
; CHECK: call i1 @simt.check.access(i32 {{[0-9]+}}, ptr %{{.*}}, ptr addrspacecast (ptr addrspace(3) @s to ptr), i64 4, i32 1289, i64 %{{.*}})
; CHECK: store float %[[VALUE]], ptr addrspace(3) %q
define void @accesses(ptr addrspace(1) %a, i64 %i) "simt.kernel" {
  %v = load float, ptr addrspace(1) %a
  %q = getelementptr [9 x float], ptr addrspace(3) @s, i64 0, i64 %i
  store float %v, ptr addrspace(3) %q
  ret void
}

; Barriers and fences report themselves first; an atomic has its scope.
; CHECK-LABEL: define void @synchronization(
; CHECK: call void @simt.check.sync(i32 0, i32 0)
; CHECK-NEXT: call void @simt.barrier(i32 0)
; CHECK-NEXT: call void @simt.check.sync(i32 1, i32 15)
; CHECK-NEXT: call void @simt.warp.barrier(i32 0, i32 15)
; CHECK-NEXT: call void @simt.check.sync(i32 3, i32 1)
; CHECK-NEXT: call void @simt.fence.device()
; CHECK: call i1 @simt.check.access(i32 {{[0-9]+}}, ptr %{{.*}}, ptr %{{.*}}, i64 4, i32 1030, i64 0)
define void @synchronization(ptr addrspace(1) %a) "simt.kernel" {
  call void @simt.barrier(i32 0)
  call void @simt.warp.barrier(i32 0, i32 15)
  call void @simt.fence.device()
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 1, i32 1)
  ret void
}

; A compare-and-swap that may take a lock passes the value of a free lock, and an exchange that of a lock that is taken.
; The exchange that releases the lock does neither.
; CHECK-LABEL: define void @locks(
; CHECK: call i1 @simt.check.access({{.*}}, i64 4, i32 67109910, i64 7)
; CHECK: call i1 @simt.check.access({{.*}}, i64 4, i32 67109894, i64 1)
; CHECK: call i1 @simt.check.access({{.*}}, i64 4, i32 1030, i64 0)
define void @locks(ptr addrspace(1) %lock) "simt.kernel" {
  %found = call i32 @simt.atomic.cas.i32.p1(ptr addrspace(1) %lock, i32 7, i32 1, i32 1)
  %old = call i32 @simt.atomic.exch.i32.p1(ptr addrspace(1) %lock, i32 1, i32 1)
  %taken = icmp eq i32 %old, 0
  %released = call i32 @simt.atomic.exch.i32.p1(ptr addrspace(1) %lock, i32 0, i32 1)
  ret void
}

; A failing index check reports and continues.
; CHECK-LABEL: define void @index(
; CHECK-NOT: simt.check.index
; CHECK: call void @simt.check.report(i32 1, i64 %{{.*}}, i64 %n)
; CHECK: call i1 @simt.check.access(
define void @index(ptr addrspace(1) %a, i64 %i, i64 %n) "simt.kernel" {
  call void @simt.check.index(i32 1, i64 %i, i64 %i, i64 0, i64 0, i64 %n)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  store float 1.0, ptr addrspace(1) %p
  ret void
}

; Direct accesses of a thread's own variables need no checks.
; CHECK-LABEL: define void @own(
; CHECK-NOT: simt.check
; CHECK: ret void
define void @own() "simt.kernel" {
  %x = alloca [4 x float]
  %p = getelementptr float, ptr %x, i64 3
  store float 1.0, ptr %p
  ret void
}

; The check of an address that was loaded takes the checked value.
; CHECK-LABEL: define void @loaded_address(
; CHECK: %[[LOADED:.*]] = load ptr, ptr addrspace(1) %a
; CHECK: %[[ADDRESS:.*]] = phi ptr [ %[[LOADED]], %{{.*}} ], [ null, %{{.*}} ]
; CHECK: call i1 @simt.check.access(i32 {{[0-9]+}}, ptr %[[ADDRESS]], ptr %[[ADDRESS]], i64 4,
; CHECK: store float 1.000000e+00, ptr %[[ADDRESS]]
define void @loaded_address(ptr addrspace(1) %a) "simt.kernel" {
  %p = load ptr, ptr addrspace(1) %a
  store float 1.0, ptr %p
  ret void
}

declare void @simt.barrier(i32)
declare void @simt.warp.barrier(i32, i32)
declare void @simt.fence.device()
declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32)
declare i32 @simt.atomic.cas.i32.p1(ptr addrspace(1), i32, i32, i32)
declare i32 @simt.atomic.exch.i32.p1(ptr addrspace(1), i32, i32)
declare void @simt.check.index(i32, i64, i64, i64, i64, i64)
!simt.sites = !{!0, !1}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 7, i32 8}
!1 = !{!"IndexError", !"index {index} of {extent}", !"k", !"k.py", i32 9, i32 8}
