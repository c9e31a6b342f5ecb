; RUN: heddle-opt -passes=insert-race-filter,expand-race-filter -S %s | FileCheck %s

@s = internal addrspace(3) global [64 x float] poison

; A write tests the cells for writes and reads, stores its own number, and tests whether another lane has replaced it.
; After the barrier, the epoch of the own number is larger by one. A read stores its number, or the code for several
; readers.
; CHECK-LABEL: define void @k(
; CHECK: %[[OWN:[0-9]+]] = or i32 2048, %[[THREAD:[0-9]+]]
; CHECK: %[[WRITES:[0-9]+]] = getelementptr i8, ptr addrspace(1) %1, i64 %{{.*}}
; CHECK: %[[READS:[0-9]+]] = getelementptr i8, ptr addrspace(1) %2, i64 %{{.*}}
; CHECK: %[[CELL:[0-9]+]] = load i32, ptr addrspace(1) %[[WRITES]]
; CHECK: icmp ult i32 %[[CELL]], 2048
; CHECK: icmp ne i32 %[[CELL]], %[[OWN]]
; CHECK: load i32, ptr addrspace(1) %[[READS]]
; CHECK: store i32 %[[OWN]], ptr addrspace(1) %[[WRITES]]
; CHECK: %[[NOW:[0-9]+]] = load i32, ptr addrspace(1) %[[WRITES]]
; CHECK: icmp ne i32 %[[NOW]], %[[OWN]]
; CHECK: store float 1.000000e+00
; CHECK: call void @simt.check.index(
; CHECK-NEXT: call void @simt.barrier(
; CHECK: %[[EPOCH:[0-9]+]] = add i32 2048, 2048
; CHECK: %[[SECOND:[0-9]+]] = or i32 %[[EPOCH]], %[[THREAD]]
; CHECK: %[[SEVERAL:[0-9]+]] = or i32 %[[EPOCH]], 2047
; CHECK: %[[NEW:[0-9]+]] = select i1 %{{.*}}, i32 %[[SECOND]], i32 %[[SEVERAL]]
; CHECK: store i32 %[[NEW]]
; CHECK: %[[LAST:[0-9]+]] = load i32
; CHECK: icmp ne i32 %[[LAST]], %[[NEW]]
; CHECK: load float
; CHECK: call void @simt.check.index(
; CHECK-NEXT: ret void
; CHECK-NOT: call void @simt.filter.access
define void @k(ptr addrspace(1) %out) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %other = xor i32 %t, 1
  %i = zext i32 %other to i64
  %p = getelementptr float, ptr addrspace(3) @s, i64 %i
  store float 1.0, ptr addrspace(3) %p
  call void @simt.barrier(i32 0)
  %another = xor i32 %t, 2
  %j = zext i32 %another to i64
  %q = getelementptr float, ptr addrspace(3) @s, i64 %j
  %v = load float, ptr addrspace(3) %q
  store float %v, ptr addrspace(3) %p
  ret void
}

declare i32 @simt.tid.x()
declare void @simt.barrier(i32)
!simt.sites = !{!0}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 7, i32 8}
