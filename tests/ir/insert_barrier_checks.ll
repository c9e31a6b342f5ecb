; RUN: heddle-opt -passes=insert-barrier-checks -S %s | FileCheck %s

; A thread that goes around the barrier and on reports it where both sides of the branch meet.
; CHECK-LABEL: define void @branch(
; CHECK: then:
; CHECK-NEXT: call void @simt.barrier(i32 0)
; CHECK: join:
; CHECK-NEXT: call void @simt.check.sync(i32 4, i32 0)
; CHECK-NEXT: store
define void @branch(ptr addrspace(1) %a, i1 %c) "simt.kernel" {
  br i1 %c, label %then, label %join
then:
  call void @simt.barrier(i32 0)
  br label %join
join:
  store i32 1, ptr addrspace(1) %a
  ret void
}

; A thread that goes around the barrier and returns need not wait.
; CHECK-LABEL: define void @early_return(
; CHECK-NOT: simt.check
; CHECK: ret void
define void @early_return(ptr addrspace(1) %a, i1 %c) "simt.kernel" {
  br i1 %c, label %then, label %end
then:
  call void @simt.barrier(i32 0)
  store i32 1, ptr addrspace(1) %a
  br label %end
end:
  ret void
}

; The join after the loop is the outer one (level 0), that of the branch in the loop the inner one.
; CHECK-LABEL: define void @loop(
; CHECK: latch:
; CHECK-NEXT: call void @simt.check.sync(i32 4, i32 16777217)
; CHECK: after:
; CHECK-NEXT: call void @simt.check.sync(i32 4, i32 1)
define void @loop(ptr addrspace(1) %a, i32 %n, i1 %c) "simt.kernel" {
  br label %header
header:
  %i = phi i32 [ 0, %0 ], [ %next, %latch ]
  br i1 %c, label %then, label %latch
then:
  call void @simt.barrier(i32 1)
  br label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %header, label %after
after:
  store i32 1, ptr addrspace(1) %a
  ret void
}

; The exit of the loop is in a branch around which the barrier does not lie: only the loop's end is a join.
; CHECK-LABEL: define void @exit_in_a_branch(
; CHECK: inner:
; CHECK-NOT: simt.check
; CHECK: after:
; CHECK-NEXT: call void @simt.check.sync(i32 4, i32 0)
define void @exit_in_a_branch(ptr addrspace(1) %a, i1 %c, i1 %d) "simt.kernel" {
  br label %header
header:
  call void @simt.barrier(i32 0)
  br i1 %d, label %inner, label %header
inner:
  br i1 %c, label %after, label %header
after:
  store i32 1, ptr addrspace(1) %a
  ret void
}

; A thread reports that it enters the next loop, not each of that loop's iterations.
; CHECK-LABEL: define void @before_another_loop(
; CHECK: after.preheader:
; CHECK-NEXT: call void @simt.check.sync(i32 4, i32 0)
; CHECK-NEXT: br label %after
; CHECK: after:
; CHECK-NOT: simt.check
; CHECK: ret void
define void @before_another_loop(ptr addrspace(1) %a, i1 %c, i1 %d) "simt.kernel" {
  br label %header
header:
  call void @simt.barrier(i32 0)
  br i1 %c, label %header, label %after
after:
  store i32 1, ptr addrspace(1) %a
  br i1 %d, label %after, label %end
end:
  ret void
}

; A path that stops the kernel does not count.
; CHECK-LABEL: define void @trap(
; CHECK: join:
; CHECK-NEXT: call void @simt.check.sync(i32 4, i32 0)
; CHECK-NEXT: store
define void @trap(ptr addrspace(1) %a, i32 %i) "simt.kernel" {
  switch i32 %i, label %stop [
    i32 0, label %then
    i32 1, label %join
  ]
then:
  call void @simt.barrier(i32 0)
  br label %join
stop:
  call void @simt.trap(i32 1)
  ret void
join:
  store i32 1, ptr addrspace(1) %a
  ret void
}

declare void @simt.trap(i32)
declare void @simt.barrier(i32)
!simt.sites = !{!0, !1}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 7, i32 8}
!1 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 9, i32 8}
