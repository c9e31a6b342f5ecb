; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; RUN: heddle-opt -passes=vectorize,bind-context,lower-traps -S %s | FileCheck %s --check-prefix=TRAP
; What each lane does by itself: a loop over the lanes of the mask, lowest first.

; CHECK-LABEL: define void @atomics(
; CHECK: lane:
; CHECK: %[[LEFT:.*]] = phi i4 [ -1, %{{.*}} ], [ %[[REST:.*]], %lane ]
; CHECK: call i4 @llvm.cttz.i4(i4 %[[LEFT]], i1 true)
; CHECK: %[[OLD:.*]] = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %{{.*}}, i32 %{{.*}}, i32 0)
; CHECK: store i32 %[[OLD]]
; CHECK: %[[REST]] = and i4
; CHECK: load <4 x i32>, ptr %{{.*}}, align 64
define void @atomics(ptr addrspace(1) %bins, ptr addrspace(1) %out) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  call void @simt.barrier(i32 0)
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %bins, i32 %t, i32 0)
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %old, ptr addrspace(1) %p, align 4
  ret void
}

; The thread that traps is the lane's.
; CHECK-LABEL: define void @traps(
; CHECK: call void @simt.trap(i32 1) {{.*}}[ "heddle.lane"(i32 %{{.*}}) ]
; TRAP-LABEL: define internal void @traps(
; TRAP: store i32 %tid.x, ptr %[[PLACE:[0-9]+]]
; TRAP: %[[SUM:.*]] = add i32 %tid.x, %{{.*}}
; TRAP: store i32 %[[SUM]], ptr %
; TRAP: call void @heddle_cpu_trap(
define void @traps(ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  call void @simt.barrier(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %v = load i32, ptr addrspace(1) %p, align 4
  %bad = icmp eq i32 %v, 0
  br i1 %bad, label %trap, label %end
trap:
  call void @simt.trap(i32 1)
  unreachable
end:
  ret void
}
declare i32 @simt.tid.x()
declare void @simt.barrier(i32) convergent
declare void @simt.trap(i32) noreturn
declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32)
!simt.sites = !{!0, !1}
!0 = !{!"", !"", !"k", !"f.py", i32 1, i32 1}
!1 = !{!"AssertionError", !"", !"k", !"f.py", i32 2, i32 1}
