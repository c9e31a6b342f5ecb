; RUN: heddle-opt -passes=nvptx-coarsen-threads -S %s | FileCheck %s
; Reasons to keep a kernel unchanged, with their remarks.

; CHECK-NOT: $x4(
; CHECK-NOT: $x2(
; CHECK: !{!"waits: threads are not coarsened: its threads wait for each other"}
; CHECK: !{!"place: threads are not coarsened: it uses the thread's index in its block"}
; CHECK: !{!"shifted: threads are not coarsened: an array is not accessed with unit stride in the thread's index"}
; CHECK: !{!"unaligned: threads are not coarsened: array a does not start at a multiple of 16 bytes"}
; CHECK: !{!"loops: threads are not coarsened: it has control flow other than guards"}
; CHECK: !{!"returned: threads are not coarsened: it uses the result of an atomic operation"}
; CHECK: !{!"alone: threads are not coarsened: it does not use the thread's index in the grid"}

define void @waits(ptr addrspace(1) align 16 %a) "simt.kernel" {
  call void @simt.barrier(i32 0)
  ret void
}

define void @place(ptr addrspace(1) align 16 %a) "simt.kernel" {
  %ntid = call i32 @simt.ntid.x()
  %ctaid = call i32 @simt.ctaid.x()
  %tid = call i32 @simt.tid.x()
  %d = zext i32 %ntid to i64
  %c = zext i32 %ctaid to i64
  %t = zext i32 %tid to i64
  %m = mul i64 %c, %d
  %i = add i64 %m, %t
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 %tid, ptr addrspace(1) %p
  ret void
}

define void @shifted(ptr addrspace(1) align 16 %a) "simt.kernel" {
  %ntid = call i32 @simt.ntid.x()
  %ctaid = call i32 @simt.ctaid.x()
  %tid = call i32 @simt.tid.x()
  %d = zext i32 %ntid to i64
  %c = zext i32 %ctaid to i64
  %t = zext i32 %tid to i64
  %m = mul i64 %c, %d
  %i = add i64 %m, %t
  %next = add i64 %i, 1
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %next
  store i32 0, ptr addrspace(1) %p
  ret void
}

define void @unaligned(ptr addrspace(1) align 4 %a) "simt.kernel" {
  %ntid = call i32 @simt.ntid.x()
  %ctaid = call i32 @simt.ctaid.x()
  %tid = call i32 @simt.tid.x()
  %d = zext i32 %ntid to i64
  %c = zext i32 %ctaid to i64
  %t = zext i32 %tid to i64
  %m = mul i64 %c, %d
  %i = add i64 %m, %t
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 0, ptr addrspace(1) %p
  ret void
}

define void @loops(ptr addrspace(1) align 16 %a, i64 %n) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %ctaid = call i32 @simt.ctaid.x()
  %tid = call i32 @simt.tid.x()
  %d = zext i32 %ntid to i64
  %c = zext i32 %ctaid to i64
  %t = zext i32 %tid to i64
  %m = mul i64 %c, %d
  %i = add i64 %m, %t
  br label %loop
loop:
  %k = phi i64 [ %i, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %k
  store i32 0, ptr addrspace(1) %p
  %next = add i64 %k, %d
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @returned(ptr addrspace(1) align 16 %a) "simt.kernel" {
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 1, i32 1)
  store i32 %old, ptr addrspace(1) %a
  ret void
}

define void @alone(ptr addrspace(1) align 16 %a) "simt.kernel" {
  store i32 1, ptr addrspace(1) %a
  ret void
}

declare i32 @simt.tid.x() nounwind willreturn memory(none)
declare i32 @simt.ctaid.x() nounwind willreturn memory(none)
declare i32 @simt.ntid.x() nounwind willreturn memory(none)
declare void @simt.barrier(i32) convergent
declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32)
