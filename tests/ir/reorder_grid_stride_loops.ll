; RUN: heddle-opt -passes=reorder-grid-stride-loops,instcombine -S %s | FileCheck %s
; Sixteen neighbors share a chunk of the range, if that is unobservable.

; CHECK-LABEL: define void @saxpy(
; CHECK: %[[SIXTEENS:.*]] = and i64 %{{.*}}, 15
; CHECK: %[[FITS:.*]] = icmp eq i64 %[[SIXTEENS]], 0
; CHECK: %[[STRETCH:.*]] = udiv i64
; CHECK: %[[FIRST:.*]] = select i1 %{{.*}}, i32 %{{.*}}, i32 %i
; CHECK: %[[LAST:.*]] = select i1 %{{.*}}, i32 %{{.*}}, i32 %n
; CHECK: %[[STEP:.*]] = select i1 %{{.*}}, i32 16, i32 %threads
; CHECK: %[[I:.*]] = phi i32 [ %[[FIRST]], %entry ], [ %[[NEXT:.*]], %body ]
; CHECK: icmp slt i32 %[[I]], %[[LAST]]
; CHECK: %[[NEXT]] = add i32 %[[I]], %[[STEP]]
define void @saxpy(i32 %n, ptr addrspace(1) noalias %x, ptr addrspace(1) noalias %y) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %grid = call i32 @simt.nctaid.x()
  %threads = mul i32 %ntid, %grid
  %block = call i32 @simt.ctaid.x()
  %start = mul i32 %block, %ntid
  %tid = call i32 @simt.tid.x()
  %i = add i32 %start, %tid
  br label %test
test:
  %k = phi i32 [ %i, %entry ], [ %next, %body ]
  %in = icmp slt i32 %k, %n
  br i1 %in, label %body, label %end
body:
  %index = sext i32 %k to i64
  %from = getelementptr float, ptr addrspace(1) %x, i64 %index
  %v = load float, ptr addrspace(1) %from, align 4
  %to = getelementptr float, ptr addrspace(1) %y, i64 %index
  %w = load float, ptr addrspace(1) %to, align 4
  %sum = fadd float %v, %w
  store float %sum, ptr addrspace(1) %to, align 4
  %next = add i32 %k, %threads
  br label %test
end:
  ret void
}

; The end is computed from parameters.
; CHECK-LABEL: define void @shorter(
; CHECK: select i1 %{{.*}}, i32 16, i32 %threads
define void @shorter(i32 %m, i32 %n, ptr addrspace(1) noalias %x, ptr addrspace(1) noalias %y) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %grid = call i32 @simt.nctaid.x()
  %threads = mul i32 %ntid, %grid
  %block = call i32 @simt.ctaid.x()
  %start = mul i32 %block, %ntid
  %tid = call i32 @simt.tid.x()
  %i = add i32 %start, %tid
  %end.of.both = call i32 @llvm.smin.i32(i32 %m, i32 %n)
  br label %test
test:
  %k = phi i32 [ %i, %entry ], [ %next, %body ]
  %in = icmp slt i32 %k, %end.of.both
  br i1 %in, label %body, label %end
body:
  %index = sext i32 %k to i64
  %from = getelementptr float, ptr addrspace(1) %x, i64 %index
  %v = load float, ptr addrspace(1) %from, align 4
  %to = getelementptr float, ptr addrspace(1) %y, i64 %index
  %w = load float, ptr addrspace(1) %to, align 4
  %sum = fadd float %v, %w
  store float %sum, ptr addrspace(1) %to, align 4
  %next = add i32 %k, %threads
  br label %test
end:
  ret void
}

; An iteration reads what another one wrote.
; CHECK-LABEL: define void @carried(
; CHECK-NOT: i32 16
; CHECK: ret void
define void @carried(i32 %n, ptr addrspace(1) noalias %y) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %grid = call i32 @simt.nctaid.x()
  %threads = mul i32 %ntid, %grid
  %block = call i32 @simt.ctaid.x()
  %start = mul i32 %block, %ntid
  %tid = call i32 @simt.tid.x()
  %i = add i32 %start, %tid
  br label %test
test:
  %k = phi i32 [ %i, %entry ], [ %next, %body ]
  %in = icmp slt i32 %k, %n
  br i1 %in, label %body, label %end
body:
  %index = sext i32 %k to i64
  %from = getelementptr float, ptr addrspace(1) %y, i64 %index
  %v = load float, ptr addrspace(1) %from, align 4
  %next = add i32 %k, %threads
  %later = sext i32 %next to i64
  %to = getelementptr float, ptr addrspace(1) %y, i64 %later
  store float %v, ptr addrspace(1) %to, align 4
  br label %test
end:
  ret void
}

