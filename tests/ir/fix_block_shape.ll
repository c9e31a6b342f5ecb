; RUN: heddle-opt -passes=fix-block-shape -S %s | FileCheck %s
; RUN: heddle-opt -passes=fix-block-shape,bind-context,lower-indices,plan-blocks,make-region-loops,simplifycfg,emit-entries -S %s | FileCheck %s --check-prefix=LOOPS
; Code for blocks of 64 x 2 x 1.

; CHECK-LABEL: define void @k(
; CHECK: %x = call range(i32 0, 64) i32 @simt.tid.x()
; CHECK: %y = call range(i32 0, 2) i32 @simt.tid.y()
; CHECK: %row = mul i32 %y, 64
; CHECK: %i = add i32 %row, %x
; CHECK: store i64 64, ptr addrspace(1) %a
; LOOPS: @k.entry = constant {{.*}} [3 x i32] [i32 64, i32 2, i32 1]
; LOOPS-LABEL: define internal void @k.threads(
; LOOPS: icmp ult i32 %{{.*}}, 64
; LOOPS: icmp ult i32 %{{.*}}, 2
define void @k(ptr addrspace(1) %a) "simt.kernel" {
  %x = call i32 @simt.tid.x()
  %y = call i32 @simt.tid.y()
  %z = call i32 @simt.tid.z()
  %n = call i32 @simt.ntid.x()
  %row = mul i32 %y, %n
  %sum = add i32 %row, %z
  %i = add i32 %sum, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %i
  store i32 %i, ptr addrspace(1) %p
  %wide = zext i32 %n to i64
  store i64 %wide, ptr addrspace(1) %a
  ret void
}

; Threads along y are neighbors: the block is launched as 2 x 64.
; CHECK-LABEL: define void @turned(
; CHECK: call range(i32 0, 2) i32 @simt.tid.x()
; CHECK: call range(i32 0, 64) i32 @simt.tid.y()
; LOOPS: @turned.threads(
define void @turned(ptr addrspace(1) %a) "simt.kernel" "simt.thread-order"="1" {
  %x = call i32 @simt.tid.x()
  %y = call i32 @simt.tid.y()
  %i = add i32 %x, %y
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %i
  store i32 %i, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define i32 @device_function(
; CHECK: call i32 @simt.ntid.x()
define i32 @device_function() {
  %n = call i32 @simt.ntid.x()
  ret i32 %n
}
declare i32 @simt.tid.x()
declare i32 @simt.tid.y()
declare i32 @simt.tid.z()
declare i32 @simt.ntid.x()
