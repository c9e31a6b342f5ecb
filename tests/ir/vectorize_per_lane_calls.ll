; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; RUN: heddle-opt -passes=vectorize,bind-context,lower-traps -S %s | FileCheck %s --check-prefix=TRAP
; Per-lane operations: a loop over the active lanes, lowest first.

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

; A trap reports the lane's thread.
; CHECK-LABEL: define void @traps(
; CHECK: call void @simt.trap(i32 1) {{.*}}[ "heddle.lane"(i32 %{{.*}}) ]
; TRAP-LABEL: define internal void @traps(
; TRAP: %[[SUM:.*]] = add i32 %tid.x, %{{.*}}
; TRAP: call void @heddle_cpu_trap_thread(ptr %context, i32 %[[SUM]], i32 %tid.y, i32 %tid.z,
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
; A histogram: each lane reloads its bin from a read-only array.
; CHECK-LABEL: define void @counts(
; CHECK: all:
; CHECK-COUNT-4: %{{.*}} = load i8, ptr addrspace(1)
; CHECK-NOT: extractelement
; CHECK: some{{[0-9]*}}:
define void @counts(ptr addrspace(1) noalias readonly %from, i64 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %in = icmp slt i64 %i, %n
  br i1 %in, label %then, label %end
then:
  %p = getelementptr i8, ptr addrspace(1) %from, i64 %i
  %v = load i8, ptr addrspace(1) %p, align 1
  %bin = zext i8 %v to i64
  %place = getelementptr i32, ptr addrspace(3) @bins, i64 %bin
  %old = call i32 @simt.atomic.add.i32.p3(ptr addrspace(3) %place, i32 1, i32 0)
  br label %end
end:
  ret void
}

; Same, from a writable array: elements are extracted from the vector before they are widened.
; CHECK-LABEL: define void @counts_what_changes(
; CHECK: all:
; CHECK: %[[FIRST:[0-9]+]] = extractelement <4 x i8> %{{.*}}, i64 0
; CHECK: zext i8 %[[FIRST]] to i32
; CHECK: some{{[0-9]*}}:
define void @counts_what_changes(ptr addrspace(1) %from, i64 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %in = icmp slt i64 %i, %n
  br i1 %in, label %then, label %end
then:
  %p = getelementptr i8, ptr addrspace(1) %from, i64 %i
  %v = load i8, ptr addrspace(1) %p, align 1
  %bin = zext i8 %v to i64
  %place = getelementptr i32, ptr addrspace(3) @bins, i64 %bin
  %old = call i32 @simt.atomic.add.i32.p3(ptr addrspace(3) %place, i32 1, i32 0)
  br label %end
end:
  ret void
}

@bins = internal addrspace(3) global [256 x i32] poison, align 16

declare i32 @simt.tid.x()
declare void @simt.barrier(i32) convergent
declare i32 @simt.atomic.add.i32.p3(ptr addrspace(3), i32, i32)
declare void @simt.trap(i32) noreturn
declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32)
!simt.sites = !{!0, !1}
!0 = !{!"", !"", !"k", !"f.py", i32 1, i32 1}
!1 = !{!"AssertionError", !"", !"k", !"f.py", i32 2, i32 1}