; Shared memory holds what the block's threads see: the block keeps its elements.
; CHECK-LABEL: define void @counted(
; CHECK: %[[FIRST:.*]] = select i1 %{{.*}}, i32 %{{.*}}, i32 %i
; CHECK: %[[LAST:.*]] = select i1 %{{.*}}, i32 %{{.*}}, i32 %n
; CHECK: %[[STEP:.*]] = select i1 %{{.*}}, i32 16, i32 %threads
; CHECK: %[[JUMP:.*]] = select i1 %{{.*}}, i32 %{{.*}}, i32 %threads
; CHECK: %[[I:.*]] = phi i32 [ %[[FIRST]], %entry ], [ %[[NEXT:.*]], %body ]
; CHECK: %[[PART:.*]] = phi i64
; CHECK: icmp slt i32 %[[I]], %[[LAST]]
; CHECK: %[[MORE:.*]] = add nuw i64 %[[PART]], 1
; CHECK: %[[IN:.*]] = icmp ugt i64 %{{.*}}, %[[MORE]]
; CHECK: %[[HOW:.*]] = select i1 %[[IN]], i32 %[[STEP]], i32 %[[JUMP]]
; CHECK: %[[NEXT]] = add i32 %[[I]], %[[HOW]]
@counts = internal addrspace(3) global [16 x i32] poison
define void @counted(i32 %n, ptr addrspace(1) noalias readonly %x) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %grid = call i32 @simt.nctaid.x()
  %threads = mul i32 %ntid, %grid
  %block = call i32 @simt.ctaid.x()
  %start = mul i32 %block, %ntid
  %tid = call i32 @simt.tid.x()
  %i = add i32 %start, %tid
  br label %test
test:
  %k = phi i32 [ %i, %entry ], [ %next, %body ]
  %in = icmp slt i32 %k, %n
  br i1 %in, label %body, label %end
body:
  %index = sext i32 %k to i64
  %from = getelementptr i32, ptr addrspace(1) %x, i64 %index
  %v = load i32, ptr addrspace(1) %from, align 4
  %to = getelementptr i32, ptr addrspace(3) @counts, i32 %v
  %old = call i32 @simt.atomic.add.i32.p3(ptr addrspace(3) %to, i32 1)
  %next = add i32 %k, %threads
  br label %test
end:
  ret void
}
; Each iteration writes a pair of elements.
; CHECK-LABEL: define void @pairs(
; CHECK: select i1 %{{.*}}, i32 16, i32 %threads
define void @pairs(i32 %n, ptr addrspace(1) noalias %x, ptr addrspace(1) noalias %y) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %grid = call i32 @simt.nctaid.x()
  %threads = mul i32 %ntid, %grid
  %block = call i32 @simt.ctaid.x()
  %start = mul i32 %block, %ntid
  %tid = call i32 @simt.tid.x()
  %i = add i32 %start, %tid
  br label %test
test:
  %k = phi i32 [ %i, %entry ], [ %next, %body ]
  %in = icmp slt i32 %k, %n
  br i1 %in, label %body, label %end
body:
  %index = sext i32 %k to i64
  %to = getelementptr { float, float }, ptr addrspace(1) %y, i64 %index
  store float 1.0, ptr addrspace(1) %to, align 4
  %second = getelementptr i8, ptr addrspace(1) %to, i64 4
  store float 2.0, ptr addrspace(1) %second, align 4
  %next = add i32 %k, %threads
  br label %test
end:
  ret void
}

