; RUN: heddle-opt -ptx -sm=90 %s | FileCheck %s
; A loop is copied for a condition that is the same in all threads of a warp, not for one that may differ.

; CHECK-LABEL: .entry uniform(
; CHECK-COUNT-26: atom.global.add
; CHECK-NOT: atom.
; CHECK-LABEL: .entry divergent(
; CHECK-COUNT-13: atom.global.add
; CHECK-NOT: atom.
define void @uniform(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) "simt.kernel" {
entry:
  %store = icmp ne ptr addrspace(1) %b, null
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %x = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 1, i32 1)
  br i1 %store, label %first, label %middle
first:
  store volatile i32 %i, ptr addrspace(1) %b
  br label %middle
middle:
  %y0 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y1 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y2 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y3 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y4 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y5 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y6 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y7 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y8 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y9 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y10 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y11 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  br i1 %store, label %second, label %latch
second:
  store volatile i32 %n, ptr addrspace(1) %b
  br label %latch
latch:
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @divergent(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %store = icmp ult i32 %t, 5
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %x = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 1, i32 1)
  br i1 %store, label %first, label %middle
first:
  store volatile i32 %i, ptr addrspace(1) %b
  br label %middle
middle:
  %y0 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y1 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y2 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y3 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y4 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y5 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y6 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y7 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y8 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y9 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y10 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  %y11 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 2, i32 1)
  br i1 %store, label %second, label %latch
second:
  store volatile i32 %n, ptr addrspace(1) %b
  br label %latch
latch:
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

declare i32 @simt.tid.x() nounwind willreturn memory(none)
declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32)
