; RUN: env HEDDLE_CPU=%four-lanes heddle-opt -passes=vectorize,bind-context,lower-indices,plan-blocks -S %s | FileCheck %s
; RUN: heddle-opt -passes=bind-context,lower-indices,plan-blocks-as-coroutines -S %s | FileCheck %s --check-prefix=THREADS
; The plan of one kernel per way to pass barriers and per code version. vectorize_groups.ll and vectorize_wide_rows.ll have
; the kinds of groups.

; One loop over groups of threads. Neighboring blocks run together.
; CHECK-DAG: define internal void @copy({{.*}} #[[COPY:[0-9]+]]
define void @copy(ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  store i32 %t, ptr addrspace(1) %p, align 4
  ret void
}

; One loop per region.
; CHECK-DAG: define internal void @meets({{.*}} #[[MEETS:[0-9]+]]
; THREADS-DAG: define internal void @meets({{.*}} #[[MEETS:[0-9]+]]
define void @meets(ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  store i32 %t, ptr addrspace(1) %p, align 4
  call void @simt.barrier(i32 0)
  %v = load i32, ptr addrspace(1) %a, align 4
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}

; Threads that meet at different barriers are coroutines, each of one thread.
; CHECK-DAG: define internal void @parts({{.*}} #[[PARTS:[0-9]+]]
define void @parts(ptr addrspace(1) %a, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %first = icmp ult i32 %t, %n
  br i1 %first, label %left, label %right
left:
  call void @simt.barrier(i32 0)
  store i32 1, ptr addrspace(1) %a, align 4
  br label %end
right:
  call void @simt.barrier(i32 1)
  store i32 2, ptr addrspace(1) %a, align 4
  br label %end
end:
  ret void
}

; Coroutines of groups that meet at grid barriers.
; CHECK-DAG: define internal void @grid({{.*}} #[[GRID:[0-9]+]]
define void @grid(ptr addrspace(1) %a) "simt.kernel" {
  store i32 1, ptr addrspace(1) %a, align 4
  call void @simt.grid.barrier(i32 0)
  ret void
}

; Coroutines that spin.
; CHECK-DAG: define internal void @spins({{.*}} #[[SPINS:[0-9]+]]
define void @spins(ptr addrspace(1) %a) "simt.kernel" {
  br label %loop
loop:
  %v = load atomic i32, ptr addrspace(1) %a monotonic, align 4
  %wait = icmp eq i32 %v, 0
  br i1 %wait, label %again, label %end
again:
  call void @simt.yield()
  br label %loop
end:
  ret void
}

; A group is a warp, and its warp operations need no barrier. Threads of one are coroutines that meet there.
; CHECK-DAG: define internal void @votes({{.*}} #[[VOTES:[0-9]+]]
; THREADS-DAG: define internal void @votes({{.*}} #[[VOTES:[0-9]+]]
define void @votes(ptr addrspace(1) %a, i1 %yes) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %any = call i1 @simt.warp.any(i32 0, i32 -1, i1 %yes)
  %v = zext i1 %any to i32
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}

; Lanes that leave before a barrier run the rest of the kernel first.
; CHECK-DAG: define internal void @early_exit({{.*}} #[[EARLY_EXIT:[0-9]+]]
define void @early_exit(ptr addrspace(1) %a, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %place = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %in = icmp ult i32 %t, %n
  br i1 %in, label %work, label %out
out:
  store i32 7, ptr addrspace(1) %place, align 4
  ret void
work:
  call void @simt.barrier(i32 0)
  %s = getelementptr i32, ptr addrspace(1) %a, i32 %t
  store i32 %t, ptr addrspace(1) %s, align 4
  ret void
}

; A copy of an access without its clamp.
; CHECK-DAG: define internal void @clamped({{.*}} #[[CLAMPED:[0-9]+]]
define void @clamped(ptr addrspace(1) %row, ptr addrspace(1) %out, i32 %last) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %next = add nsw i32 %t, 1
  %i = call i32 @llvm.smin.i32(i32 %next, i32 %last)
  %index = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %row, i64 %index
  %v = load float, ptr addrspace(1) %p, align 4
  call void @simt.barrier(i32 0)
  %wide = sext i32 %t to i64
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %wide
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; A copy of a branch for groups in which all lanes take it.
; CHECK-DAG: define internal void @unmasked_branch({{.*}} #[[UNMASKED_BRANCH:[0-9]+]]
define void @unmasked_branch(ptr addrspace(1) %a, i32 %n) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %then, label %end
then:
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  store float 1.0, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}

; A copy of a loop for iterations that all lanes run.
; CHECK-DAG: define internal void @unmasked_loop({{.*}} #[[UNMASKED_LOOP:[0-9]+]]
define void @unmasked_loop(ptr addrspace(1) %a, i32 %n, i32 %step) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %four = shl i32 %step, 2
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i32 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %more = fadd float %sum, %v
  %next = add nsw i32 %i, %four
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %end
end:
  %q = getelementptr float, ptr addrspace(1) %a, i32 %t
  store float %more, ptr addrspace(1) %q, align 4
  ret void
}

declare i32 @simt.tid.x()
declare i32 @llvm.smin.i32(i32, i32)
declare void @simt.barrier(i32) convergent
declare void @simt.grid.barrier(i32) convergent
declare void @simt.yield()
declare i1 @simt.warp.any(i32, i32, i1) convergent

; CHECK-DAG: attributes #[[COPY]] = {{.*}}"cpu.plan"="grouped=rows; width=4; memory-bound; runs=x"
; CHECK-DAG: attributes #[[MEETS]] = {{.*}}"cpu.plan"="grouped=rows; width=4; barriers=regions"
; CHECK-DAG: attributes #[[PARTS]] = {{.*}}"cpu.plan"="single=threads may reach different barriers or warp operations; barriers=coroutines; coroutines=threads may reach different barriers"
; CHECK-DAG: attributes #[[GRID]] = {{.*}}"cpu.plan"="grouped=rows; width=4; barriers=coroutines; coroutines=threads wait for their warp or for the grid; waits-for-grid"
; CHECK-DAG: attributes #[[SPINS]] = {{.*}}"cpu.plan"="single=an atomic access has no vector form; barriers=coroutines; coroutines=a thread may wait for another in a loop; yields"
; CHECK-DAG: attributes #[[VOTES]] = {{.*}}"cpu.plan"="grouped=warps; width=32; runs=x"
; CHECK-DAG: attributes #[[EARLY_EXIT]] = {{.*}}"cpu.plan"="grouped=rows; width=4; versions.early-exits=1; versions.unmasked-branches=1; barriers=regions"
; CHECK-DAG: attributes #[[CLAMPED]] = {{.*}}"cpu.plan"="grouped=rows; width=4; versions.clamped=1; barriers=regions"
; CHECK-DAG: attributes #[[UNMASKED_BRANCH]] = {{.*}}"cpu.plan"="grouped=rows; width=4; memory-bound; versions.unmasked-branches=1; runs=x"
; CHECK-DAG: attributes #[[UNMASKED_LOOP]] = {{.*}}"cpu.plan"="grouped=rows; width=4; walks-rows; versions.unmasked-loops=1"
; THREADS-DAG: attributes #[[MEETS]] = {{.*}}"cpu.plan"="barriers=coroutines"
; THREADS-DAG: attributes #[[VOTES]] = {{.*}}"cpu.plan"="barriers=coroutines; waits-for-warp"
