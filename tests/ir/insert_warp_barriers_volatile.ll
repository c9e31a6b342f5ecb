; RUN: heddle-opt -passes=insert-warp-barriers -S %s | FileCheck %s
; Volatile accesses mark code whose warps run in lockstep: exchanges get barriers in divergent code, too, and flags that
; all lanes load decide for the whole warp.

@s = internal addrspace(3) global [256 x i32] poison
@flag = internal addrspace(3) global i32 poison

declare i32 @simt.tid.x()
declare void @simt.trap(i32) noreturn

!simt.sites = !{!0}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 7, i32 8}

; A flag ends the loop: it is cleared by all lanes, set by some, and loaded by all.
; CHECK-LABEL: define void @flag_ends_loop(
; CHECK: store i32 0, ptr addrspace(3) @flag
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: br i1 %sets
; CHECK: store i32 1, ptr addrspace(3) @flag
; CHECK-NEXT: br
; CHECK: test:
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: %f = load i32
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NOT: simt.warp
; CHECK: ret void
define void @flag_ends_loop(ptr addrspace(1) %in) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %in, %0 ], [ %next, %test ]
  %x = load i32, ptr addrspace(1) %p
  %sets = icmp ugt i32 %t, %x
  store volatile i32 0, ptr addrspace(3) @flag
  br i1 %sets, label %set, label %test
set:
  store volatile i32 1, ptr addrspace(3) @flag
  br label %test
