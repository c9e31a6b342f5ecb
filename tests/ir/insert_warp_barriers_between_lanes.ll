; RUN: heddle-opt -passes=insert-warp-barriers -S %s | FileCheck %s
; RUN: heddle-opt -passes=insert-warp-barriers-for-gpus -S %s | FileCheck %s --check-prefix=GPU
; A barrier goes where a warp is converged, between accesses of different lanes. GPUs need none.

; GPU-NOT: call void @simt.warp.barrier

@s = internal addrspace(3) global [256 x i32] poison

declare i32 @simt.tid.x()
declare i32 @simt.laneid()
declare void @simt.barrier(i32) convergent

!simt.sites = !{!0}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 7, i32 8}

; Some lanes write, one reads all elements.
; CHECK-LABEL: define void @one_reads(
; CHECK: join:
; CHECK-NEXT: %first = icmp
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: br i1 %first
; CHECK-NOT: simt.warp
; CHECK: ret void
define void @one_reads(ptr addrspace(1) %out) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %some = icmp ult i32 %t, 17
  br i1 %some, label %write, label %join
write:
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  store i32 %t, ptr addrspace(3) %mine
  br label %join
join:
  %first = icmp eq i32 %t, 0
  br i1 %first, label %loop, label %end
loop:
  %k = phi i64 [ 0, %join ], [ %next, %loop ]
  %sum = phi i32 [ 0, %join ], [ %more, %loop ]
  %place = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %k
  %v = load i32, ptr addrspace(3) %place
  %more = add i32 %sum, %v
  %next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %next, 17
  br i1 %again, label %loop, label %done
done:
  store i32 %more, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; One lane writes, all read the element.
; CHECK-LABEL: define void @one_writes(
; CHECK: join:
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: %v = load
; CHECK-NOT: simt.warp
; CHECK: ret void
define void @one_writes(ptr addrspace(1) %out) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %write, label %join
write:
  store i32 7, ptr addrspace(3) @s
  br label %join
join:
  %v = load i32, ptr addrspace(3) @s
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; Lanes permute elements.
; CHECK-LABEL: define void @rotated(
; CHECK: store i32 %t
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: %v = load
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: store i32 %v
; CHECK-NOT: simt.warp
; CHECK: ret void
define void @rotated() "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %after = add nuw nsw i32 %t, 31
  %j = and i32 %after, 31
  %j.wide = zext nneg i32 %j to i64
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  %other = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %j.wide
  store i32 %t, ptr addrspace(3) %mine
  %v = load i32, ptr addrspace(3) %other
  store i32 %v, ptr addrspace(3) %mine
  ret void
}

; Lanes that have returned run nothing more: the others are converged.
; CHECK-LABEL: define void @after_an_early_return(
; CHECK: store i32 %t, ptr addrspace(3)
; CHECK-NEXT: %o = add
; CHECK-NEXT: %r = and
; CHECK-NEXT: %q = getelementptr
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: %v = load
define void @after_an_early_return(i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %returns = icmp sge i32 %t, %n
  br i1 %returns, label %end, label %work
work:
  %i = zext nneg i32 %t to i64
  %p = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  store i32 %t, ptr addrspace(3) %p
  %o = add nuw nsw i64 %i, 31
  %r = and i64 %o, 31
  %q = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %r
  %v = load i32, ptr addrspace(3) %q
  %m = add i32 %v, 1
  store i32 %m, ptr addrspace(3) %p
  br label %end
end:
  ret void
}

; In a loop that lanes leave at different times, no point is converged.
; CHECK-LABEL: define void @rotated_in_a_divergent_loop(
; CHECK-NOT: simt.warp
; CHECK: ret void
define void @rotated_in_a_divergent_loop() "simt.kernel" {
  %t = call i32 @simt.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %loop ]
  %i = zext nneg i32 %t to i64
  %p = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  store i32 %k, ptr addrspace(3) %p
  %o = add nuw nsw i64 %i, 31
  %r = and i64 %o, 31
  %q = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %r
  %v = load i32, ptr addrspace(3) %q
  %next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %next, %t
  br i1 %again, label %loop, label %end
end:
  ret void
}

; The reader wrote the element itself.
; CHECK-LABEL: define void @reads_its_own(
; CHECK-NOT: simt.warp
; CHECK: ret void
define void @reads_its_own(ptr addrspace(1) %out) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  store i32 %t, ptr addrspace(3) %mine
  %first = icmp eq i32 %t, 0
  br i1 %first, label %read, label %end
read:
  %v = load i32, ptr addrspace(3) @s
  store i32 %v, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; One lane does all the work.
; CHECK-LABEL: define void @one_works(
; CHECK-NOT: simt.warp
; CHECK: ret void
define void @one_works() "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %loop, label %end
loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %next = add nuw nsw i64 %k, 1
  %from = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %k
  %to = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %next
  %v = load i32, ptr addrspace(3) %from
  store i32 %v, ptr addrspace(3) %to
  %again = icmp ult i64 %next, 32
  br i1 %again, label %loop, label %end
end:
  ret void
}

; A tree reduction with barriers: none is needed after the last step, because the same thread reads.
; CHECK-LABEL: define void @tree(
; CHECK-NOT: simt.warp
; CHECK: ret void
define void @tree(ptr addrspace(1) %out, i64 %spread) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  br label %loop
loop:
  %d = phi i32 [ 64, %0 ], [ %half, %step ]
  call void @simt.barrier(i32 0)
  %below = icmp ult i32 %t, %d
  br i1 %below, label %add, label %step
add:
  %index = mul i64 %i, %spread
  %place = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %index
  %v = load i32, ptr addrspace(3) %place
  %twice = shl i32 %v, 1
  store i32 %twice, ptr addrspace(3) %place
  br label %step
step:
  %half = lshr i32 %d, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %loop, label %after
after:
  %first = icmp eq i32 %t, 0
  br i1 %first, label %read, label %end
read:
  %last = getelementptr inbounds i32, ptr addrspace(3) @s, i64 127
  %all = load i32, ptr addrspace(3) %last
  store i32 %all, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; Threads that exit a loop in different iterations do not converge in it.
; CHECK-LABEL: define void @divergent_loop(
; CHECK-NOT: simt.warp
; CHECK: ret void
define void @divergent_loop(ptr addrspace(1) %x, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  br label %loop
loop:
  %k = phi i32 [ %t, %0 ], [ %next, %body ]
  %inside = icmp slt i32 %k, %n
  br i1 %inside, label %body, label %end
body:
  %i = sext i32 %k to i64
  %in = getelementptr inbounds i64, ptr addrspace(1) %x, i64 %i
  %bin = load i64, ptr addrspace(1) %in
  %place = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %bin
  %v = load i32, ptr addrspace(3) %place
  %more = add i32 %v, 1
  store i32 %more, ptr addrspace(3) %place
  %next = add i32 %k, 64
  br label %loop
end:
  ret void
}

; The lane indexes the array.
; CHECK-LABEL: define void @reversed_by_lane(
; CHECK: store i32 %x
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: load i32
define void @reversed_by_lane(ptr addrspace(1) %out, i32 %x) "simt.kernel" {
  %lane = call i32 @simt.laneid()
  %i = zext nneg i32 %lane to i64
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  %other = sub nuw nsw i32 31, %lane
  %j = zext nneg i32 %other to i64
  %theirs = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %j
  store i32 %x, ptr addrspace(3) %mine
  %y = load i32, ptr addrspace(3) %theirs
  store i32 %y, ptr addrspace(1) %out
  ret void
}
