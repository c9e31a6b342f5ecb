; RUN: heddle-opt -passes=hoist-checks -S %s | FileCheck %s

; The checks of a loop without side effects are hoisted.
; CHECK-LABEL: define void @sum(
; CHECK: entry:
; CHECK: %[[LAST:.*]] = add {{.*}}i64 %n, -1
; CHECK: call void @simt.check.index(i32 0, i64 0, i64 %[[LAST]], i64 1, i64 0, i64 %size)
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

; A store before the check must happen before the check of the next iteration fails.
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

; An invariant check is hoisted if no effect precedes it in the first iteration.
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

; A sparse matrix row: with a 32-bit start and trip count, no index wraps. In an empty row, the last index precedes the
; first.
; CHECK-LABEL: define void @row(
; CHECK: entry:
; CHECK: %[[LAST:.*]] = add nsw i64 %end, -1
; CHECK: call void @simt.check.index(i32 0, i64 %first, i64 %[[LAST]], i64 1, i64 0, i64 %size)
; CHECK: header:
; CHECK-NOT: call void @simt.check.index(i32 0
; CHECK: call void @simt.check.index(i32 1, i64 %column, i64 %column
define void @row(ptr addrspace(1) %a, i32 %begin, i32 %stop, i64 %size) "simt.kernel" {
entry:
  %first = sext i32 %begin to i64
  %end = sext i32 %stop to i64
  %length = sub nsw i64 %end, %first
  %n = call i64 @llvm.smax.i64(i64 %length, i64 0)
  br label %header
header:
  %round = phi i64 [ 0, %entry ], [ %next, %body ]
  %go = icmp slt i64 %round, %n
  br i1 %go, label %body, label %done
body:
  %k = add nsw i64 %round, %first
  call void @simt.check.index(i32 0, i64 %k, i64 %k, i64 0, i64 0, i64 %size)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %k
  %column = load i64, ptr addrspace(1) %p
  call void @simt.check.index(i32 1, i64 %column, i64 %column, i64 0, i64 0, i64 %size)
  %next = add nuw nsw i64 %round, 1
  br label %header
done:
  ret void
}

; From a 64-bit start, an index may wrap.
; CHECK-LABEL: define void @may_wrap(
; CHECK: body:
; CHECK: call void @simt.check.index(i32 0, i64 %k, i64 %k
define void @may_wrap(ptr addrspace(1) %a, i64 %first, i64 %n, i64 %size) "simt.kernel" {
entry:
  br label %header
header:
  %round = phi i64 [ 0, %entry ], [ %next, %body ]
  %go = icmp slt i64 %round, %n
  br i1 %go, label %body, label %done
body:
  %k = add i64 %round, %first
  call void @simt.check.index(i32 0, i64 %k, i64 %k, i64 0, i64 0, i64 %size)
  %next = add nuw nsw i64 %round, 1
  br label %header
done:
  ret void
}

; An invariant check is not executed if the loop has no iterations.
; CHECK-LABEL: define void @same_or_none(
; CHECK: entry:
; CHECK: %[[SOME:.*]] = icmp ne i64 %n, 0
; CHECK: %[[BEFORE:.*]] = sub i64 %i, 1
; CHECK: %[[LAST:.*]] = select i1 %[[SOME]], i64 %i, i64 %[[BEFORE]]
; CHECK: call void @simt.check.index(i32 0, i64 %i, i64 %[[LAST]], i64 1, i64 0, i64 %size)
; CHECK: header:
; CHECK-NOT: call void @simt.check.index
define void @same_or_none(ptr addrspace(1) %a, i64 range(i64 0, 1048576) %n, i64 %i, i64 %size) "simt.kernel" {
entry:
  br label %header
header:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %go = icmp slt i64 %k, %n
  br i1 %go, label %body, label %end
body:
  call void @simt.check.index(i32 0, i64 %i, i64 %i, i64 0, i64 0, i64 %size)
  store i64 %k, ptr addrspace(1) %a
  %next = add nuw nsw i64 %k, 1
  br label %header
end:
  ret void
}

; Checks move up to the previous check with their operands, past loads but not past stores.
; CHECK-LABEL: define void @join(
; CHECK: call void @simt.check.index(i32 0,
; CHECK-NEXT: %j = add
; CHECK-NEXT: call void @simt.check.index(i32 1, i64 %j,
; CHECK: load
; CHECK: load
; CHECK: store
; CHECK: call void @simt.check.index(i32 2,
; CHECK: load
; CHECK: call void @simt.check.index(i32 3, i64 %w,
define void @join(ptr addrspace(1) %a, i64 %i, i64 %size) "simt.kernel" {
  call void @simt.check.index(i32 0, i64 %i, i64 %i, i64 0, i64 0, i64 %size)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %v = load i64, ptr addrspace(1) %p
  %j = add i64 %i, 1
  call void @simt.check.index(i32 1, i64 %j, i64 %j, i64 0, i64 0, i64 %size)
  %q = getelementptr i64, ptr addrspace(1) %a, i64 %j
  %w = load i64, ptr addrspace(1) %q
  store i64 %v, ptr addrspace(1) %q
  call void @simt.check.index(i32 2, i64 %i, i64 %i, i64 0, i64 0, i64 %v)
  %x = load i64, ptr addrspace(1) %p
  call void @simt.check.index(i32 3, i64 %w, i64 %w, i64 0, i64 0, i64 %x)
  ret void
}

declare void @simt.check.index(i32, i64, i64, i64, i64, i64) memory(inaccessiblemem: readwrite) nounwind
declare i64 @llvm.smax.i64(i64, i64)
