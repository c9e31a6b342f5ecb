; RUN: heddle-opt -passes=poison-unused-incoming-values -S %s | FileCheck %s
; RUN: heddle-opt -passes=poison-unused-incoming-values,bind-context,lower-indices,plan-blocks,make-region-loops -S %s | FileCheck %s --check-prefix=LOOPS
; A value that only some threads use is poison in the others.

; CHECK-LABEL: define void @some(
; CHECK: %v = phi i32 [ %w, %work ], [ poison, %0 ]
; Each thread keeps it in its frame: a shared slot could be overwritten by a thread without a value.
; LOOPS-LABEL: define internal void @some.threads(
; LOOPS-NOT: %v.kept
; LOOPS: store i32 %v, ptr {{%[0-9]+}}
define void @some(ptr addrspace(1) %a, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %some = icmp ult i32 %t, %n
  br i1 %some, label %work, label %join
work:
  %w = sdiv i32 100, %n
  br label %join
join:
  %v = phi i32 [ %w, %work ], [ 0, %0 ]
  call void @simt.barrier(i32 0)
  br i1 %some, label %write, label %out
write:
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  store i32 %v, ptr addrspace(1) %p, align 4
  br label %out
out:
  ret void
}

; Threads without a value use it.
; CHECK-LABEL: define void @all(
; CHECK: %v = phi i32 [ 1, %work ], [ 0, %0 ]
define void @all(ptr addrspace(1) %a, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %some = icmp ult i32 %t, %n
  br i1 %some, label %work, label %join
work:
  br label %join
join:
  %v = phi i32 [ 1, %work ], [ 0, %0 ]
  store i32 %v, ptr addrspace(1) %a, align 4
  ret void
}

; The condition of an iteration differs from the one under which the previous iteration had no value.
; CHECK-LABEL: define void @rounds(
; CHECK: %v = phi i32 [ 5, %0 ], [ 0, %loop ]
define void @rounds(ptr addrspace(1) %a, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  br label %loop
loop:
  %v = phi i32 [ 5, %0 ], [ 0, %loop ], [ 7, %write ]
  %k = phi i32 [ 0, %0 ], [ %next, %loop ], [ %next, %write ]
  %next = add i32 %k, 1
  %some = icmp eq i32 %k, %t
  br i1 %some, label %write, label %loop
write:
  store i32 %v, ptr addrspace(1) %a, align 4
  %more = icmp ult i32 %k, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}

; Uniform conditions keep the value defined.
; CHECK-LABEL: define void @block(
; CHECK: %v = phi i32 [ %w, %work ], [ 0, %0 ]
define void @block(ptr addrspace(1) %a, i32 %n) "simt.kernel" {
  %some = icmp ult i32 %n, 5
  br i1 %some, label %work, label %join
work:
  %w = sdiv i32 100, %n
  br label %join
join:
  %v = phi i32 [ %w, %work ], [ 0, %0 ]
  call void @simt.barrier(i32 0)
  br i1 %some, label %write, label %out
write:
  store i32 %v, ptr addrspace(1) %a, align 4
  br label %out
out:
  ret void
}
; In a step of a triangular scheme, both regions run only the first threads.
; CHECK-LABEL: define void @triangle(
; CHECK: %v = phi float [ %w, %work ], [ poison, %0 ]
; LOOPS-LABEL: define internal void @triangle.threads(
; LOOPS-DAG: %active = alloca i32
; LOOPS-DAG: %active{{[0-9]+}} = alloca i32
define void @triangle(ptr addrspace(1) %a, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  %right = getelementptr float, ptr addrspace(1) %p, i32 1
  call void @simt.barrier(i32 0)
  %some = icmp ult i32 %t, %n
  br i1 %some, label %work, label %join
work:
  %here = load float, ptr addrspace(1) %p, align 4
  %there = load float, ptr addrspace(1) %right, align 4
  %w = fsub float %there, %here
  br label %join
join:
  %v = phi float [ %w, %work ], [ 0.0, %0 ]
  call void @simt.barrier(i32 1)
  br i1 %some, label %write, label %out
write:
  store float %v, ptr addrspace(1) %p, align 4
  br label %out
out:
  ret void
}
declare i32 @simt.tid.x()
declare void @simt.barrier(i32) convergent
