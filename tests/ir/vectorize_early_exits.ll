; RUN: env HEDDLE_VERIFY=1 heddle-opt -passes=vectorize -S %s | FileCheck %s
; Lanes that exit early access memory before the others proceed to a barrier.

; A return: the store of the exiting lanes comes first.
; CHECK-LABEL: define void @returns(
; CHECK: br i1 %{{.*}}, label %out.early, label %Flow.join
; CHECK: work:
; CHECK-NEXT: call void @simt.barrier(i32 0)
; CHECK: out.early:
; CHECK: call void @llvm.masked.store.v4i32.p1(<4 x i32> splat (i32 7)
; CHECK: br i1 %{{.*}}, label %work, label %Flow1
define void @returns(ptr addrspace(1) %a, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %place = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %in = icmp ult i32 %t, %n
  br i1 %in, label %work, label %out
out:
  store i32 7, ptr addrspace(1) %place, align 4
  ret void
work:
  call void @simt.barrier(i32 0)
  %s = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  store i32 %t, ptr addrspace(3) %s, align 4
  ret void
}

; Both sides end with the same store: the exiting lanes get a copy of it.
; CHECK-LABEL: define void @joins(
; CHECK: br i1 %{{.*}}, label %out.early, label %Flow.join
; CHECK: br i1 %{{.*}}, label %work, label %Flow1
; CHECK: work:
; CHECK-NEXT: call void @simt.barrier(i32 0)
; CHECK-NEXT: br label %out
; CHECK: out.early:
; CHECK: call void @llvm.masked.store.v4i32.p1(<4 x i32> splat (i32 7)
define void @joins(ptr addrspace(1) %a, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %place = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %in = icmp ult i32 %t, %n
  br i1 %in, label %work, label %out
work:
  call void @simt.barrier(i32 0)
  br label %out
out:
  store i32 7, ptr addrspace(1) %place, align 4
  ret void
}

; A loop that lanes exit in different iterations: the code after the loop moves into it, before the barrier.
; CHECK-LABEL: define void @leaves(
; CHECK: again:
; CHECK: call void @simt.barrier(i32 0)
; CHECK: br i1 %{{.*}}, label %[[OUT:.*]], label %Flow
; CHECK: [[OUT]]:
; CHECK: call void @llvm.masked.store.v4i32.p1(<4 x i32> splat (i32 7)
; CHECK: br i1 %{{.*}}, label %again, label %end.early
; CHECK-NOT: masked.store
define void @leaves(ptr addrspace(1) %a, ptr addrspace(1) %ends) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %place = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %endPlace = getelementptr i32, ptr addrspace(1) %ends, i32 %t
  %end = load i32, ptr addrspace(1) %endPlace, align 4
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %again ]
  %done = icmp eq i32 %n, %end
  br i1 %done, label %out, label %again
again:
  call void @simt.barrier(i32 0)
  %next = add i32 %n, 1
  br label %loop
out:
  store i32 7, ptr addrspace(1) %place, align 4
  ret void
}

@tile = internal addrspace(3) global [64 x i32] poison
declare i32 @simt.tid.x()
declare void @simt.barrier(i32) convergent
!simt.sites = !{!0}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 1, i32 0}
