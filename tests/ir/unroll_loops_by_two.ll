; RUN: heddle-opt -passes=unroll-loops-by-two -S %s | FileCheck %s
; Short loops that only read are unrolled by two; if the trip count is odd, the first iteration is peeled.

; CHECK-LABEL: define float @row(
; CHECK: loop.iter:
; CHECK-DAG: %[[FIRST:.*]] = fadd float %start, %{{.*}}
; CHECK: %[[EVEN:.*]] = trunc i64 %{{.*}} to i1
; CHECK-DAG: %[[START_BITS:.*]] = bitcast float %start to i32
; CHECK-DAG: %[[FIRST_BITS:.*]] = bitcast float %[[FIRST]] to i32
; CHECK: select i1 %[[EVEN]], i32 %[[START_BITS]], i32 %[[FIRST_BITS]]
; CHECK: br i1 %{{.*}}, label %done, label %loop
; CHECK: loop:
; CHECK: phi i64 [ %{{.*}}, %loop.iter ], [ %[[NEXT:.*]], %loop.iter1 ]
; CHECK: phi float [ %{{.*}}, %loop.iter ], [ %[[SUM:.*]], %loop.iter1 ]
; CHECK-COUNT-4: load
; CHECK-NOT: load
; CHECK: %[[NEXT]] = add {{.*}}, 2
; CHECK: icmp eq i64 %[[NEXT]], %n
; CHECK: done:
; CHECK: phi float [ %[[SUM]], %loop.iter1 ], [ %[[FIRST]], %loop.iter ]
define float @row(ptr %columns, ptr %x, float %start, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %before, label %exit
before:
  br label %loop
loop:
  %k = phi i64 [ 0, %before ], [ %next, %loop ]
  %total = phi float [ %start, %before ], [ %sum, %loop ]
  %p = getelementptr i32, ptr %columns, i64 %k
  %column = load i32, ptr %p
  %index = sext i32 %column to i64
  %q = getelementptr float, ptr %x, i64 %index
  %v = load float, ptr %q
  %sum = fadd float %total, %v
  %next = add nuw nsw i64 %k, 1
  %more = icmp ne i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  br label %exit
exit:
  %result = phi float [ %start, %entry ], [ %sum, %done ]
  ret float %result
}

; An iteration that writes memory must not run twice.
; CHECK-LABEL: define void @writes(
; CHECK-COUNT-1: store
; CHECK-NOT: store
; CHECK: ret void
define void @writes(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %a, i64 %k
  %v = load i32, ptr %p
  %w = add i32 %v, 1
  store i32 %w, ptr %p
  %next = add nuw nsw i64 %k, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Neither must one that waits for another thread. Unknown trip counts are not supported.
; CHECK-LABEL: define void @waits(
; CHECK-COUNT-1: load atomic
; CHECK-NOT: load
; CHECK: ret void
define void @waits(ptr %flag, i64 %n) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %v = load atomic i32, ptr %flag monotonic, align 4
  %next = add nuw nsw i64 %k, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: define ptr @list(
; CHECK-COUNT-1: load
; CHECK-NOT: load
; CHECK: ret ptr
define ptr @list(ptr %first) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %first, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %at
  %more = icmp ne ptr %next, null
  br i1 %more, label %loop, label %done
done:
  ret ptr %at
}

; Vectors already run iterations of several threads.
; CHECK-LABEL: define <4 x float> @lanes(
; CHECK-COUNT-1: load
; CHECK-NOT: load
; CHECK: ret <4 x float>
define <4 x float> @lanes(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %total = phi <4 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %p = getelementptr <4 x float>, ptr %a, i64 %k
  %v = load <4 x float>, ptr %p
  %sum = fadd <4 x float> %total, %v
  %next = add nuw nsw i64 %k, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret <4 x float> %sum
}

; Each iteration checks its index: one that is out of bounds ends the loop.
; CHECK-LABEL: define float @checked(
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %stop
; CHECK: trunc i64 %{{.*}} to i1
; CHECK: loop:
; CHECK: load i64
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %stop
; CHECK: load i64
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %stop
; CHECK: %[[NEXT:.*]] = add {{.*}}, 2
; CHECK: icmp eq i64 %[[NEXT]], %n
; CHECK: stop:
; CHECK: phi i64 [ %{{.*}}, %{{.*}} ], [ %{{.*}}, %{{.*}} ], [ %{{.*}}, %{{.*}} ]
; CHECK: call void @stop(i64
define float @checked(ptr %columns, ptr %x, i64 %size, float %start, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %before, label %exit
before:
  br label %loop
loop:
  %k = phi i64 [ 0, %before ], [ %next, %inside ]
  %total = phi float [ %start, %before ], [ %sum, %inside ]
  %p = getelementptr i64, ptr %columns, i64 %k
  %index = load i64, ptr %p
  %in = icmp ult i64 %index, %size
  br i1 %in, label %inside, label %stop
inside:
  %q = getelementptr float, ptr %x, i64 %index
  %v = load float, ptr %q
  %sum = fadd float %total, %v
  %next = add nuw nsw i64 %k, 1
  %more = icmp ne i64 %next, %n
  br i1 %more, label %loop, label %done
stop:
  call void @stop(i64 %index)
  unreachable
done:
  br label %exit
exit:
  %result = phi float [ %start, %entry ], [ %sum, %done ]
  ret float %result
}

; A loop with another exit is unchanged.
; CHECK-LABEL: define float @search(
; CHECK-COUNT-1: load i64
; CHECK-NOT: load i64
; CHECK: ret float
define float @search(ptr %columns, ptr %x, i64 %size, i64 %n) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %inside ]
  %total = phi float [ 0.0, %entry ], [ %sum, %inside ]
  %p = getelementptr i64, ptr %columns, i64 %k
  %index = load i64, ptr %p
  %in = icmp ult i64 %index, %size
  br i1 %in, label %inside, label %done
inside:
  %q = getelementptr float, ptr %x, i64 %index
  %v = load float, ptr %q
  %sum = fadd float %total, %v
  %next = add nuw nsw i64 %k, 1
  %more = icmp ne i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  %result = phi float [ %total, %loop ], [ %sum, %inside ]
  ret float %result
}

declare void @stop(i64)
