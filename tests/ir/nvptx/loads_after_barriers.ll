; RUN: heddle-opt -ptx %s | FileCheck %s
; The whole pipeline keeps loads behind the barrier or the lock that makes other threads' stores visible.

; A thread that leaves the loop stores; for the others, the loop does not write %g.
; CHECK-LABEL: .entry leave(
; CHECK: [[LOOP:\$L[_0-9A-Z]+]]:
; CHECK: ld.global.b32
; CHECK: bra [[LOOP]]
define void @leave(ptr addrspace(1) noalias align 4 %g, ptr addrspace(1) noalias align 4 %o, i32 %n) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %writes = icmp eq i32 %t, 40
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi i32 [ 0, %entry ], [ %more, %body ]
  %x = load i32, ptr addrspace(1) %g
  %more = add i32 %sum, %x
  call void @simt.barrier(i32 0)
  br i1 %writes, label %leave, label %body

leave:
  store i32 7, ptr addrspace(1) %g
  br label %end

body:
  call void @simt.barrier(i32 0)
  %next = add i32 %k, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end

end:
  %all = phi i32 [ 0, %leave ], [ %more, %body ]
  store i32 %all, ptr addrspace(1) %o
  ret void
}

; The counter stays in memory while another thread may have the lock.
; CHECK-LABEL: .entry lock(
; CHECK: atom.{{.*}}global.cas
; CHECK: ld.global.b32
; CHECK: st.global.b32
; CHECK: atom.global.exch
define void @lock(ptr addrspace(1) noalias align 4 %mutex, ptr addrspace(1) noalias align 4 %data, i32 %n) "simt.kernel" {
entry:
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %locked ]
  br label %spin

spin:
  %v = call i32 @simt.atomic.cas.i32.p1(ptr addrspace(1) %mutex, i32 0, i32 1, i32 1)
  %free = icmp eq i32 %v, 0
  br i1 %free, label %locked, label %spin

locked:
  %x = load i32, ptr addrspace(1) %data
  %y = add i32 %x, 1
  store i32 %y, ptr addrspace(1) %data
  %w = call i32 @simt.atomic.exch.i32.p1(ptr addrspace(1) %mutex, i32 0, i32 1)
  %next = add i32 %k, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end

end:
  ret void
}

; CHECK-LABEL: .entry poll(
; CHECK: [[POLL:\$L[_0-9A-Z]+]]:
; CHECK: ld.global.b32
; CHECK: bra [[POLL]]
define void @poll(ptr addrspace(1) noalias align 4 %flag) "simt.kernel" {
  br label %loop

loop:
  call void @simt.fence.system()
  %v = load i32, ptr addrspace(1) %flag
  %zero = icmp eq i32 %v, 0
  br i1 %zero, label %loop, label %end

end:
  ret void
}

declare i32 @simt.tid.x()
declare void @simt.barrier(i32) convergent
declare void @simt.fence.system()
declare i32 @simt.atomic.cas.i32.p1(ptr addrspace(1), i32, i32, i32)
declare i32 @simt.atomic.exch.i32.p1(ptr addrspace(1), i32, i32)

!simt.sites = !{!0}
!0 = !{!"barrier", !"syncthreads()", !"leave", !"kernels.py", i32 1, i32 1}
