; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s

; Consecutive indices: the first and last lane's indices are tested. If a test fails, the runtime checks all lanes.
; CHECK-LABEL: define void @neighbours(
; CHECK: %[[LAST:.*]] = add i64 %x, 3
; CHECK: icmp uge i64 %[[LAST]], %n
; CHECK: br i1 %{{.*}}, label %lanes, label %in_bounds
; CHECK: lanes:
; CHECK: call void @heddle.lanes.stop(i32 0, i64 %x, i64 1, i64 %x, i64 1, i64 0, i64 0, i64 %n, i64 15)
; CHECK-NEXT: br label %in_bounds
define void @neighbours(ptr addrspace(1) %a, i64 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %x = zext i32 %t to i64
  call void @simt.check.index(i32 0, i64 %x, i64 %x, i64 0, i64 0, i64 %n)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %x
  store float 1.0, ptr addrspace(1) %p
  ret void
}

; Arbitrary indices: active lanes are tested as vectors, in 32 bits if they are extended.
; CHECK-LABEL: define void @any(
; CHECK: icmp uge <4 x i32> %{{.*}}, %
; CHECK: select <4 x i1>
; CHECK: label %lanes, label %in_bounds
; CHECK: call void @simt.trap.index(i32 0, i64 %{{.*}}, i64 %n) [ "heddle.lane"(i32 %{{.*}}) ]
define void @any(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n, i64 %m) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %x = zext i32 %t to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %x
  %v = load i32, ptr addrspace(1) %p
  %some = icmp slt i32 %v, 7
  br i1 %some, label %then, label %end
then:
  %i = sext i32 %v to i64
  call void @simt.check.index(i32 0, i64 %i, i64 %i, i64 0, i64 0, i64 %n)
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %i
  store i32 1, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

declare range(i32 0, 1024) i32 @simt.tid.x()
declare void @simt.check.index(i32, i64, i64, i64, i64, i64) memory(inaccessiblemem: readwrite) nounwind
