; RUN: heddle-opt -passes=hoist-checks -S %s | FileCheck %s

; All indices of a loop that changes nothing are checked in front of it.
; CHECK-LABEL: define void @sum(
; CHECK: entry:
; CHECK: %[[LAST:.*]] = add {{.*}}i64 %n, -1
; CHECK: %[[HIGH:.*]] = select i1 %{{.*}}, i64 %size, i64 9223372036854775807
; CHECK: call void @simt.check.index(i32 0, i64 0, i64 %[[LAST]], i64 1, i64 %{{.*}}, i64 %[[HIGH]])
; CHECK: header:
; CHECK-NOT: call void @simt.check.index
define void @sum(ptr addrspace(1) %a, i64 range(i64 0, 1048576) %n, i64 %size) "simt.kernel" {
entry:
  br label %header
header:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %go = icmp slt i64 %k, %n
  br i1 %go, label %body, label %end
body:
  call void @simt.check.index(i32 0, i64 %k, i64 %k, i64 0, i64 0, i64 %size)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %k
  %v = load i64, ptr addrspace(1) %p
  %next = add nuw nsw i64 %k, 1
  br label %header
end:
  ret void
}

; A store that comes first in a round is done before the check of the next round fails.
; CHECK-LABEL: define void @copy(
; CHECK: body:
; CHECK: call void @simt.check.index(i32 0, i64 %k, i64 %k
define void @copy(ptr addrspace(1) %a, i64 range(i64 0, 1048576) %n, i64 %size) "simt.kernel" {
entry:
  br label %header
header:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %go = icmp slt i64 %k, %n
  br i1 %go, label %body, label %end
body:
  call void @simt.check.index(i32 0, i64 %k, i64 %k, i64 0, i64 0, i64 %size)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %k
  store i64 %k, ptr addrspace(1) %p
  %next = add nuw nsw i64 %k, 1
  br label %header
end:
  ret void
}

; What is the same in all rounds is checked once, if nothing is changed before it in the first.
; CHECK-LABEL: define void @same(
; CHECK: entry:
; CHECK: call void @simt.check.index(i32 0, i64 %i, i64 %i
; CHECK: body:
; CHECK-NOT: simt.check.index(i32 0
; CHECK: store
; CHECK: call void @simt.check.index(i32 1, i64 %j, i64 %j
define void @same(ptr addrspace(1) %a, i64 range(i64 1, 1048576) %n, i64 %i, i64 %j, i64 %size) "simt.kernel" {
entry:
  br label %header
header:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %go = icmp slt i64 %k, %n
  br i1 %go, label %body, label %end
body:
  call void @simt.check.index(i32 0, i64 %i, i64 %i, i64 0, i64 0, i64 %size)
  store i64 %k, ptr addrspace(1) %a
  call void @simt.check.index(i32 1, i64 %j, i64 %j, i64 0, i64 0, i64 %size)
  %next = add nuw nsw i64 %k, 1
  br label %header
end:
  ret void
}

declare void @simt.check.index(i32, i64, i64, i64, i64, i64) memory(inaccessiblemem: readwrite) nounwind
