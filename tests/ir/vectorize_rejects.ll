; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s --implicit-check-not=width=
; Kernels that must run one thread at a time, and the reasons.

; The other side may reach another barrier.
; CHECK-DAG: !"parting: runs one thread at a time: threads may reach different barriers or warp operations"
define void @parting() "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %some = icmp ult i32 %t, 7
  br i1 %some, label %here, label %there
here:
  call void @simt.barrier(i32 0)
  br label %end
there:
  call void @simt.barrier(i32 1)
  br label %end
end:
  ret void
}

; The thread that holds the lock would wait for the threads that wait for it.
; CHECK-DAG: !"lock: runs one thread at a time: a thread may wait for another in a loop"
define void @lock(ptr addrspace(1) %mutex) "simt.kernel" {
  br label %try
try:
  %old = call i32 @simt.atomic.cas.i32.p1(ptr addrspace(1) %mutex, i32 0, i32 1, i32 1)
  %taken = icmp eq i32 %old, 0
  br i1 %taken, label %end, label %try
end:
  ret void
}

; CHECK-DAG: !"array: runs one thread at a time: its local arrays are large"
define void @array(ptr addrspace(1) %a, i64 %i, i64 %n) "simt.kernel" {
  %local = alloca [20000 x i32]
  %p = getelementptr i32, ptr %local, i64 %i
  %q = getelementptr i32, ptr %local, i64 %n
  store i32 1, ptr %p, align 4
  call void @simt.barrier(i32 0)
  %v = load i32, ptr %q, align 4
  store i32 %v, ptr addrspace(1) %a, align 4
  ret void
}

; Sums over different masks.
; CHECK-DAG: !"sum: runs one thread at a time: warp.reduce.add with masks that differ between lanes has no vector form"
define void @sum(ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %half = and i32 %t, 16
  %mask = shl i32 65535, %half
  %v = call i32 @simt.warp.reduce.add.i32(i32 1, i32 %mask, i32 %t)
  store i32 %v, ptr addrspace(1) %a, align 4
  ret void
}

; Lanes on both sides may wait for each other.
; CHECK-DAG: !"sides: runs one thread at a time: threads may reach different barriers or warp operations"
define void @sides() "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %some = icmp ult i32 %t, 7
  br i1 %some, label %here, label %there
here:
  call void @simt.warp.barrier(i32 0, i32 -1)
  br label %end
there:
  call void @simt.warp.barrier(i32 1, i32 -1)
  br label %end
end:
  ret void
}
declare i32 @simt.tid.x()
declare void @simt.barrier(i32) convergent
declare i32 @simt.atomic.cas.i32.p1(ptr addrspace(1), i32, i32, i32)
declare void @simt.warp.barrier(i32, i32) convergent
declare i32 @simt.warp.reduce.add.i32(i32, i32, i32) convergent
