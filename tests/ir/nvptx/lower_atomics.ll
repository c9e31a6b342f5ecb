; RUN: heddle-opt -passes=nvptx-lower-atomics -S %s | FileCheck %s
; Scopes become LLVM's; operations without a PTX instruction become loops; the thread's stack needs no atomics.

; CHECK-LABEL: @scopes(
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 %v syncscope("block") monotonic
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 %v syncscope("device") monotonic
; CHECK: call i32 asm sideeffect "atom.relaxed.sys.global.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr addrspace(1) %p, i32 %v)
; CHECK: cmpxchg ptr addrspace(1) %p, i32 1, i32 %v monotonic monotonic
define void @scopes(ptr addrspace(1) %p, i32 %v) "simt.kernel" {
  %a = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %p, i32 %v, i32 0)
  %b = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %p, i32 %v, i32 1)
  %c = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %p, i32 %v, i32 2)
  %d = call i32 @simt.atomic.cas.i32.p1(ptr addrspace(1) %p, i32 1, i32 %v, i32 2)
  ret void
}

; CHECK-LABEL: @subtraction(
; CHECK: %[[NEGATED:.*]] = fneg float %v
; CHECK: atomicrmw fadd ptr addrspace(1) %p, float %[[NEGATED]]
; CHECK: %[[OPPOSITE:.*]] = sub i64 0, %w
; CHECK: atomicrmw add ptr addrspace(1) %p, i64 %[[OPPOSITE]]
define void @subtraction(ptr addrspace(1) %p, float %v, i64 %w) "simt.kernel" {
  %a = call float @simt.atomic.sub.f32.p1(ptr addrspace(1) %p, float %v, i32 1)
  %b = call i64 @simt.atomic.sub.i64.p1(ptr addrspace(1) %p, i64 %w, i32 1)
  ret void
}

; CHECK-LABEL: @wrapping(
; CHECK: atomicrmw uinc_wrap ptr addrspace(1) %p, i32 %v syncscope("device")
; CHECK: load volatile i64, ptr addrspace(1) %p, align 8
; CHECK: cmpxchg ptr addrspace(1) %p
define void @wrapping(ptr addrspace(1) %p, i32 %v, i64 %w) "simt.kernel" {
  %a = call i32 @simt.atomic.inc.i32.p1(ptr addrspace(1) %p, i32 %v, i32 1)
  %b = call i64 @simt.atomic.inc.i64.p1(ptr addrspace(1) %p, i64 %w, i32 1)
  ret void
}

; A NaN in memory stays; nothing is stored if nothing changes. An attribute marks the kernel for the assembler.
; CHECK-LABEL: @minimum(
; CHECK-SAME: #[[LOOPS:[0-9]+]]
; CHECK: fcmp olt float %v, %[[OLD:.*]]
; CHECK: select i1 {{.*}}, float %v, float %[[OLD]]
; CHECK: icmp eq i32
; CHECK: br i1 {{.*}}, label %[[DONE:.*]], label %[[ATTEMPT:.*]]
; CHECK: [[ATTEMPT]]:
; CHECK-NEXT: cmpxchg ptr addrspace(1) %p, {{.*}} syncscope("device") monotonic monotonic
; CHECK: [[DONE]]:
; CHECK: ret void
define void @minimum(ptr addrspace(1) %p, float %v) "simt.kernel" {
  %a = call float @simt.atomic.min.f32.p1(ptr addrspace(1) %p, float %v, i32 1)
  ret void
}

; CHECK-LABEL: @stack(
; CHECK-NOT: atomicrmw
; CHECK: store i32
define void @stack(i32 %v) "simt.kernel" {
  %p = alloca i32
  %a = call i32 @simt.atomic.add.i32.p0(ptr %p, i32 %v, i32 1)
  ret void
}
declare i32 @simt.atomic.add.i32.p0(ptr, i32, i32)
declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32)
declare i32 @simt.atomic.cas.i32.p1(ptr addrspace(1), i32, i32, i32)
declare float @simt.atomic.sub.f32.p1(ptr addrspace(1), float, i32)
declare i64 @simt.atomic.sub.i64.p1(ptr addrspace(1), i64, i32)
declare float @simt.atomic.min.f32.p1(ptr addrspace(1), float, i32)
declare i32 @simt.atomic.inc.i32.p1(ptr addrspace(1), i32, i32)
declare i64 @simt.atomic.inc.i64.p1(ptr addrspace(1), i64, i32)
; CHECK: attributes #[[LOOPS]] = { "heddle.atomic-loop" "simt.kernel" }
