; RUN: heddle-opt -passes=unroll-and-jam-threads,verify -S %s | FileCheck %s
; Threads of a block that walk through the same rows of b share the loop: b is loaded once.

; CHECK-LABEL: define void @product(
; CHECK: y1.dispatch:
; CHECK-NEXT: %y = phi i32 [ 0, %entry ], [ {{%.*}}, %latch ], [ [[TO:%.*]], %latch.of3 ]
; CHECK: [[LEFT:%.*]] = sub nuw i32 %rows, %y
; CHECK: [[ALL:%.*]] = icmp ugt i32 [[LEFT]], 3
; CHECK: br i1 [[ALL]], label %y1.of0, label %y1
; CHECK: loop.jammed:
; CHECK-COUNT-4: phi float
; CHECK-NEXT: %k{{.*}} = phi i32
; CHECK: load float, ptr %a.at
; CHECK: load float, ptr %b.at
; CHECK-NOT: load float, ptr %b.at
; CHECK: br i1 {{.*}}, label %loop.jammed, label %end.of0
; If a thread bypasses the loop, it and the later ones run separately.
; CHECK: y1:
; CHECK: br i1 %inside, label %before, label %latch
; CHECK: y1.of0:
; CHECK: br i1 {{.*}}, label %before.of0, label %y1
; CHECK: y1.of3:
; CHECK: br i1 {{.*}}, label %before.of3, label %y1
; CHECK: end.of0:
; CHECK: store float
; CHECK: end.of3:
; CHECK: store float
; CHECK: latch.of3:
; CHECK: [[TO]] = add nuw i32 %y, 4
; CHECK: icmp ult i32 [[TO]], %rows
define void @product(ptr %a, ptr %b, ptr noalias %c, i32 %rows, i32 %n, i32 %height) {
entry:
  br label %y1
y1:
  %y = phi i32 [ 0, %entry ], [ %next, %latch ]
  %inside = icmp ult i32 %y, %height
  br i1 %inside, label %before, label %latch
before:
  %row = mul i32 %y, %n
  br label %loop
loop:
  %sum = phi float [ 0.0, %before ], [ %added, %loop ]
  %k = phi i32 [ 0, %before ], [ %k.next, %loop ]
  %i = add i32 %row, %k
  %a.at = getelementptr float, ptr %a, i32 %i
  %u = load float, ptr %a.at
  %b.at = getelementptr float, ptr %b, i32 %k
  %v = load float, ptr %b.at
  %p = fmul float %u, %v
  %added = fadd float %sum, %p
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.at = getelementptr float, ptr %c, i32 %y
  store float %added, ptr %c.at
  br label %latch
latch:
  %next = add i32 %y, 1
  %again = icmp ult i32 %next, %rows
  br i1 %again, label %y1, label %done, !llvm.loop !0
done:
  ret void
}

; Masks of partial groups are the same in all rows, so the masked loop is jammed, too.
; CHECK-LABEL: define void @masked(
; CHECK: loop.jammed:
; CHECK: call <4 x float> @llvm.masked.load
; CHECK-NOT: call <4 x float> @llvm.masked.load
; CHECK: br i1 {{.*}}, label %loop.jammed
define void @masked(ptr %a, ptr %b, ptr %c, <4 x i1> %lanes, i32 %rows, i32 %n) {
entry:
  br label %y1
y1:
  %y = phi i32 [ 0, %entry ], [ %next, %latch ]
  %row = mul i32 %y, %n
  br label %loop
loop:
  %sum = phi <4 x float> [ zeroinitializer, %y1 ], [ %added, %loop ]
  %k = phi i32 [ 0, %y1 ], [ %k.next, %loop ]
  %i = add i32 %row, %k
  %a.at = getelementptr <4 x float>, ptr %a, i32 %i
  %u = load <4 x float>, ptr %a.at
  %b.at = getelementptr <4 x float>, ptr %b, i32 %k
  %v = call <4 x float> @llvm.masked.load(ptr align 4 %b.at, <4 x i1> %lanes, <4 x float> poison)
  %p = fmul <4 x float> %u, %v
  %added = fadd <4 x float> %sum, %p
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, %n
  br i1 %more, label %loop, label %latch
latch:
  %c.at = getelementptr <4 x float>, ptr %c, i32 %y
  call void @llvm.masked.store(<4 x float> %added, ptr align 4 %c.at, <4 x i1> %lanes)
  %next = add i32 %y, 1
  %again = icmp ult i32 %next, %rows
  br i1 %again, label %y1, label %done, !llvm.loop !0
done:
  ret void
}

; Threads have different trip counts.
; CHECK-LABEL: define void @triangle(
; CHECK-NOT: together
; CHECK: ret void
define void @triangle(ptr %a, ptr %b, ptr %c, i32 %rows, i32 %n) {
entry:
  br label %y1
y1:
  %y = phi i32 [ 0, %entry ], [ %next, %latch ]
  %row = mul i32 %y, %n
  br label %loop
loop:
  %sum = phi float [ 0.0, %y1 ], [ %added, %loop ]
  %k = phi i32 [ 0, %y1 ], [ %k.next, %loop ]
  %i = add i32 %row, %k
  %a.at = getelementptr float, ptr %a, i32 %i
  %u = load float, ptr %a.at
  %b.at = getelementptr float, ptr %b, i32 %k
  %v = load float, ptr %b.at
  %p = fmul float %u, %v
  %added = fadd float %sum, %p
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, %y
  br i1 %more, label %loop, label %latch
latch:
  %c.at = getelementptr float, ptr %c, i32 %y
  store float %added, ptr %c.at
  %next = add i32 %y, 1
  %again = icmp ult i32 %next, %rows
  br i1 %again, label %y1, label %done, !llvm.loop !0
done:
  ret void
}

; The loop writes memory.
; CHECK-LABEL: define void @writes(
; CHECK-NOT: together
; CHECK: ret void
define void @writes(ptr %a, ptr %b, ptr %c, i32 %rows, i32 %n) {
entry:
  br label %y1
y1:
  %y = phi i32 [ 0, %entry ], [ %next, %latch ]
  %row = mul i32 %y, %n
  br label %loop
loop:
  %sum = phi float [ 0.0, %y1 ], [ %added, %loop ]
  %k = phi i32 [ 0, %y1 ], [ %k.next, %loop ]
  %i = add i32 %row, %k
  %a.at = getelementptr float, ptr %a, i32 %i
  %u = load float, ptr %a.at
  %b.at = getelementptr float, ptr %b, i32 %k
  %v = load float, ptr %b.at
  %p = fmul float %u, %v
  %added = fadd float %sum, %p
  store float %added, ptr %c
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, %n
  br i1 %more, label %loop, label %latch
latch:
  %c.at = getelementptr float, ptr %c, i32 %y
  store float %added, ptr %c.at
  %next = add i32 %y, 1
  %again = icmp ult i32 %next, %rows
  br i1 %again, label %y1, label %done, !llvm.loop !0
done:
  ret void
}

; The threads have no loads in common.
; CHECK-LABEL: define void @apart(
; CHECK-NOT: together
; CHECK: ret void
define void @apart(ptr %a, ptr %b, ptr %c, i32 %rows, i32 %n) {
entry:
  br label %y1
y1:
  %y = phi i32 [ 0, %entry ], [ %next, %latch ]
  %row = mul i32 %y, %n
  br label %loop
loop:
  %sum = phi float [ 0.0, %y1 ], [ %added, %loop ]
  %k = phi i32 [ 0, %y1 ], [ %k.next, %loop ]
  %i = add i32 %row, %k
  %a.at = getelementptr float, ptr %a, i32 %i
  %u = load float, ptr %a.at
  %b.at = getelementptr float, ptr %b, i32 %i
  %v = load float, ptr %b.at
  %p = fmul float %u, %v
  %added = fadd float %sum, %p
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, %n
  br i1 %more, label %loop, label %latch
latch:
  %c.at = getelementptr float, ptr %c, i32 %y
  store float %added, ptr %c.at
  %next = add i32 %y, 1
  %again = icmp ult i32 %next, %rows
  br i1 %again, label %y1, label %done, !llvm.loop !0
done:
  ret void
}

; The iterations of a program's loop are ordered.
; CHECK-LABEL: define void @ordered(
; CHECK-NOT: together
; CHECK: ret void
define void @ordered(ptr %a, ptr %b, ptr %c, i32 %rows, i32 %n) {
entry:
  br label %y1
y1:
  %y = phi i32 [ 0, %entry ], [ %next, %latch ]
  %row = mul i32 %y, %n
  br label %loop
loop:
  %sum = phi float [ 0.0, %y1 ], [ %added, %loop ]
  %k = phi i32 [ 0, %y1 ], [ %k.next, %loop ]
  %i = add i32 %row, %k
  %a.at = getelementptr float, ptr %a, i32 %i
  %u = load float, ptr %a.at
  %b.at = getelementptr float, ptr %b, i32 %k
  %v = load float, ptr %b.at
  %p = fmul float %u, %v
  %added = fadd float %sum, %p
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, %n
  br i1 %more, label %loop, label %latch
latch:
  %c.at = getelementptr float, ptr %c, i32 %y
  store float %added, ptr %c.at
  %next = add i32 %y, 1
  %again = icmp ult i32 %next, %rows
  br i1 %again, label %y1, label %done
done:
  ret void
}

; A thread writes memory before the loop: only code without side effects may run twice.
; CHECK-LABEL: define void @effects(
; CHECK-NOT: together
; CHECK: ret void
define void @effects(ptr %a, ptr %b, ptr %c, i32 %rows, i32 %n) {
entry:
  br label %y1
y1:
  %y = phi i32 [ 0, %entry ], [ %next, %latch ]
  %row = mul i32 %y, %n
  store float 0.0, ptr %b
  br label %loop
loop:
  %sum = phi float [ 0.0, %y1 ], [ %added, %loop ]
  %k = phi i32 [ 0, %y1 ], [ %k.next, %loop ]
  %i = add i32 %row, %k
  %a.at = getelementptr float, ptr %a, i32 %i
  %u = load float, ptr %a.at
  %b.at = getelementptr float, ptr %b, i32 %k
  %v = load float, ptr %b.at
  %p = fmul float %u, %v
  %added = fadd float %sum, %p
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, %n
  br i1 %more, label %loop, label %latch
latch:
  %c.at = getelementptr float, ptr %c, i32 %y
  store float %added, ptr %c.at
  %next = add i32 %y, 1
  %again = icmp ult i32 %next, %rows
  br i1 %again, label %y1, label %done, !llvm.loop !0
done:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"heddle.threads"}
