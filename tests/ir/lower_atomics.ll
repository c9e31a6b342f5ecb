; RUN: heddle-opt -passes=lower-atomics -S %s | FileCheck %s
; Only memory that other blocks can access needs atomic instructions.

; CHECK-LABEL: @global(
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 %v monotonic
; CHECK: atomicrmw uinc_wrap ptr addrspace(1) %p, i32 %v monotonic
; CHECK: cmpxchg ptr addrspace(1) %p, i32 1, i32 %v monotonic monotonic
define void @global(ptr addrspace(1) %p, i32 %v) {
  %a = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %p, i32 %v, i32 1)
  %b = call i32 @simt.atomic.inc.i32.p1(ptr addrspace(1) %p, i32 %v, i32 2)
  %c = call i32 @simt.atomic.cas.i32.p1(ptr addrspace(1) %p, i32 1, i32 %v, i32 1)
  ret void
}

; CHECK-LABEL: @small(
; CHECK: cmpxchg ptr addrspace(1) %p, i8 1, i8 %v monotonic monotonic
; CHECK: cmpxchg ptr addrspace(1) %p, i16 1, i16 %w monotonic monotonic
define void @small(ptr addrspace(1) %p, i8 %v, i16 %w) {
  %a = call i8 @simt.atomic.cas.i8.p1(ptr addrspace(1) %p, i8 1, i8 %v, i32 1)
  %b = call i16 @simt.atomic.cas.i16.p1(ptr addrspace(1) %p, i16 1, i16 %w, i32 1)
  ret void
}

; CHECK-LABEL: @shared(
; CHECK-NOT: atomicrmw
; CHECK: %[[OLD:.*]] = load i32, ptr %
; CHECK: %[[NEW:.*]] = add i32 %[[OLD]], %v
; CHECK: store i32 %[[NEW]], ptr %
define void @shared(ptr addrspace(3) %p, i32 %v) {
  %g = addrspacecast ptr addrspace(3) %p to ptr
  %q = getelementptr i32, ptr %g, i32 7
  %a = call i32 @simt.atomic.add.i32.p0(ptr %q, i32 %v, i32 1)
  ret void
}

; Shared memory as lower-shared leaves it.
; CHECK-LABEL: @of_the_context(
; CHECK-NOT: atomicrmw
; CHECK: store i32
define void @of_the_context(ptr %context, i64 %n, i32 %v) {
  %generic = load ptr, ptr %context
  %shared = addrspacecast ptr %generic to ptr addrspace(3)
  %p = getelementptr i32, ptr addrspace(3) %shared, i64 %n
  %a = call i32 @simt.atomic.add.i32.p3(ptr addrspace(3) %p, i32 %v, i32 1)
  ret void
}

; CHECK-LABEL: @block_scope(
; CHECK-NOT: atomicrmw
; CHECK: store
define void @block_scope(ptr addrspace(1) %p, i32 %v) {
  %a = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %p, i32 %v, i32 0)
  ret void
}

; CHECK-LABEL: @float_minimum(
; CHECK: load atomic i32, ptr addrspace(1) %p monotonic
; CHECK: fcmp olt float %v, %[[OLD:.*]]
; CHECK: select i1 {{.*}}, float %v, float %[[OLD]]
; CHECK: cmpxchg
define void @float_minimum(ptr addrspace(1) %p, float %v) {
  %a = call float @simt.atomic.min.f32.p1(ptr addrspace(1) %p, float %v, i32 1)
  ret void
}
declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32)
declare i32 @simt.atomic.add.i32.p0(ptr, i32, i32)
declare i32 @simt.atomic.inc.i32.p1(ptr addrspace(1), i32, i32)
declare i8 @simt.atomic.cas.i8.p1(ptr addrspace(1), i8, i8, i32)
declare i16 @simt.atomic.cas.i16.p1(ptr addrspace(1), i16, i16, i32)
declare i32 @simt.atomic.cas.i32.p1(ptr addrspace(1), i32, i32, i32)
declare float @simt.atomic.min.f32.p1(ptr addrspace(1), float, i32)
declare i32 @simt.atomic.add.i32.p3(ptr addrspace(3), i32, i32)
