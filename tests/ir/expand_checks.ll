; RUN: heddle-opt -passes=expand-checks -S %s | FileCheck %s

; CHECK-LABEL: define void @one(
; CHECK: %[[OUT:.*]] = icmp uge i64 %i, %n
; CHECK: br i1 %[[OUT]], label %out_of_bounds, label %{{.*}}, !prof
; CHECK: out_of_bounds:
; CHECK: call void @simt.trap.index(i32 3, i64 %i, i64 %n)
; CHECK-NEXT: unreachable
define void @one(i64 %i, i64 %n) "simt.kernel" {
  call void @simt.check.index(i32 3, i64 %i, i64 %i, i64 0, i64 0, i64 %n)
  ret void
}

; For a range, the smallest and largest index are tested. The trap block computes the first one out of bounds.
; CHECK-LABEL: define void @several(
; CHECK: %[[LIMIT:.*]] = sub i64 %n, 1
; CHECK: %[[REST:.*]] = sub i64 %[[LIMIT]], %last
; CHECK: %[[SIGNS:.*]] = or i64 %i, %[[REST]]
; CHECK: icmp slt i64 %[[SIGNS]], 0
; CHECK: may_be_out_of_bounds:
; CHECK: icmp slt i64 %last, %i
; CHECK: out_of_bounds:
; CHECK: udiv i64
; CHECK: call void @simt.trap.index(i32 3,
define void @several(i64 %i, i64 %last, i64 %n) "simt.kernel" {
  call void @simt.check.index(i32 3, i64 %i, i64 %last, i64 4, i64 0, i64 %n)
  ret void
}

; In a descending range, the last index is the smallest.
; CHECK-LABEL: define void @backwards(
; CHECK: %[[REST:.*]] = sub i64 %{{.*}}, %i
; CHECK: or i64 %last, %[[REST]]
define void @backwards(i64 %i, i64 %last, i64 %n) "simt.kernel" {
  call void @simt.check.index(i32 3, i64 %i, i64 %last, i64 -1, i64 0, i64 %n)
  ret void
}

; With a step known only at run time, both ends are tested.
; CHECK-LABEL: define void @any_step(
; CHECK: icmp uge i64 %i, %n
; CHECK: icmp uge i64 %last, %n
; CHECK: call void @simt.trap.index(i32 3,
define void @any_step(i64 %i, i64 %last, i64 %step, i64 %n) "simt.kernel" {
  call void @simt.check.index(i32 3, i64 %i, i64 %last, i64 %step, i64 0, i64 %n)
  ret void
}

; Adjacent checks share one branch; those of the same index share one test.
; CHECK-LABEL: define void @adjacent(
; CHECK: %[[N:.*]] = call i64 @llvm.umin.i64(i64 %n, i64 %m)
; CHECK: icmp uge i64 %i, %[[N]]
; CHECK: icmp uge i64 %j, %n
; CHECK: br i1 %{{.*}}, label %may_be_out_of_bounds, label %in_bounds, !prof
; CHECK: may_be_out_of_bounds:
; CHECK: icmp uge i64 %i, %n
; CHECK: call void @simt.trap.index(i32 3, i64 %i, i64 %n)
; CHECK: call void @simt.trap.index(i32 4, i64 %i, i64 %m)
; CHECK: call void @simt.trap.index(i32 5, i64 %j, i64 %n)
define void @adjacent(i64 %i, i64 %j, i64 %n, i64 %m) "simt.kernel" {
  call void @simt.check.index(i32 3, i64 %i, i64 %i, i64 0, i64 0, i64 %n)
  call void @simt.check.index(i32 4, i64 %i, i64 %i, i64 0, i64 0, i64 %m)
  call void @simt.check.index(i32 5, i64 %j, i64 %j, i64 0, i64 0, i64 %n)
  ret void
}

; An index may count from the end only if the combined test fails.
; CHECK-LABEL: define i64 @from_the_end(
; CHECK: %[[OUT:.*]] = icmp uge i64 %i, %n
; CHECK: br i1 %[[OUT]], label %may_be_out_of_bounds, label %in_bounds
; CHECK: may_be_out_of_bounds:
; CHECK: icmp uge i64 %{{.*}}, %{{.*}}
; CHECK: %[[WRAPPED:.*]] = call i64 @simt.wrap(i64 %i, i64 %n)
; CHECK: in_bounds:
; CHECK: %[[INDEX:.*]] = phi i64 [ %i, %{{.*}} ], [ %[[WRAPPED]], %{{.*}} ]
; CHECK: getelementptr i64, ptr addrspace(1) %a, i64 %[[INDEX]]
define i64 @from_the_end(ptr addrspace(1) %a, i64 %i, i64 %n) "simt.kernel" {
  %low = sub i64 0, %n
  %k = call i64 @simt.wrap(i64 %i, i64 %n)
  call void @simt.check.index(i32 3, i64 %i, i64 %i, i64 0, i64 %low, i64 %n)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %k
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}

; CHECK-LABEL: define i64 @wrapped_after(
; CHECK: in_bounds:
; CHECK: %[[INDEX:.*]] = phi i64
; CHECK-NOT: @simt.wrap
; CHECK: ret i64 %[[INDEX]]
define i64 @wrapped_after(ptr addrspace(1) %a, i64 %i, i64 %n) "simt.kernel" {
  %low = sub i64 0, %n
  call void @simt.check.index(i32 3, i64 %i, i64 %i, i64 0, i64 %low, i64 %n)
  %k = call i64 @simt.wrap(i64 %i, i64 %n)
  ret i64 %k
}

; A wrap that is used before the check stays.
; CHECK-LABEL: define i64 @needed_before(
; CHECK: %k = call i64 @simt.wrap(i64 %i, i64 %n)
; CHECK: %q = getelementptr i64, ptr addrspace(1) %a, i64 %k
define i64 @needed_before(ptr addrspace(1) %a, i64 %i, i64 %n) "simt.kernel" {
  %low = sub i64 0, %n
  %k = call i64 @simt.wrap(i64 %i, i64 %n)
  %q = getelementptr i64, ptr addrspace(1) %a, i64 %k
  call void @simt.check.index(i32 3, i64 %i, i64 %i, i64 0, i64 %low, i64 %n)
  %v = load i64, ptr addrspace(1) %q
  ret i64 %v
}

; A wrap with another extent stays, too.
; CHECK-LABEL: define i64 @another_extent(
; CHECK: in_bounds:
; CHECK: call i64 @simt.wrap(i64 %i, i64 %m)
define i64 @another_extent(ptr addrspace(1) %a, i64 %i, i64 %n, i64 %m) "simt.kernel" {
  %low = sub i64 0, %n
  call void @simt.check.index(i32 3, i64 %i, i64 %i, i64 0, i64 %low, i64 %n)
  %k = call i64 @simt.wrap(i64 %i, i64 %m)
  ret i64 %k
}

declare i64 @simt.wrap(i64, i64)
declare void @simt.check.index(i32, i64, i64, i64, i64, i64)
