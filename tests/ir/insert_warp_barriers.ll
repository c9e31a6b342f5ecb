; RUN: heddle-opt -passes=insert-warp-barriers -S %s | FileCheck %s
; RUN: heddle-opt -passes=insert-warp-barriers-for-gpus -S %s | FileCheck %s --check-prefix=GPU
; A barrier of the active lanes goes between accesses of nearby threads, if the kernel has none.

@s = internal addrspace(3) global [256 x i32] poison
@rows = internal addrspace(3) global [32 x [8 x i32]] poison

; GPU-LABEL: define void @last_warp(
; GPU-COUNT-3: call void @simt.warp.barrier
; CHECK-LABEL: define void @last_warp(
; CHECK-NOT: simt.warp
; CHECK: %a = load i32
; CHECK-NEXT: %own = load i32
; CHECK-NEXT: add i32
; CHECK-NEXT: %[[SITE:.*]] = call i32 @simt.warp.active(i32 [[N:[0-9]+]])
; CHECK-NEXT: call void @simt.warp.barrier(i32 [[N]], i32 %[[SITE]])
; CHECK-NEXT: store i32
; CHECK-NEXT: %[[SITE:.*]] = call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: %b = load i32
; CHECK-NEXT: add i32
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: store i32
define void @last_warp() "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  %by.16 = getelementptr inbounds i8, ptr addrspace(3) %mine, i64 64
  %by.8 = getelementptr inbounds i8, ptr addrspace(3) %mine, i64 32
  %a = load i32, ptr addrspace(3) %by.16
  %own = load i32, ptr addrspace(3) %mine
  %sum = add i32 %own, %a
  store i32 %sum, ptr addrspace(3) %mine
  %b = load i32, ptr addrspace(3) %by.8
  %all = add i32 %sum, %b
  store i32 %all, ptr addrspace(3) %mine
  ret void
}

; A block barrier is in between.
; CHECK-LABEL: define void @with_barriers(
; CHECK-NOT: simt.warp
; CHECK: ret void
define void @with_barriers() "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  %by.8 = getelementptr inbounds i8, ptr addrspace(3) %mine, i64 32
  store i32 %t, ptr addrspace(3) %mine
  call void @simt.barrier(i32 0)
  %b = load i32, ptr addrspace(3) %by.8
  call void @simt.barrier(i32 0)
  store i32 %b, ptr addrspace(3) %mine
  ret void
}

; Each thread has a separate row.
; CHECK-LABEL: define void @own_rows(
; CHECK-NOT: simt.warp
; CHECK: ret void
define void @own_rows() "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %mine = getelementptr inbounds [8 x i32], ptr addrspace(3) @rows, i64 %i
  %next = getelementptr inbounds i8, ptr addrspace(3) %mine, i64 4
  store i32 %t, ptr addrspace(3) %mine
  %b = load i32, ptr addrspace(3) %next
  store i32 %b, ptr addrspace(3) %mine
  ret void
}

; A guard between two barriers separates readers and writers.
; CHECK-LABEL: define void @guarded(
; CHECK-NOT: simt.warp
; CHECK: ret void
define void @guarded() "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  %by.8 = getelementptr inbounds i8, ptr addrspace(3) %mine, i64 32
  %first = icmp ult i32 %t, 8
  br i1 %first, label %add, label %end
add:
  %b = load i32, ptr addrspace(3) %by.8
  store i32 %b, ptr addrspace(3) %mine
  br label %end
end:
  call void @simt.barrier(i32 0)
  ret void
}

; GPU-LABEL: define void @not_volatile(
; GPU: store volatile i32
; GPU: load volatile i32

; CHECK-LABEL: define void @not_volatile(
; CHECK: store i32 %t, ptr %
; CHECK: load i32, ptr %
; CHECK: load volatile i32, ptr addrspace(1)
define void @not_volatile(ptr addrspace(1) %p) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  %generic = addrspacecast ptr addrspace(3) %mine to ptr
  store volatile i32 %t, ptr %generic
  %a = load volatile i32, ptr %generic
  %b = load volatile i32, ptr addrspace(1) %p
  ret void
}

declare i32 @simt.tid.x()
declare void @simt.barrier(i32) convergent

!simt.sites = !{!0}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 7, i32 8}

; A thread checks whether its own or another thread's value was stored.
; CHECK-LABEL: define void @contended(
; CHECK: store i32 %t
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: %winner = load i32
define void @contended(ptr addrspace(1) %p) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %any = load i32, ptr addrspace(1) %p
  %i = zext i32 %any to i64
  %place = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %i
  store volatile i32 %t, ptr addrspace(3) %place
  %winner = load volatile i32, ptr addrspace(3) %place
  %mine = icmp eq i32 %winner, %t
  br i1 %mine, label %write, label %end
write:
  store i32 %t, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; Threads below k read past the k elements that they write, and a barrier precedes the change of k.
; CHECK-LABEL: define void @two_halves(
; CHECK-NOT: simt.warp
; CHECK: ret void
define void @two_halves() "simt.kernel" {
  %t = call i32 @simt.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 128, %0 ], [ %half, %next ]
  call void @simt.barrier(i32 0)
  br label %rounds
rounds:
  %i = phi i32 [ %t, %loop ], [ %i.next, %body ]
  %below = icmp slt i32 %i, %k
  br i1 %below, label %body, label %next
body:
  %far = add nsw i32 %i, %k
  %far.wide = sext i32 %far to i64
  %other = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %far.wide
  %a = load i32, ptr addrspace(3) %other
  %wide = sext i32 %i to i64
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %wide
  %b = load i32, ptr addrspace(3) %mine
  %sum = add i32 %a, %b
  store i32 %sum, ptr addrspace(3) %mine
  %i.next = add i32 %i, 64
  br label %rounds
next:
  %half = lshr i32 %k, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Same, without a barrier: half of the threads read what the others have just written.
; CHECK-LABEL: define void @two_halves_in_step(
; CHECK: call void @simt.warp.barrier
define void @two_halves_in_step() "simt.kernel" {
  %t = call i32 @simt.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 16, %0 ], [ %half, %next ]
  %below = icmp slt i32 %t, %k
  br i1 %below, label %body, label %next
body:
  %far = add nsw i32 %t, %k
  %far.wide = sext i32 %far to i64
  %other = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %far.wide
  %a = load i32, ptr addrspace(3) %other
  %wide = sext i32 %t to i64
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %wide
  %b = load i32, ptr addrspace(3) %mine
  %sum = add i32 %a, %b
  store i32 %sum, ptr addrspace(3) %mine
  br label %next
next:
  %half = lshr i32 %k, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The same two kernels, where a loop counts the shift of k = 128 >> d, which C++ defines as 0 for large d.
; CHECK-LABEL: define void @two_shifted_halves(
; CHECK-NOT: simt.warp
; CHECK: ret void
define void @two_shifted_halves() "simt.kernel" {
  %t = call i32 @simt.tid.x()
  br label %loop
loop:
  %d = phi i32 [ 0, %0 ], [ %d.next, %next ]
  %shifted = lshr i32 128, %d
  %large = icmp ugt i32 %d, 31
  %k = select i1 %large, i32 0, i32 %shifted
  call void @simt.barrier(i32 0)
  br label %rounds
rounds:
  %i = phi i32 [ %t, %loop ], [ %i.next, %body ]
  %below = icmp slt i32 %i, %k
  br i1 %below, label %body, label %next
body:
  %far = add nsw i32 %i, %k
  %far.wide = sext i32 %far to i64
  %other = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %far.wide
  %a = load i32, ptr addrspace(3) %other
  %wide = sext i32 %i to i64
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %wide
  %b = load i32, ptr addrspace(3) %mine
  %sum = add i32 %a, %b
  store i32 %sum, ptr addrspace(3) %mine
  %i.next = add i32 %i, 64
  br label %rounds
next:
  %d.next = add i32 %d, 1
  %more = icmp ne i32 %d.next, 5
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Same, without a barrier: half of the threads read what the others have just written.
; CHECK-LABEL: define void @two_shifted_halves_in_step(
; CHECK: call void @simt.warp.barrier
define void @two_shifted_halves_in_step() "simt.kernel" {
  %t = call i32 @simt.tid.x()
  br label %loop
loop:
  %d = phi i32 [ 0, %0 ], [ %d.next, %next ]
  %k = lshr i32 16, %d
  %below = icmp slt i32 %t, %k
  br i1 %below, label %body, label %next
body:
  %far = add nsw i32 %t, %k
  %far.wide = sext i32 %far to i64
  %other = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %far.wide
  %a = load i32, ptr addrspace(3) %other
  %wide = sext i32 %t to i64
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %wide
  %b = load i32, ptr addrspace(3) %mine
  %sum = add i32 %a, %b
  store i32 %sum, ptr addrspace(3) %mine
  br label %next
next:
  %d.next = add i32 %d, 1
  %more = icmp ne i32 %d.next, 5
  br i1 %more, label %loop, label %end
end:
  ret void
}

@count = internal addrspace(3) global i32 poison

; All threads load an address before the first of them stores there.
; CHECK-LABEL: define void @read_by_all(
; CHECK: %n = load i32
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NOT: simt.warp
; CHECK: ret void
; GPU-LABEL: define void @read_by_all(
; GPU-NOT: simt.warp
; GPU: ret void
define void @read_by_all(ptr addrspace(1) %p, i32 %rounds) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  br label %steps
steps:
  %k = phi i32 [ %t, %0 ], [ %k.next, %steps ]
  %k.next = add i32 %k, 32
  %more = icmp slt i32 %k.next, %rounds
  br i1 %more, label %steps, label %loop
loop:
  %i = phi i32 [ 0, %steps ], [ %i.next, %next ]
  %n = load i32, ptr addrspace(3) @count
  store i32 %n, ptr addrspace(1) %p
  %first = icmp eq i32 %t, 0
  br i1 %first, label %write, label %next
write:
  store i32 0, ptr addrspace(3) @count
  br label %next
next:
  call void @simt.barrier(i32 0)
  %i.next = add i32 %i, 1
  %again = icmp slt i32 %i.next, %rounds
  br i1 %again, label %loop, label %end
end:
  ret void
}

; A single thread loads and stores; the others wait for it.
; CHECK-LABEL: define void @read_by_one(
; CHECK-NOT: simt.warp
; CHECK: ret void
define void @read_by_one(ptr addrspace(1) %p) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %add, label %end
add:
  %n = load i32, ptr addrspace(3) @count
  %more = add i32 %n, 1
  store i32 %more, ptr addrspace(3) @count
  br label %end
end:
  call void @simt.barrier(i32 0)
  %all = load i32, ptr addrspace(3) @count
  store i32 %all, ptr addrspace(1) %p
  ret void
}

; The indices are extended after a constant is added to one of them.
; CHECK-LABEL: define void @extended_sums(
; CHECK: call void @simt.warp.barrier
; CHECK-NEXT: %before = load i32
; CHECK: call void @simt.warp.barrier
; CHECK-NEXT: store i32 %sum
define void @extended_sums(i32 %x) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %twice = shl nuw nsw i32 %t, 1
  %lane = and i32 %t, 31
  %warp = sub nsw i32 %twice, %lane
  %own = add nsw i32 %warp, 32
  %own.wide = sext i32 %own to i64
  %warp.wide = sext i32 %warp to i64
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %own.wide
  %start = getelementptr i32, ptr addrspace(3) @s, i64 %warp.wide
  %neighbour = getelementptr i8, ptr addrspace(3) %start, i64 124
  store i32 %x, ptr addrspace(3) %mine
  %before = load i32, ptr addrspace(3) %neighbour
  %sum = add i32 %before, %x
  store i32 %sum, ptr addrspace(3) %mine
  ret void
}

; Nearby threads with indices that count from the end if negative.
; GPU-LABEL: define void @from_the_end(
; GPU-COUNT-2: call void @simt.warp.barrier
; CHECK-LABEL: define void @from_the_end(
; CHECK: store i32 %t
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: load i32
; CHECK: ret void
define void @from_the_end(i64 %x) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %lane = and i64 %i, 31
  %warp = sub nsw i64 %i, %lane
  %two = add nsw i64 %warp, %i
  %own = add nsw i64 %two, 32
  %own.below = icmp slt i64 %two, -32
  %own.wrapped = add nsw i64 %two, 288
  %own.index = select i1 %own.below, i64 %own.wrapped, i64 %own
  %near = add nsw i64 %two, 31
  %near.below = icmp slt i64 %two, -31
  %near.wrapped = add nsw i64 %two, 287
  %near.index = select i1 %near.below, i64 %near.wrapped, i64 %near
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %own.index
  %other = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %near.index
  store i32 %t, ptr addrspace(3) %mine
  %v = load i32, ptr addrspace(3) %other
  %sum = add i32 %v, %t
  store i32 %sum, ptr addrspace(3) %mine
  ret void
}

; The same with the operation of the front end.
; GPU-LABEL: define void @wrapped(
; GPU-COUNT-2: call void @simt.warp.barrier
; CHECK-LABEL: define void @wrapped(
; CHECK: store i32 %t
; CHECK-NEXT: call i32 @simt.warp.active
; CHECK-NEXT: call void @simt.warp.barrier
; CHECK-NEXT: load i32
; CHECK: ret void
define void @wrapped(i64 %x) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %lane = and i64 %i, 31
  %warp = sub nsw i64 %i, %lane
  %two = add nsw i64 %warp, %i
  %own = add nsw i64 %two, 32
  %own.index = call i64 @simt.wrap(i64 %own, i64 256)
  %near = add nsw i64 %two, 31
  %near.index = call i64 @simt.wrap(i64 %near, i64 256)
  %mine = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %own.index
  %other = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %near.index
  store i32 %t, ptr addrspace(3) %mine
  %v = load i32, ptr addrspace(3) %other
  %sum = add i32 %v, %t
  store i32 %sum, ptr addrspace(3) %mine
  ret void
}

declare i64 @simt.wrap(i64, i64)
