; RUN: heddle-opt -passes=check-resources,bind-context,lower-indices -S %s | FileCheck %s
; Thread indices are kernel parameters; extents are invariant loads.

; CHECK-LABEL: define internal void @k(
; CHECK: %[[FIELD:.*]] = getelementptr inbounds i8, ptr %context, i64 12
; CHECK: %[[NTID:.*]] = load i32, ptr %[[FIELD]], {{.*}}!range ![[RANGE:[0-9]+]], !invariant.load
; CHECK-NOT: load
; CHECK: add i32 %tid.x, %[[NTID]]
; CHECK: add i32 {{.*}}, %[[NTID]]
; CHECK: add i32 {{.*}}, 32
define void @k(ptr addrspace(1) %p) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %n = call i32 @simt.ntid.x()
  %a = add i32 %t, %n
  %n2 = call i32 @simt.ntid.x()
  %b = add i32 %a, %n2
  %w = call i32 @simt.warpsize()
  %c = add i32 %b, %w
  store i32 %c, ptr addrspace(1) %p
  ret void
}
declare i32 @simt.tid.x()
declare i32 @simt.ntid.x()
declare i32 @simt.warpsize()
; CHECK: ![[RANGE]] = !{i32 1, i32 1025}