; Iterations write from the end of the array.
; CHECK-LABEL: define void @from_the_end(
; CHECK: select i1 %{{.*}}, i32 16, i32 %threads
define void @from_the_end(i32 %n, ptr addrspace(1) noalias %x, ptr addrspace(1) noalias %y) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %grid = call i32 @simt.nctaid.x()
  %threads = mul i32 %ntid, %grid
  %block = call i32 @simt.ctaid.x()
  %start = mul i32 %block, %ntid
  %tid = call i32 @simt.tid.x()
  %i = add i32 %start, %tid
  br label %test
test:
  %k = phi i32 [ %i, %entry ], [ %next, %body ]
  %in = icmp slt i32 %k, %n
  br i1 %in, label %body, label %end
body:
  %to_end = sub i32 %n, %k
  %index = sext i32 %to_end to i64
  %to = getelementptr float, ptr addrspace(1) %y, i64 %index
  store float 1.0, ptr addrspace(1) %to, align 4
  %next = add i32 %k, %threads
  br label %test
end:
  ret void
}

; Each iteration writes a row, whose length is a parameter.
; CHECK-LABEL: define void @rows(
; CHECK: select i1 %{{.*}}, i32 16, i32 %threads
define void @rows(i32 %n, i32 %m, ptr addrspace(1) noalias %y) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %grid = call i32 @simt.nctaid.x()
  %threads = mul i32 %ntid, %grid
  %block = call i32 @simt.ctaid.x()
  %start = mul i32 %block, %ntid
  %tid = call i32 @simt.tid.x()
  %i = add i32 %start, %tid
  br label %test
test:
  %k = phi i32 [ %i, %entry ], [ %next, %done ]
  %in = icmp slt i32 %k, %n
  br i1 %in, label %row, label %end
row:
  %row.start = mul nsw i32 %k, %m
  br label %column
column:
  %j = phi i32 [ 0, %row ], [ %next.j, %body ]
  %in.row = icmp slt i32 %j, %m
  br i1 %in.row, label %body, label %done
body:
  %element = add nsw i32 %row.start, %j
  %index = sext i32 %element to i64
  %to = getelementptr float, ptr addrspace(1) %y, i64 %index
  store float 1.0, ptr addrspace(1) %to, align 4
  %next.j = add nsw i32 %j, 1
  br label %column
done:
  %next = add i32 %k, %threads
  br label %test
end:
  ret void
}

; The last element of a row is the first one of the next row.
; CHECK-LABEL: define void @overlapping_rows(
; CHECK-NOT: i32 16
; CHECK: ret void
define void @overlapping_rows(i32 %n, i32 %m, ptr addrspace(1) noalias %y) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %grid = call i32 @simt.nctaid.x()
  %threads = mul i32 %ntid, %grid
  %block = call i32 @simt.ctaid.x()
  %start = mul i32 %block, %ntid
  %tid = call i32 @simt.tid.x()
  %i = add i32 %start, %tid
  br label %test
test:
  %k = phi i32 [ %i, %entry ], [ %next, %done ]
  %in = icmp slt i32 %k, %n
  br i1 %in, label %row, label %end
row:
  %row.start = mul nsw i32 %k, %m
  br label %column
column:
  %j = phi i32 [ 0, %row ], [ %next.j, %body ]
  %in.row = icmp sle i32 %j, %m
  br i1 %in.row, label %body, label %done
body:
  %element = add nsw i32 %row.start, %j
  %index = sext i32 %element to i64
  %to = getelementptr float, ptr addrspace(1) %y, i64 %index
  store float 1.0, ptr addrspace(1) %to, align 4
  %next.j = add nsw i32 %j, 1
  br label %column
done:
  %next = add i32 %k, %threads
  br label %test
end:
  ret void
}

; The stores of neighboring iterations overlap.
; CHECK-LABEL: define void @overlapping(
; CHECK-NOT: i32 16
; CHECK: ret void
define void @overlapping(i32 %n, ptr addrspace(1) noalias %x, ptr addrspace(1) noalias %y) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %grid = call i32 @simt.nctaid.x()
  %threads = mul i32 %ntid, %grid
  %block = call i32 @simt.ctaid.x()
  %start = mul i32 %block, %ntid
  %tid = call i32 @simt.tid.x()
  %i = add i32 %start, %tid
  br label %test
test:
  %k = phi i32 [ %i, %entry ], [ %next, %body ]
  %in = icmp slt i32 %k, %n
  br i1 %in, label %body, label %end
body:
  %index = sext i32 %k to i64
  %to = getelementptr float, ptr addrspace(1) %y, i64 %index
  store double 1.0, ptr addrspace(1) %to, align 4
  %next = add i32 %k, %threads
  br label %test
end:
  ret void
}

