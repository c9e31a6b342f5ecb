; RUN: heddle-opt -passes=check-resources,bind-context,lower-traps -S %s | FileCheck %s
; A trap passes its thread to the runtime; a block fence only restrains the compiler.

; CHECK-LABEL: define internal void @k(
; CHECK: fence syncscope("singlethread") seq_cst
; CHECK: fence seq_cst
; CHECK: call void @heddle_cpu_nanosleep(ptr %context, i32 5)
; CHECK: stop:
; CHECK: %[[BX:.*]] = load i32, ptr %context
; CHECK: call void @heddle_cpu_trap_thread(ptr %context, i32 %tid.x, i32 %tid.y, i32 %tid.z, i32 %[[BX]], i32 %{{.*}}, i32 %{{.*}}, i32 0, i32 0, i64 %i, i64 9)
; CHECK: unreachable
define void @k(i64 %i) "simt.kernel" {
  call void @simt.fence.block()
  call void @simt.fence.device()
  call void @simt.nanosleep(i32 5)
  %c = icmp eq i64 %i, 0
  br i1 %c, label %stop, label %go
stop:
  call void @simt.trap.index(i32 0, i64 %i, i64 9)
  unreachable
go:
  ret void
}
declare void @simt.fence.block()
declare void @simt.fence.device()
declare void @simt.nanosleep(i32)
declare void @simt.trap.index(i32, i64, i64) noreturn