test:
  %f = load volatile i32, ptr addrspace(3) @flag
  %next = getelementptr i32, ptr addrspace(1) %p, i64 1
  %again = icmp ne i32 %f, 0
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Lanes wait for those in a branch, whose sites have lower numbers than those of the loop.
; CHECK-LABEL: define void @branch_in_loop(
; CHECK: loop:
; CHECK: call i32 @simt.warp.active(i32 [[#LOOP:]])
; CHECK: then:
; CHECK-NEXT: store i32 %t, ptr addrspace(3) %mine
; CHECK-NEXT: call i32 @simt.warp.active(i32 [[#LOOP-2]])
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: %v = load i32, ptr addrspace(3) %other
; CHECK-NEXT: %w = add
; CHECK-NEXT: call i32 @simt.warp.active(i32 [[#LOOP-1]])
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: store i32 %w
; CHECK-NOT: simt.warp
; CHECK: ret void
define void @branch_in_loop(i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %j = xor i64 %i, 5
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  %other = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %j
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %join ]
  %some = icmp ult i32 %t, 17
  br i1 %some, label %then, label %join
then:
  store volatile i32 %t, ptr addrspace(3) %mine
  %v = load volatile i32, ptr addrspace(3) %other
  %w = add i32 %v, 1
  store volatile i32 %w, ptr addrspace(3) %mine
  br label %join
join:
  %next = add i32 %k, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; A switch and a branch lead to the store, so that no single edge does: only some lanes reach it.
; CHECK-LABEL: define void @behind_a_switch(
; CHECK: work:
; CHECK-NOT: simt.warp
; CHECK: join:
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK: %v = load
define void @behind_a_switch(ptr addrspace(1) %out) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %j = xor i64 %i, 5
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  %other = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %j
  switch i32 %t, label %join [
    i32 7, label %test
    i32 9, label %work
  ]
test:
  %x = load i32, ptr addrspace(1) %out
  %some = icmp eq i32 %x, 0
  br i1 %some, label %work, label %join
work:
  store volatile i32 %t, ptr addrspace(3) %mine
  br label %join
join:
  %v = load volatile i32, ptr addrspace(3) %other
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; Lanes that have left the loop wait for the others before they write; a barrier in the loop does not suffice.
; CHECK-LABEL: define void @after_a_divergent_loop(
; CHECK: loop:
; CHECK: %v = load
; CHECK: done:
; CHECK: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: store i32 %v
define void @after_a_divergent_loop() "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %j = xor i64 %i, 5
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  %other = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %j
  store volatile i32 %t, ptr addrspace(3) %mine
  br label %loop
loop:
  %k = phi i32 [ %t, %0 ], [ %next, %loop ]
  %v = load volatile i32, ptr addrspace(3) %other
  %next = lshr i32 %k, 1
  %again = icmp ugt i32 %next, 0
  br i1 %again, label %loop, label %done
done:
  store volatile i32 %v, ptr addrspace(3) %mine
  ret void
}

; LLVM merges loads of two elements into one.
; CHECK-LABEL: define void @either_element(
; CHECK: store i32 %t
; CHECK: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK: %v = load i32
define void @either_element(ptr addrspace(1) %out, i1 %uniform) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %j = xor i64 %i, 5
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  %other = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %j
  store volatile i32 %t, ptr addrspace(3) %mine
  br i1 %uniform, label %then, label %join
then:
  br label %join
join:
  %either = phi ptr addrspace(3) [ %other, %0 ], [ %mine, %then ]
  %v = load volatile i32, ptr addrspace(3) %either
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; One lane reads all elements. A trap on its way does not keep the lanes from meeting again, and the other lanes of the
; block, which `if (t < 32)` keeps out, are in other warps.
; CHECK-LABEL: define void @first_warp_reads(
; CHECK: store i32 %t
; CHECK-NEXT: %is.first = icmp
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK: loop:
; CHECK: %x = load
define void @first_warp_reads(i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  %is.first.warp = icmp ult i32 %t, 32
  br i1 %is.first.warp, label %write, label %end
write:
  store i32 %t, ptr addrspace(3) %mine
  %is.first = icmp eq i32 %t, 0
  br i1 %is.first, label %loop, label %again
loop:
  %k = phi i64 [ 0, %write ], [ %next, %wait ]
  %place = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %k
  %x = load i32, ptr addrspace(3) %place
  switch i32 %x, label %wait [
    i32 1, label %again
    i32 2, label %failed
  ]
wait:
  %next = add nuw nsw i64 %k, 1
  br label %loop
failed:
  br label %trap
trap:
  call void @simt.trap(i32 0)
  ret void
again:
  %v = load i32, ptr addrspace(3) @flag
  %done = icmp eq i32 %v, %n
  br i1 %done, label %end, label %write
end:
  store i32 1, ptr addrspace(3) %mine
  ret void
}

; Lanes with a multiple of n exchange values: the estimated stride of t % n does not make them a single thread.
; CHECK-LABEL: define void @multiples_exchange(
; CHECK: write:
; CHECK-NEXT: [[SITE:%.*]] = load i32, ptr addrspace(3) %other
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: store i32 [[SITE]], ptr addrspace(3) %mine
define void @multiples_exchange(i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  %next = xor i64 %i, 1
  %other = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %next
  %rest = urem i32 %t, %n
  %is.multiple = icmp eq i32 %rest, 0
  br i1 %is.multiple, label %write, label %end
write:
  %v = load volatile i32, ptr addrspace(3) %other
  store volatile i32 %v, ptr addrspace(3) %mine
  br label %end
end:
  ret void
}

; Lanes that return do not keep the others from meeting: one barrier before the branch of the others.
; CHECK-LABEL: define void @some_return(
; CHECK: go.on:
; CHECK-NEXT: store i32 %t, ptr addrspace(3) %mine
; CHECK-NEXT: icmp
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: br i1 %is.low, label %read
; CHECK-NOT: simt.warp
; CHECK: {{^}}}
define void @some_return(ptr addrspace(1) %out, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  %next = xor i64 %i, 1
  %other = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %next
  %p = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  %rest = urem i32 %t, %n
  %returns = icmp eq i32 %rest, 0
  br i1 %returns, label %early, label %go.on
early:
  store i32 7, ptr addrspace(1) %p
  ret void
go.on:
  store volatile i32 %t, ptr addrspace(3) %mine
  %is.low = icmp ult i32 %t, 9
  br i1 %is.low, label %read, label %end
read:
  %v = load volatile i32, ptr addrspace(3) %other
  store i32 %v, ptr addrspace(1) %p
  br label %end
end:
  ret void
}