; Two iterations write one element.
; CHECK-LABEL: define void @halves(
; CHECK-NOT: i32 16
; CHECK: ret void
define void @halves(i32 %n, ptr addrspace(1) noalias %x, ptr addrspace(1) noalias %y) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %grid = call i32 @simt.nctaid.x()
  %threads = mul i32 %ntid, %grid
  %block = call i32 @simt.ctaid.x()
  %start = mul i32 %block, %ntid
  %tid = call i32 @simt.tid.x()
  %i = add i32 %start, %tid
  br label %test
test:
  %k = phi i32 [ %i, %entry ], [ %next, %body ]
  %in = icmp slt i32 %k, %n
  br i1 %in, label %body, label %end
body:
  %half = lshr i32 %k, 1
  %index = zext i32 %half to i64
  %to = getelementptr float, ptr addrspace(1) %y, i64 %index
  store float 1.0, ptr addrspace(1) %to, align 4
  %next = add i32 %k, %threads
  br label %test
end:
  ret void
}

; A product of 32 bits may wrap around, so that two iterations write one element.
; CHECK-LABEL: define void @wraps(
; CHECK-NOT: i32 16
; CHECK: ret void
define void @wraps(i32 %n, ptr addrspace(1) noalias %x, ptr addrspace(1) noalias %y) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %grid = call i32 @simt.nctaid.x()
  %threads = mul i32 %ntid, %grid
  %block = call i32 @simt.ctaid.x()
  %start = mul i32 %block, %ntid
  %tid = call i32 @simt.tid.x()
  %i = add i32 %start, %tid
  br label %test
test:
  %k = phi i32 [ %i, %entry ], [ %next, %body ]
  %in = icmp slt i32 %k, %n
  br i1 %in, label %body, label %end
body:
  %twice = shl i32 %k, 1
  %index = sext i32 %twice to i64
  %to = getelementptr float, ptr addrspace(1) %y, i64 %index
  store float 1.0, ptr addrspace(1) %to, align 4
  %next = add i32 %k, %threads
  br label %test
end:
  ret void
}

; Iterations far apart write one element.
; CHECK-LABEL: define void @truncated(
; CHECK-NOT: i32 16
; CHECK: ret void
define void @truncated(i32 %n, ptr addrspace(1) noalias %x, ptr addrspace(1) noalias %y) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %grid = call i32 @simt.nctaid.x()
  %threads = mul i32 %ntid, %grid
  %block = call i32 @simt.ctaid.x()
  %start = mul i32 %block, %ntid
  %tid = call i32 @simt.tid.x()
  %i = add i32 %start, %tid
  br label %test
test:
  %k = phi i32 [ %i, %entry ], [ %next, %body ]
  %in = icmp slt i32 %k, %n
  br i1 %in, label %body, label %end
body:
  %short = trunc i32 %k to i16
  %index = sext i16 %short to i64
  %to = getelementptr float, ptr addrspace(1) %y, i64 %index
  store float 1.0, ptr addrspace(1) %to, align 4
  %next = add i32 %k, %threads
  br label %test
end:
  ret void
}

; All large iterations write one element.
; CHECK-LABEL: define void @clamped(
; CHECK-NOT: i32 16
; CHECK: ret void
define void @clamped(i32 %n, ptr addrspace(1) noalias %x, ptr addrspace(1) noalias %y) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %grid = call i32 @simt.nctaid.x()
  %threads = mul i32 %ntid, %grid
  %block = call i32 @simt.ctaid.x()
  %start = mul i32 %block, %ntid
  %tid = call i32 @simt.tid.x()
  %i = add i32 %start, %tid
  br label %test
test:
  %k = phi i32 [ %i, %entry ], [ %next, %body ]
  %in = icmp slt i32 %k, %n
  br i1 %in, label %body, label %end
body:
  %small = call i32 @llvm.smin.i32(i32 %k, i32 10)
  %index = sext i32 %small to i64
  %to = getelementptr float, ptr addrspace(1) %y, i64 %index
  store float 1.0, ptr addrspace(1) %to, align 4
  %next = add i32 %k, %threads
  br label %test
end:
  ret void
}

