; RUN: heddle-opt -passes='lower-inline-ptx,function(sroa,instcombine,simplifycfg)' -S %s | FileCheck %s
; An mbarrier is a word: pending arrivals, arrivals of later phases, bytes of pending transfers, and the phase's parity.
source_filename = "lower_inline_ptx_mbarriers"

; CHECK-LABEL: define void @init(
; CHECK: store i64 3145731, ptr %b, align 8
; CHECK-NEXT: call void @simt.fence.block()
define void @init(ptr %b) {
  call void asm sideeffect "mbarrier.init.b64 [$0], 3;", "l,~{memory}"(ptr %b)
  ret void
}

; The token is the word before the arrival.
; CHECK-LABEL: define i64 @arrive(
; CHECK: call void @simt.fence.block()
; CHECK-NEXT: load i64, ptr %b, align 8, !simt.atomic
; CHECK: update:
; CHECK: %[[OLD:.*]] = phi i64
; CHECK: call i64 @simt.atomic.cas.i64.p0(ptr {{.*}}%b, i64 %[[OLD]], i64 %{{.*}}, i32 0)
; CHECK: call void @simt.trap(i32 {{[0-9]+}})
; CHECK: ret i64 %[[OLD]]
define i64 @arrive(ptr %b) {
  %token = call i64 asm sideeffect "mbarrier.arrive.b64 $0, [$1];", "=l,l,~{memory}"(ptr %b)
  ret i64 %token
}

; Only the parities are compared.
; CHECK-LABEL: define i32 @wait(
; CHECK: %[[WORD:.*]] = load volatile i64, ptr %b, align 8, !simt.atomic
; CHECK-NEXT: call void @simt.fence.block()
; CHECK: xor i64 %[[WORD]], %token
define i32 @wait(ptr %b, i64 %token) {
  %over = call i32 asm sideeffect "{ .reg .pred p; mbarrier.try_wait.b64 p, [$1], $2; selp.b32 $0, 1, 0, p; }", "=r,l,l,~{memory}"(ptr %b, i64 %token)
  ret i32 %over
}

; A relaxed test is not a fence.
; CHECK-LABEL: define i32 @poll(
; CHECK-NOT: fence
; CHECK: ret i32
define i32 @poll(ptr %b) {
  %over = call i32 asm sideeffect "{ .reg .pred p; mbarrier.test_wait.parity.relaxed.cta.b64 p, [$1], 0; selp.b32 $0, 1, 0, p; }", "=r,l,~{memory}"(ptr %b)
  ret i32 %over
}

