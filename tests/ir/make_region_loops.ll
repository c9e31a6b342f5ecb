; RUN: heddle-opt -passes=bind-context,lower-indices,plan-blocks,make-region-loops,simplifycfg -S %s | FileCheck %s
; RUN: heddle-opt -passes=bind-context,lower-indices,plan-blocks,make-region-loops,lower-barriers,emit-entries -S %s | FileCheck %s --check-prefix=ENTRY
; One loop over the block's threads per region. Divergent values are kept in frames, uniform ones once, and cheap ones
; are recomputed.

; CHECK-LABEL: define internal void @k.threads(ptr {{.*}}%context, ptr addrspace(1) %p, i32 %n, i32 %step)
; CHECK: %[[BYTES:.*]] = mul nuw i64 %{{.*}}, 8
; CHECK: %frames = call noalias align 8 ptr @heddle_cpu_allocate_frame(ptr %context, i64 %[[BYTES]], i64 8)
; CHECK: %i.kept = alloca i32
; Before the region after the barrier: uniform values.
; CHECK: %[[I:.*]] = load i32, ptr %i.kept
; The kernel's start: up to the barrier or the end.
; CHECK: %frame = getelementptr inbounds i8, ptr %frames
; CHECK: %v = load i32, ptr addrspace(1) %a
; CHECK: %next.region = phi i32
; CHECK: store i32 %v, ptr
; CHECK: store i32 0, ptr %i.kept
; After the barrier.
; CHECK: %[[FRAME:frame[0-9]+]] = getelementptr inbounds i8, ptr %frames
; CHECK: %[[TWICE:.*]] = mul i32 %tid.x{{[0-9]*}}, 2
; CHECK: %[[V:.*]] = load i32, ptr %{{[0-9]+}}
; CHECK: %[[W:.*]] = add i32 %[[V]], %[[TWICE]]
; CHECK: add i32 %[[I]], %step
; CHECK-NOT: simt.barrier
; CHECK: define internal void @k(
; ENTRY: @k.entry = constant {{.*}} ptr @k, ptr null, ptr null }
; ENTRY: @warp.entry = constant {{.*}} ptr null, ptr @warp, ptr null }
; ENTRY: @parted.entry = constant {{.*}} ptr null, ptr @parted, ptr @parted.resume_loop }
; ENTRY: k: its threads pass barriers together
; ENTRY: warp: its threads pass barriers as coroutines: threads wait for their warp or for the grid
; ENTRY: parted: its threads pass barriers as coroutines: threads may reach different barriers
; ENTRY: returns: its threads pass barriers together
define void @k(ptr addrspace(1) %p, i32 %n, i32 %step) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %v = load i32, ptr addrspace(1) %a
  %twice = mul i32 %t, 2
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %round ]
  %sum = phi i32 [ %v, %entry ], [ %more, %round ]
  %goes = icmp slt i32 %i, %n
  br i1 %goes, label %round, label %out
round:
  call void @simt.barrier(i32 3)
  %w = add i32 %v, %twice
  %more = add i32 %sum, %w
  %next = add i32 %i, %step
  br label %head
out:
  store i32 %sum, ptr addrspace(1) %a
  ret void
}

define void @warp(ptr addrspace(1) %p) "simt.kernel" {
  call void @simt.warp.barrier(i32 0, i32 -1)
  store i32 1, ptr addrspace(1) %p
  ret void
}

; Threads may reach different barriers.
define void @parted(ptr addrspace(1) %p) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %c = icmp ult i32 %t, 5
  br i1 %c, label %some, label %others
some:
  call void @simt.barrier(i32 1)
  store i32 1, ptr addrspace(1) %p
  br label %end
others:
  call void @simt.barrier(i32 2)
  br label %end
end:
  ret void
}