; Additions commute, in any elements.
; CHECK-LABEL: define void @additions(
; CHECK: select i1 %{{.*}}, i32 16, i32 %threads
define void @additions(i32 %n, ptr addrspace(1) noalias %x, ptr addrspace(1) noalias %y) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %grid = call i32 @simt.nctaid.x()
  %threads = mul i32 %ntid, %grid
  %block = call i32 @simt.ctaid.x()
  %start = mul i32 %block, %ntid
  %tid = call i32 @simt.tid.x()
  %i = add i32 %start, %tid
  br label %test
test:
  %k = phi i32 [ %i, %entry ], [ %next, %body ]
  %in = icmp slt i32 %k, %n
  br i1 %in, label %body, label %end
body:
  %other = xor i32 %k, 1
  %to = getelementptr i32, ptr addrspace(1) %y, i32 %k
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %to, i32 1)
  %to2 = getelementptr i32, ptr addrspace(1) %y, i32 %other
  %old2 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %to2, i32 1)
  %next = add i32 %k, %threads
  br label %test
end:
  ret void
}

; Additions and maxima do not commute.
; CHECK-LABEL: define void @counts_and_maxima(
; CHECK-NOT: i32 16
; CHECK: ret void
define void @counts_and_maxima(i32 %n, ptr addrspace(1) noalias %x, ptr addrspace(1) noalias %y) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %grid = call i32 @simt.nctaid.x()
  %threads = mul i32 %ntid, %grid
  %block = call i32 @simt.ctaid.x()
  %start = mul i32 %block, %ntid
  %tid = call i32 @simt.tid.x()
  %i = add i32 %start, %tid
  br label %test
test:
  %k = phi i32 [ %i, %entry ], [ %next, %body ]
  %in = icmp slt i32 %k, %n
  br i1 %in, label %body, label %end
body:
  %other = xor i32 %k, 1
  %to = getelementptr i32, ptr addrspace(1) %y, i32 %k
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %to, i32 1)
  %to2 = getelementptr i32, ptr addrspace(1) %y, i32 %other
  %old2 = call i32 @simt.atomic.max.i32.p1(ptr addrspace(1) %to2, i32 1)
  %next = add i32 %k, %threads
  br label %test
end:
  ret void
}

; Another iteration's count is read.
; CHECK-LABEL: define void @counts_that_are_read(
; CHECK-NOT: i32 16
; CHECK: ret void
define void @counts_that_are_read(i32 %n, ptr addrspace(1) noalias %x, ptr addrspace(1) noalias %y) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %grid = call i32 @simt.nctaid.x()
  %threads = mul i32 %ntid, %grid
  %block = call i32 @simt.ctaid.x()
  %start = mul i32 %block, %ntid
  %tid = call i32 @simt.tid.x()
  %i = add i32 %start, %tid
  br label %test
test:
  %k = phi i32 [ %i, %entry ], [ %next, %body ]
  %in = icmp slt i32 %k, %n
  br i1 %in, label %body, label %end
body:
  %other = xor i32 %k, 1
  %to = getelementptr i32, ptr addrspace(1) %y, i32 %k
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %to, i32 1)
  %from = getelementptr i32, ptr addrspace(1) %y, i32 %other
  %v = load i32, ptr addrspace(1) %from, align 4
  %into = getelementptr i32, ptr addrspace(1) %x, i32 %k
  store i32 %v, ptr addrspace(1) %into, align 4
  %next = add i32 %k, %threads
  br label %test
end:
  ret void
}
declare i32 @simt.tid.x()
declare i32 @simt.atomic.add.i32.p3(ptr addrspace(3), i32)
declare i32 @simt.ntid.x()
declare i32 @simt.ctaid.x()
declare i32 @simt.nctaid.x()
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32)
declare i32 @simt.atomic.max.i32.p1(ptr addrspace(1), i32)
