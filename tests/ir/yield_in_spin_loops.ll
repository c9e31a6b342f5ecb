; RUN: heddle-opt -passes=yield-in-spin-loops -S %s | FileCheck %s
; A spinning thread yields at the back edge; loops that end by themselves are unchanged.

; CHECK-LABEL: define void @lock(
; CHECK: br i1 %free, label %mine, label %wait
; CHECK: wait:
; CHECK-NEXT: call void @simt.yield()
; CHECK-NEXT: br label %try
define void @lock(ptr addrspace(1) %lock) "simt.kernel" {
entry:
  br label %try
try:
  %old = call i32 @simt.atomic.cas.i32.p1(ptr addrspace(1) %lock, i32 0, i32 1, i32 1)
  %free = icmp eq i32 %old, 0
  br i1 %free, label %mine, label %try
mine:
  %was = call i32 @simt.atomic.exch.i32.p1(ptr addrspace(1) %lock, i32 0, i32 1)
  ret void
}

; Sleeps in a spin loop are removed: each system sleep takes longer than resuming all other threads.
; CHECK-LABEL: define void @lock_with_sleep(
; CHECK-NOT: simt.nanosleep
; CHECK: call void @simt.yield()
; CHECK: call void @simt.nanosleep(i32 7)
; CHECK-NEXT: ret void
define void @lock_with_sleep(ptr addrspace(1) %lock) "simt.kernel" {
entry:
  br label %try
try:
  %time = phi i32 [ 8, %entry ], [ %twice, %wait ]
  %old = call i32 @simt.atomic.cas.i32.p1(ptr addrspace(1) %lock, i32 0, i32 1, i32 1)
  %free = icmp eq i32 %old, 0
  br i1 %free, label %mine, label %wait
wait:
  call void @simt.nanosleep(i32 %time)
  %twice = shl i32 %time, 1
  br label %try
mine:
  %was = call i32 @simt.atomic.exch.i32.p1(ptr addrspace(1) %lock, i32 0, i32 1)
  call void @simt.nanosleep(i32 7)
  ret void
}
declare void @simt.nanosleep(i32)

; Only the path on which nothing changes yields: a decoupled look-back continues with another flag.
; CHECK-LABEL: define void @look_back(
; CHECK: i32 0, label %wait
; CHECK-NEXT: i32 1, label %next.one
; CHECK: wait:
; CHECK-NEXT: call void @simt.yield()
; CHECK-NEXT: br label %look
; CHECK: next.one:
; CHECK-NOT: simt.yield
define void @look_back(ptr addrspace(1) %flags, i64 %start) "simt.kernel" {
entry:
  br label %look
look:
  %at = phi i64 [ %start, %entry ], [ %at, %look ], [ %before, %next.one ]
  %place = getelementptr i32, ptr addrspace(1) %flags, i64 %at
  %flag = load volatile i32, ptr addrspace(1) %place
  switch i32 %flag, label %done [
    i32 0, label %look
    i32 1, label %next.one
  ]
next.one:
  %before = sub i64 %at, 1
  br label %look
done:
  ret void
}

; An inner loop tells whether an element is still missing.
; CHECK-LABEL: define void @loop_in_a_loop(
; CHECK: call void @simt.yield()
; CHECK: ret void
define void @loop_in_a_loop(ptr addrspace(1) %state, i32 %n) "simt.kernel" {
entry:
  br label %again
again:
  br label %elements
elements:
  %i = phi i32 [ 0, %again ], [ %i1, %next ]
  %missing = phi i1 [ false, %again ], [ %missing1, %next ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %element, label %check
element:
  %p = getelementptr i32, ptr addrspace(1) %state, i32 %i
  %v = load volatile i32, ptr addrspace(1) %p
  %is.missing = icmp eq i32 %v, 0
  br label %next
next:
  %missing1 = or i1 %missing, %is.missing
  %i1 = add i32 %i, 1
  br label %elements
check:
  br i1 %missing, label %again, label %end
end:
  ret void
}

; Plain reads in an inner loop belong to a computation.
; CHECK-LABEL: define void @plain_loop_in_a_loop(
; CHECK-NOT: simt.yield
; CHECK: ret void
define void @plain_loop_in_a_loop(ptr addrspace(1) %state, i32 %n) "simt.kernel" {
entry:
  br label %again
again:
  br label %elements
elements:
  %i = phi i32 [ 0, %again ], [ %i1, %next ]
  %missing = phi i1 [ false, %again ], [ %missing1, %next ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %element, label %check
element:
  %p = getelementptr i32, ptr addrspace(1) %state, i32 %i
  %v = load i32, ptr addrspace(1) %p
  %is.missing = icmp eq i32 %v, 0
  br label %next
next:
  %missing1 = or i1 %missing, %is.missing
  %i1 = add i32 %i, 1
  br label %elements
check:
  br i1 %missing, label %again, label %end
end:
  ret void
}

; CHECK-LABEL: define void @compare_and_swap(
; CHECK-NOT: simt.yield
; CHECK: ret void
define void @compare_and_swap(ptr addrspace(1) %p) "simt.kernel" {
entry:
  br label %try
try:
  %old = load i32, ptr addrspace(1) %p
  %sum = add i32 %old, 7
  %was = call i32 @simt.atomic.cas.i32.p1(ptr addrspace(1) %p, i32 %old, i32 %sum, i32 1)
  %done = icmp eq i32 %was, %old
  br i1 %done, label %end, label %try
end:
  ret void
}

; The two bounds cannot both stay the same.
; CHECK-LABEL: define void @binary_search(
; CHECK-NOT: simt.yield
; CHECK: ret void
define void @binary_search(ptr addrspace(1) %p, i64 %n, i32 %x) "simt.kernel" {
entry:
  br label %test
test:
  %low = phi i64 [ 0, %entry ], [ %low.next, %half ]
  %high = phi i64 [ %n, %entry ], [ %high.next, %half ]
  %goes.on = icmp slt i64 %low, %high
  br i1 %goes.on, label %half, label %end
half:
  %sum = add i64 %low, %high
  %middle = lshr i64 %sum, 1
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %middle
  %there = load i32, ptr addrspace(1) %place
  %less = icmp slt i32 %there, %x
  %above = add i64 %middle, 1
  %low.next = select i1 %less, i64 %above, i64 %low
  %high.next = select i1 %less, i64 %high, i64 %middle
  br label %test
end:
  ret void
}

; The loop carries one bit of the flags that it waits for.
; CHECK-LABEL: define void @until_bit_is_set(
; CHECK: call void @simt.yield()
; CHECK: ret void
define void @until_bit_is_set(ptr addrspace(1) %flags) "simt.kernel" {
entry:
  br label %test
test:
  %set = phi i32 [ 0, %entry ], [ %bit, %read ]
  %unset = icmp eq i32 %set, 0
  br i1 %unset, label %read, label %end
read:
  %word = load volatile i32, ptr addrspace(1) %flags
  %high = lshr i32 %word, 5
  %bit = and i32 %high, 1
  br label %test
end:
  ret void
}

; The loop carries the number that it waits for.
; CHECK-LABEL: define void @until_number_is_set(
; CHECK: call void @simt.yield()
; CHECK: ret void
define void @until_number_is_set(ptr addrspace(1) %flags) "simt.kernel" {
entry:
  br label %test
test:
  %last = phi i64 [ 0, %entry ], [ %seen, %load ]
  %missing = icmp eq i64 %last, 0
  br i1 %missing, label %load, label %done
load:
  %at = getelementptr i32, ptr addrspace(1) %flags, i64 3
  %word = load volatile i32, ptr addrspace(1) %at
  %seen = sext i32 %word to i64
  br label %test
done:
  ret void
}

; The next node of a list is no bit.
; CHECK-LABEL: define void @until_end_of_list(
; CHECK-NOT: simt.yield
; CHECK: ret void
define void @until_end_of_list(ptr addrspace(1) %next) "simt.kernel" {
entry:
  br label %test
test:
  %node = phi i32 [ 1, %entry ], [ %low, %read ]
  %more = icmp ne i32 %node, 0
  br i1 %more, label %read, label %end
read:
  %at = getelementptr i32, ptr addrspace(1) %next, i32 %node
  %link = load volatile i32, ptr addrspace(1) %at
  %low = and i32 %link, 3
  br label %test
end:
  ret void
}

; A volatile read of global memory may wait for another block, which a barrier does not let run.
; CHECK-LABEL: define void @until_another_block_is_done(
; CHECK: wait:
; CHECK-NEXT: call void @simt.yield()
define void @until_another_block_is_done(ptr addrspace(1) %p) "simt.kernel" {
entry:
  br label %test
test:
  call void @simt.barrier(i32 0)
  %flag = load volatile i32, ptr addrspace(1) %p
  %done = icmp ne i32 %flag, 0
  br i1 %done, label %end, label %test
end:
  ret void
}

; One thread reads the flag and passes it on in shared memory.
; CHECK-LABEL: define void @until_the_first_thread_sees_it(
; CHECK: wait:
; CHECK-NEXT: call void @simt.yield()
@seen = internal addrspace(3) global i32 poison
define void @until_the_first_thread_sees_it(ptr addrspace(1) %p) "simt.kernel" {
entry:
  %thread = call i32 @simt.tid.x()
  %is.first = icmp eq i32 %thread, 0
  br label %test
test:
  br i1 %is.first, label %read, label %meet
read:
  %flag = load volatile i32, ptr addrspace(1) %p
  store i32 %flag, ptr addrspace(3) @seen
  br label %meet
meet:
  call void @simt.barrier(i32 0)
  %passed = load i32, ptr addrspace(3) @seen
  call void @simt.barrier(i32 0)
  %done = icmp ne i32 %passed, 0
  br i1 %done, label %end, label %test
end:
  ret void
}

; The block's own progress ends this loop: no other block writes what it reads.
; CHECK-LABEL: define void @until_nothing_changes(
; CHECK-NOT: simt.yield
; CHECK: ret void
@changed = internal addrspace(3) global i32 poison
define void @until_nothing_changes(ptr addrspace(1) %p) "simt.kernel" {
entry:
  %thread = call i32 @simt.tid.x()
  %own = getelementptr i32, ptr addrspace(1) %p, i32 %thread
  br label %test
test:
  store i32 0, ptr addrspace(3) @changed
  call void @simt.barrier(i32 0)
  %v = load i32, ptr addrspace(1) %own
  %is.large = icmp sgt i32 %v, 9
  br i1 %is.large, label %change, label %meet
change:
  %less = sub i32 %v, 9
  store i32 %less, ptr addrspace(1) %own
  store i32 1, ptr addrspace(3) @changed
  br label %meet
meet:
  call void @simt.barrier(i32 0)
  %passed = load i32, ptr addrspace(3) @changed
  call void @simt.barrier(i32 0)
  %more = icmp ne i32 %passed, 0
  br i1 %more, label %test, label %end
end:
  ret void
}

; The memory of the block is written by its threads.
; CHECK-LABEL: define void @until_this_block_is_done(
; CHECK-NOT: simt.yield
; CHECK: ret void
define void @until_this_block_is_done(ptr addrspace(3) %p) "simt.kernel" {
entry:
  br label %test
test:
  call void @simt.barrier(i32 0)
  %flag = load volatile i32, ptr addrspace(3) %p
  %done = icmp ne i32 %flag, 0
  br i1 %done, label %end, label %test
end:
  ret void
}

; A block barrier already lets other threads run.
; CHECK-LABEL: define void @until_done(
; CHECK-NOT: simt.yield
; CHECK: ret void
define void @until_done(ptr addrspace(1) %p) "simt.kernel" {
entry:
  br label %test
test:
  call void @simt.barrier(i32 0)
  %flag = load i32, ptr addrspace(1) %p
  %done = icmp ne i32 %flag, 0
  br i1 %done, label %end, label %test
end:
  ret void
}

declare i32 @simt.atomic.cas.i32.p1(ptr addrspace(1), i32, i32, i32)
declare i32 @simt.atomic.exch.i32.p1(ptr addrspace(1), i32, i32)
declare void @simt.barrier(i32) convergent
declare i32 @simt.tid.x()

; An inner loop may store to the array that it reads: other threads' elements decide when the outer loop ends.
; CHECK-LABEL: define void @stores_of_elements(
; CHECK: call void @simt.yield()
; CHECK: ret void
define void @stores_of_elements(ptr addrspace(1) %x, i32 %n) "simt.kernel" {
entry:
  br label %again
again:
  br label %elements
elements:
  %i = phi i32 [ 0, %again ], [ %i1, %elements ]
  %missing = phi i1 [ false, %again ], [ %missing1, %elements ]
  %i1 = add i32 %i, 1
  %next = getelementptr i32, ptr addrspace(1) %x, i32 %i1
  %v = load volatile i32, ptr addrspace(1) %next
  %p = getelementptr i32, ptr addrspace(1) %x, i32 %i
  store volatile i32 %v, ptr addrspace(1) %p
  %is.missing = icmp eq i32 %v, 0
  %missing1 = or i1 %missing, %is.missing
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %elements, label %check
check:
  br i1 %missing1, label %again, label %end
end:
  ret void
}

; In shared memory, the lanes of a warp may exchange values without barriers.
; CHECK-LABEL: define void @exchanges_of_lanes(
; CHECK-NOT: simt.yield
; CHECK: ret void
define void @exchanges_of_lanes(ptr addrspace(3) %x, i32 %n) "simt.kernel" {
entry:
  br label %again
again:
  br label %elements
elements:
  %i = phi i32 [ 0, %again ], [ %i1, %elements ]
  %missing = phi i1 [ false, %again ], [ %missing1, %elements ]
  %i1 = add i32 %i, 1
  %next = getelementptr i32, ptr addrspace(3) %x, i32 %i1
  %v = load volatile i32, ptr addrspace(3) %next
  %p = getelementptr i32, ptr addrspace(3) %x, i32 %i
  store volatile i32 %v, ptr addrspace(3) %p
  %is.missing = icmp eq i32 %v, 0
  %missing1 = or i1 %missing, %is.missing
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %elements, label %check
check:
  br i1 %missing1, label %again, label %end
end:
  ret void
}

; The outer loop carries a value that the inner loop may leave as it is.
; CHECK-LABEL: define void @value_of_inner_loop(
; CHECK: call void @simt.yield()
; CHECK: ret void
define void @value_of_inner_loop(ptr addrspace(1) %x, i32 %n) "simt.kernel" {
entry:
  br label %again
again:
  %last = phi i32 [ 0, %entry ], [ %last1, %check ]
  br label %elements
elements:
  %i = phi i32 [ 0, %again ], [ %i1, %element ]
  %last1 = phi i32 [ %last, %again ], [ %v, %element ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %element, label %check
element:
  %p = getelementptr i32, ptr addrspace(1) %x, i32 %i
  %v = load volatile i32, ptr addrspace(1) %p
  %i1 = add i32 %i, 1
  br label %elements
check:
  %missing = icmp eq i32 %last1, 0
  br i1 %missing, label %again, label %end
end:
  ret void
}

; The same store in each iteration changes nothing.
; CHECK-LABEL: define void @repeated_store(
; CHECK: call void @simt.yield()
; CHECK: ret void
define void @repeated_store(ptr addrspace(1) %flags, i32 %me) "simt.kernel" {
entry:
  %mine = getelementptr i32, ptr addrspace(1) %flags, i32 %me
  br label %again
again:
  store volatile i32 1, ptr addrspace(1) %mine
  %v = load volatile i32, ptr addrspace(1) %flags
  %missing = icmp eq i32 %v, 0
  br i1 %missing, label %again, label %end
end:
  ret void
}

; A counter limits the number of polls, and the sleeps their time.
; CHECK-LABEL: define void @limited_polls(
; CHECK: call void @simt.nanosleep(i32 1000)
; CHECK: call void @simt.yield()
; CHECK: ret void
define void @limited_polls(ptr addrspace(1) %flag) "simt.kernel" {
entry:
  br label %again
again:
  %polls = phi i32 [ 0, %entry ], [ %polls1, %more ]
  %v = load volatile i32, ptr addrspace(1) %flag
  %missing = icmp eq i32 %v, 0
  br i1 %missing, label %more, label %end
more:
  call void @simt.nanosleep(i32 1000)
  %polls1 = add i32 %polls, 1
  %below = icmp slt i32 %polls1, 1000000
  br i1 %below, label %again, label %end
end:
  ret void
}

; A counter that selects an element is no limit: the loop searches.
; CHECK-LABEL: define void @search(
; CHECK-NOT: simt.yield
; CHECK: ret void
define void @search(ptr addrspace(1) %x, i32 %n) "simt.kernel" {
entry:
  br label %again
again:
  %i = phi i32 [ 0, %entry ], [ %i1, %more ]
  %p = getelementptr i32, ptr addrspace(1) %x, i32 %i
  %v = load volatile i32, ptr addrspace(1) %p
  %missing = icmp eq i32 %v, 0
  br i1 %missing, label %more, label %end
more:
  %i1 = add i32 %i, 1
  %below = icmp slt i32 %i1, %n
  br i1 %below, label %again, label %end
end:
  ret void
}
