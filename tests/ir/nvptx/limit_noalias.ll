; RUN: heddle-opt -passes=nvptx-limit-noalias -S %s | FileCheck %s
; noalias remains only where no other thread, kernel or program writes the memory while the kernel uses it.

; CHECK-LABEL: define void @independent(
; CHECK-SAME: noalias %read, ptr addrspace(1) noalias %written)
define void @independent(ptr addrspace(1) noalias %read, ptr addrspace(1) noalias %written) "simt.kernel" {
  %x = load i32, ptr addrspace(1) %read
  store i32 %x, ptr addrspace(1) %written
  ret void
}

; The store of another thread may come before the second load.
; CHECK-LABEL: define void @barrier(
; CHECK-SAME: ptr addrspace(1) noalias %read, ptr addrspace(1) %written, ptr addrspace(1) %also)
; CHECK: load i32, ptr addrspace(1) %read, align 4, !noalias ![[BOTH:[0-9]+]]
; CHECK: load i32, ptr addrspace(1) %written, align 4, !alias.scope ![[WRITTEN:[0-9]+]], !noalias ![[ALSO:[0-9]+]]
; CHECK: call void @simt.barrier(i32 0){{$}}
; CHECK: store i32 {{.*}}, ptr addrspace(1) %also, align 4, !alias.scope ![[ALSO]], !noalias ![[WRITTEN]]
; CHECK: load i32, ptr addrspace(1) %either, align 4, !alias.scope ![[BOTH]]{{$}}
define void @barrier(ptr addrspace(1) noalias %read, ptr addrspace(1) noalias %written, ptr addrspace(1) noalias %also) "simt.kernel" {
  %x = load i32, ptr addrspace(1) %read
  %y = load i32, ptr addrspace(1) %written
  call void @simt.barrier(i32 0), !noalias !0
  store i32 %x, ptr addrspace(1) %also
  store i32 %y, ptr addrspace(1) %written
  %negative = icmp slt i32 %x, 0
  %either = select i1 %negative, ptr addrspace(1) %written, ptr addrspace(1) %also
  %z = load i32, ptr addrspace(1) %either
  ret void
}

; An address that is stored may be used by anyone who loads it.
; CHECK-LABEL: define void @escapes(
; CHECK-SAME: ptr addrspace(1) %a, ptr addrspace(1) %place)
define void @escapes(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %place) "simt.kernel" {
  store ptr addrspace(1) %a, ptr addrspace(1) %place
  call void @simt.barrier(i32 0)
  ret void
}

; An addition whose result nobody uses tells the thread nothing.
; CHECK-LABEL: define void @counts(
; CHECK-SAME: noalias %n, ptr addrspace(1) noalias %a)
define void @counts(ptr addrspace(1) noalias %n, ptr addrspace(1) noalias %a) "simt.kernel" {
  %x = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %n, i32 1, i32 1)
  store i32 0, ptr addrspace(1) %a
  ret void
}

; CHECK-LABEL: define void @takes_numbers(
; CHECK-SAME: ptr addrspace(1) %n, ptr addrspace(1) %a, ptr addrspace(1) noalias %read)
define void @takes_numbers(ptr addrspace(1) noalias %n, ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %read) "simt.kernel" {
  %x = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %n, i32 1, i32 1)
  %y = load i32, ptr addrspace(1) %read
  %z = add i32 %x, %y
  store i32 %z, ptr addrspace(1) %a
  ret void
}

; The host or another kernel may write the flag, and what it guards.
; CHECK-LABEL: define void @polls(
; CHECK-SAME: ptr addrspace(1) %flag, ptr addrspace(1) %data, ptr addrspace(1) %o)
define void @polls(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %data, ptr addrspace(1) noalias %o) "simt.kernel" {
  br label %loop

loop:
  call void @simt.fence.device()
  %v = load i32, ptr addrspace(1) %flag
  %zero = icmp eq i32 %v, 0
  br i1 %zero, label %loop, label %end

end:
  %x = load i32, ptr addrspace(1) %data
  store i32 %x, ptr addrspace(1) %o
  ret void
}

; CHECK-LABEL: define void @locks(
; CHECK-SAME: ptr addrspace(1) %mutex, ptr addrspace(1) %data)
define void @locks(ptr addrspace(1) noalias %mutex, ptr addrspace(1) noalias %data) "simt.kernel" {
  br label %loop

loop:
  %v = call i32 @simt.atomic.cas.i32.p1(ptr addrspace(1) %mutex, i32 0, i32 1, i32 1)
  %zero = icmp eq i32 %v, 0
  br i1 %zero, label %end, label %loop

end:
  %x = load i32, ptr addrspace(1) %data
  %y = add i32 %x, 1
  store i32 %y, ptr addrspace(1) %data
  %w = call i32 @simt.atomic.exch.i32.p1(ptr addrspace(1) %mutex, i32 0, i32 1)
  ret void
}

; The last block adds what all blocks have stored; nobody writes %read.
; CHECK-LABEL: define void @last_block(
; CHECK-SAME: ptr addrspace(1) noalias %read, ptr addrspace(1) %parts)
define void @last_block(ptr addrspace(1) noalias %read, ptr addrspace(1) noalias %parts) "simt.kernel" {
  %x = load i32, ptr addrspace(1) %read
  store i32 %x, ptr addrspace(1) %parts
  call void @simt.fence.device()
  ret void
}

declare void @simt.barrier(i32) convergent
declare void @simt.fence.device()
declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32)
declare i32 @simt.atomic.cas.i32.p1(ptr addrspace(1), i32, i32, i32)
declare i32 @simt.atomic.exch.i32.p1(ptr addrspace(1), i32, i32)

!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2}

; CHECK: ![[BOTH]] = !{![[W:[0-9]+]], ![[A:[0-9]+]]}
; CHECK: ![[WRITTEN]] = !{![[W]]}
; CHECK: ![[ALSO]] = !{![[A]]}
