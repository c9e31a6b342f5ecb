; RUN: heddle-opt -passes=nvptx-unswitch-loops -S %s | FileCheck %s
; A loop that tests an unchanged condition twice in each iteration becomes two loops, one for each result.

; CHECK-LABEL: @scale(
; CHECK: entry:
; CHECK: %store = icmp ne ptr addrspace(1) %b, null
; CHECK: br i1 %store, label %[[THEN:.*]], label %[[ELSE:.*]]
; CHECK: [[ELSE]]:
; CHECK-COUNT-2: store float %{{.*}}, ptr addrspace(1) %{{.*}}
; CHECK-NOT: store
; CHECK: br i1 %{{.*}}, label %[[ELSE]], label %exit
; CHECK: [[THEN]]:
; CHECK-COUNT-4: store float %{{.*}}, ptr addrspace(1) %{{.*}}
; CHECK-NOT: store
; CHECK: exit:
define ptx_kernel void @scale(ptr addrspace(1) noundef %a, ptr addrspace(1) noundef %b, i64 noundef %n) {
entry:
  %store = icmp ne ptr addrspace(1) %b, null
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p
  %w = fmul float %v, 2.0
  store float %w, ptr addrspace(1) %p
  br i1 %store, label %first, label %middle
first:
  %q = getelementptr float, ptr addrspace(1) %b, i64 %i
  store float %w, ptr addrspace(1) %q
  br label %middle
middle:
  %p2 = getelementptr float, ptr addrspace(1) %p, i64 %n
  store float %w, ptr addrspace(1) %p2
  br i1 %store, label %second, label %latch
second:
  %q2 = getelementptr float, ptr addrspace(1) %b, i64 %n
  store float %w, ptr addrspace(1) %q2
  br label %latch
latch:
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; One test in each iteration.
; CHECK-LABEL: @once(
; CHECK: br i1 %store, label %first, label %latch
; CHECK-NOT: br i1 %store
; CHECK: ret void
define ptx_kernel void @once(ptr addrspace(1) %a, i1 %store, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  br i1 %store, label %first, label %latch
first:
  store float 1.0, ptr addrspace(1) %p
  br label %latch
latch:
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; CHECK: !{!"scale: a loop tests a condition several times in each iteration that no iteration changes: each result of the condition has a separate loop"}
