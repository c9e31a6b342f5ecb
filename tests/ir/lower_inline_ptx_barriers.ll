; RUN: heddle-opt -passes=lower-inline-ptx -S %s | FileCheck %s
; A barrier for some of the block's threads, or with a number in a register, is a named one. Others wait for the block.

; CHECK-LABEL: define void @whole(
; CHECK: call void @simt.barrier(
; CHECK: call void @simt.barrier(
; CHECK-NOT: simt.named
define void @whole() {
  call void asm sideeffect "bar.sync 2;", "~{memory}"()
  call void asm sideeffect "barrier.cta.sync.aligned 2, 0;", "~{memory}"()
  ret void
}

; CHECK-LABEL: define void @part(
; CHECK: call void @simt.named.barrier(i32 {{[0-9]+}}, i32 2, i32 64)
; CHECK: call void @simt.named.barrier(i32 {{[0-9]+}}, i32 %{{.*}}, i32 0)
; CHECK: call void @simt.named.barrier(i32 {{[0-9]+}}, i32 %{{.*}}, i32 %t)
; CHECK: call void @simt.named.barrier.arrive(i32 {{[0-9]+}}, i32 1, i32 %t)
define void @part(i32 %n, i32 %t) {
  call void asm sideeffect "bar.sync 2, 64;", "~{memory}"()
  call void asm sideeffect "barrier.sync $0;", "r,~{memory}"(i32 %n)
  call void asm sideeffect "bar.cta.sync $0, $1;", "r,r,~{memory}"(i32 %n, i32 %t)
  call void asm sideeffect "barrier.cta.arrive.aligned 1, $0;", "r,~{memory}"(i32 %t)
  ret void
}

; CHECK-LABEL: define i32 @votes(
; CHECK: call i32 @simt.named.barrier.count(i32 {{[0-9]+}}, i32 1, i32 64, i1 %{{.*}})
; CHECK: %[[NOT:.*]] = xor i1 %{{.*}}, true
; CHECK: %[[OTHERS:.*]] = call i32 @simt.named.barrier.count(i32 {{[0-9]+}}, i32 %{{.*}}, i32 0, i1 %[[NOT]])
; CHECK: icmp eq i32 %[[OTHERS]], 0
; CHECK: call i32 @simt.barrier.or(
define i32 @votes(i32 %n) {
  %r = call i32 asm sideeffect "{ .reg .pred p; setp.gt.u32 p, $1, 3; bar.red.popc.u32 $0, 1, 64, p; bar.red.and.pred p, $1, p; bar.red.or.pred p, 3, p; }", "=r,r,~{memory}"(i32 %n)
  ret i32 %r
}