; A thread that has returned runs no more regions.
; CHECK-LABEL: define internal void @returns.threads(
; CHECK: %next.region = alloca i32
; CHECK: store i32 0, ptr %next.region
; CHECK-DAG: store i8 1, ptr
; CHECK-DAG: store i8 0, ptr
; CHECK-DAG: store i32 1, ptr %next.region
; CHECK: %ended = load i8, ptr
; CHECK: icmp ne i8 %ended, 0
define void @returns(ptr addrspace(1) %p, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %c = icmp ult i32 %t, %n
  br i1 %c, label %on, label %end
on:
  call void @simt.barrier(i32 1)
  store i32 1, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; Only the first threads work after the barrier: the loop ends with their last group. They compute their number.
; CHECK-LABEL: define internal void @first.threads(
; CHECK: %active = alloca i32
; CHECK: store i32 %ntid.x, ptr %active
; CHECK: %[[AT_MOST:.*]] = call i64 @llvm.umin.i64(i64 %{{.*}}, i64 %{{.*}})
; CHECK: %[[ACTIVE:.*]] = trunc i64 %[[AT_MOST]] to i32
; CHECK: store i32 %[[ACTIVE]], ptr %active
; CHECK: %[[LAST:.*]] = load i32, ptr %active
; CHECK: icmp ult i32 %{{.*}}, %[[LAST]]
; CHECK-NOT: %active
; CHECK: define internal void @first(
define void @first(ptr addrspace(1) %p, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  store i32 1, ptr addrspace(1) %p
  call void @simt.barrier(i32 1)
  %works = icmp slt i32 %t, %n
  br i1 %works, label %work, label %end
work:
  store i32 2, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; Work of thread 0 after that also needs a group.
; CHECK-LABEL: define internal void @first_and_zero.threads(
; CHECK: call i64 @llvm.smax.i64(i64 %{{.*}}, i64 1)
; CHECK: store i32 %{{.*}}, ptr %active
; CHECK: define internal void @first_and_zero(
define void @first_and_zero(ptr addrspace(1) %p, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  store i32 1, ptr addrspace(1) %p
  call void @simt.barrier(i32 1)
  %works = icmp slt i32 %t, %n
  br i1 %works, label %work, label %next
work:
  store i32 2, ptr addrspace(1) %p
  br label %next
next:
  %zero = icmp eq i32 %t, 0
  br i1 %zero, label %alone, label %end
alone:
  store i32 3, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; A thread without work keeps a value for later: all groups run.
; CHECK-LABEL: define internal void @all_keep.threads(
; CHECK-NOT: %active
; CHECK: define internal void @all_keep(
define void @all_keep(ptr addrspace(1) %p, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 1, ptr addrspace(1) %a
  call void @simt.barrier(i32 1)
  %v = load i32, ptr addrspace(1) %a
  %works = icmp slt i32 %t, %n
  br i1 %works, label %work, label %end
work:
  store i32 2, ptr addrspace(1) %p
  br label %end
end:
  call void @simt.barrier(i32 2)
  store i32 %v, ptr addrspace(1) %a
  ret void
}

; The comparison is recomputed after the barrier, and its operand is live only for that: all groups run.
; CHECK-LABEL: define internal void @computed_again.threads(
; CHECK-NOT: %active
; CHECK: define internal void @computed_again(
define void @computed_again(ptr addrspace(1) %p, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %twice = mul nsw i32 %n, 2
  %works = icmp slt i32 %t, %twice
  store i32 1, ptr addrspace(1) %p
  call void @simt.barrier(i32 1)
  br i1 %works, label %work, label %end
work:
  store i32 2, ptr addrspace(1) %p
  br label %end
end:
  ret void
}
declare i32 @simt.tid.x()
declare void @simt.barrier(i32) convergent
declare void @simt.warp.barrier(i32, i32) convergent

; The test if a thread takes part in an iteration is recomputed from the step, which is kept once, and is in no frame.
; CHECK-LABEL: define internal void @takes_part.threads(
; CHECK: %i.kept = alloca i32
; CHECK-NOT: i1, ptr
; CHECK-NOT: store i1
; CHECK: %[[ROUND:.*]] = load i32, ptr %i.kept
; CHECK: icmp ult i32 %tid.x{{[0-9]*}}, %[[ROUND]]
; CHECK-NOT: store i1
; CHECK: define internal void @takes_part(
define void @takes_part(ptr addrspace(1) %p, i32 %n) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  br label %head
head:
  %i = phi i32 [ %n, %entry ], [ %next, %joined ]
  %takes = icmp ult i32 %t, %i
  %b = getelementptr i32, ptr addrspace(1) %a, i32 1
  %v = load i32, ptr addrspace(1) %b
  call void @simt.barrier(i32 3)
  br i1 %takes, label %some, label %joined
some:
  store i32 %v, ptr addrspace(1) %a
  br label %joined
joined:
  call void @simt.barrier(i32 4)
  %next = sub i32 %i, 1
  %goes = icmp ne i32 %next, 0
  br i1 %goes, label %head, label %out
out:
  ret void
}

; Threads without a value for the next region need not run: both regions' loops end after those with one.
; CHECK-LABEL: define internal void @keeps_for_some.threads(
; CHECK-DAG: %active = alloca i32
; CHECK-DAG: %active{{[0-9]+}} = alloca i32
; CHECK: sdiv i32
; CHECK: %v = phi i32 [ %w, %work ], [ poison, %{{.*}} ]
; CHECK: store i32 %v, ptr
; CHECK: define internal void @keeps_for_some(
define void @keeps_for_some(ptr addrspace(1) %p, i32 %n, i32 %m) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  call void @simt.barrier(i32 5)
  %has = icmp ult i32 %t, %n
  br i1 %has, label %work, label %joined
work:
  %u = load i32, ptr addrspace(1) %a
  %w = sdiv i32 %u, %m
  br label %joined
joined:
  %v = phi i32 [ %w, %work ], [ poison, %entry ]
  call void @simt.barrier(i32 6)
  br i1 %has, label %some, label %out
some:
  store i32 %v, ptr addrspace(1) %a
  br label %out
out:
  ret void
}

; A test for full groups comes first: there, the first group computes the number of active threads.
; CHECK-LABEL: define internal void @tells_first.threads(
; CHECK: %all = icmp ult i32
; CHECK: store i32 %{{[0-9]+}}, ptr %active
; CHECK-NEXT: br i1 %all, label %whole, label %few
; CHECK: define internal void @tells_first(
define void @tells_first(ptr addrspace(1) %p, i32 %n) "simt.kernel" "cpu.plan"="width=4" {
entry:
  %t = call i32 @simt.tid.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  call void @simt.barrier(i32 7)
  %last = add i32 %t, 3
  %all = icmp ult i32 %last, %n
  br i1 %all, label %whole, label %few
few:
  %any = icmp ult i32 %t, %n
  br i1 %any, label %some, label %joined
some:
  store i32 0, ptr addrspace(1) %a
  br label %joined
whole:
  store <4 x i32> zeroinitializer, ptr addrspace(1) %a
  br label %joined
joined:
  call void @simt.barrier(i32 8)
  ret void
}
