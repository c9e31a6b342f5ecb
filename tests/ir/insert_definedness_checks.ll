; RUN: heddle-opt -passes=insert-definedness-checks -S %s | FileCheck %s

@s = internal addrspace(3) global [8 x float] poison
@table = external addrspace(1) global [8 x float]

; A store of a loaded value copies its definedness; arithmetic uses it.
; CHECK-LABEL: define void @copy_and_use(
; CHECK: %[[D:.*]] = call i64 @simt.check.load(i32 {{[0-9]+}}, ptr %{{.*}}, ptr %{{.*}}, i64 4)
; CHECK-NEXT: %v = load float, ptr addrspace(1) %a
; CHECK-NEXT: store float %v, ptr addrspace(3) @s
; CHECK-NEXT: call void @simt.check.store(ptr addrspacecast (ptr addrspace(3) @s to ptr), i64 4, i64 %[[D]])
; CHECK-NEXT: call void @simt.check.use(i32 {{[0-9]+}}, i64 %[[D]])
; CHECK-NEXT: %w = fadd float %v, 1.000000e+00
; CHECK-NEXT: store float %w, ptr addrspace(1) %a
; CHECK: call void @simt.check.store(ptr %{{.*}}, i64 4, i64 0)
define void @copy_and_use(ptr addrspace(1) %a) "simt.kernel" {
  %v = load float, ptr addrspace(1) %a
  store float %v, ptr addrspace(3) @s
  %w = fadd float %v, 1.0
  store float %w, ptr addrspace(1) %a
  ret void
}

; Phis, selects, freezes and bit casts pass values on.
; CHECK-LABEL: define void @passed_on(
; CHECK: %[[D:.*]] = call i64 @simt.check.load
; CHECK: join:
; CHECK-DAG: %[[P:.*]] = phi i64 [ %[[D]], %then ], [ 0, %entry ]
; CHECK: %[[S:.*]] = select i1 %c, i64 %[[P]], i64 0
; CHECK: store i32
; CHECK: call void @simt.check.store(ptr %{{.*}}, i64 4, i64 %[[S]])
; CHECK-NOT: simt.check.use
define void @passed_on(ptr addrspace(1) %a, i1 %c) {
entry:
  br i1 %c, label %then, label %join
then:
  %v = load float, ptr addrspace(1) %a
  br label %join
join:
  %p = phi float [ %v, %then ], [ 0.0, %entry ]
  %f = freeze float %p
  %s = select i1 %c, float %f, float 1.0
  %i = bitcast float %s to i32
  store i32 %i, ptr addrspace(1) %a
  ret void
}

; Of several uses, only those that no other use precedes are checked.
; CHECK-LABEL: define void @first_use(
; CHECK: call void @simt.check.use
; CHECK-NEXT: %b = fadd
; CHECK-NOT: simt.check.use
; CHECK: ret void
define void @first_use(ptr addrspace(1) %a) "simt.kernel" {
  %v = load float, ptr addrspace(1) %a
  %b = fadd float %v, 1.0
  %c = fmul float %v, %b
  store float %c, ptr addrspace(1) %a
  ret void
}

; An atomic uses the old value. An exchange copies its operand, and its result is a loaded value.
; CHECK-LABEL: define void @atomics(
; CHECK: %[[D:.*]] = call i64 @simt.check.load
; CHECK-NEXT: call void @simt.check.use(i32 {{[0-9]+}}, i64 %[[D]])
; CHECK-NEXT: call i32 @simt.atomic.add.i32.p1
; CHECK-NEXT: addrspacecast
; CHECK-NEXT: call void @simt.check.store(ptr %{{.*}}, i64 4, i64 0)
; CHECK: %[[E:.*]] = call i64 @simt.check.load
; CHECK: call i32 @simt.atomic.exch.i32.p1
; CHECK: call void @simt.check.store(ptr %{{.*}}, i64 4, i64 0)
; CHECK-NOT: simt.check.use
; CHECK: store i32
; CHECK: call void @simt.check.store(ptr %{{.*}}, i64 4, i64 %[[E]])
define void @atomics(ptr addrspace(1) %a, ptr addrspace(1) %b) "simt.kernel" {
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 1, i32 1)
  %last = call i32 @simt.atomic.exch.i32.p1(ptr addrspace(1) %a, i32 1, i32 1)
  store i32 %last, ptr addrspace(1) %b
  ret void
}

; Copies of memory copy definedness; a fill defines.
; CHECK-LABEL: define void @memory(
; CHECK: call void @llvm.memcpy
; CHECK: call void @simt.check.copy(ptr %{{.*}}, ptr %{{.*}}, i64 12)
; CHECK: call void @llvm.memset
; CHECK: call void @simt.check.store(ptr %{{.*}}, i64 %n, i64 0)
define void @memory(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) "simt.kernel" {
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 12, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %a, i8 0, i64 %n, i1 false)
  ret void
}

; Module variables start with zeros, and a change of some bits is no use of the others.
; CHECK-LABEL: define void @not_checked(
; CHECK: load float, ptr addrspace(1) @table
; CHECK-NOT: simt.check.load
; CHECK-NOT: simt.check.use
; CHECK: ret void
define void @not_checked(ptr %bits, ptr addrspace(1) %a) "simt.kernel" {
  %v = load float, ptr addrspace(1) @table
  %w = fadd float %v, 1.0
  store float %w, ptr addrspace(1) %a
  %old = load i8, ptr %bits
  %rest = and i8 %old, -8
  %new = or i8 %rest, 3
  store i8 %new, ptr %bits
  ret void
}

declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32)
declare i32 @simt.atomic.exch.i32.p1(ptr addrspace(1), i32, i32)
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
