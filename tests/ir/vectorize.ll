; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; Lanes along x: uniform values stay scalar, adjacent accesses become vectors, and branches become masks.

; A loop with a uniform trip count over a column: lanes load adjacent elements, and the same element of the row.
; CHECK-LABEL: define void @uniform_loop(
; CHECK-NOT: masked
; CHECK: %[[K:k]] = phi i64
; CHECK: %[[X:.*]] = load float, ptr addrspace(1)
; CHECK: %[[XS:.*]] = insertelement <4 x float> poison, float %[[X]], i64 0
; CHECK: load <4 x float>, ptr addrspace(1) {{.*}}, align 4
; CHECK: fmul <4 x float>
; CHECK: br i1 %{{.*}}, label %loop, label %end
; CHECK: store <4 x float> {{.*}}, align 4
define void @uniform_loop(ptr addrspace(1) %row, ptr addrspace(1) %table, ptr addrspace(1) %out, i64 %n) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %x = zext i32 %t to i64
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %from = getelementptr float, ptr addrspace(1) %row, i64 %k
  %a = load float, ptr addrspace(1) %from, align 4
  %start = mul i64 %k, %n
  %at = add i64 %start, %x
  %place = getelementptr float, ptr addrspace(1) %table, i64 %at
  %b = load float, ptr addrspace(1) %place, align 4
  %product = fmul float %a, %b
  %more = fadd float %sum, %product
  %next = add i64 %k, 1
  %go = icmp ult i64 %next, %n
  br i1 %go, label %loop, label %end
end:
  %to = getelementptr float, ptr addrspace(1) %out, i64 %x
  store float %more, ptr addrspace(1) %to, align 4
  ret void
}

; Lanes exit in different iterations: the loop runs while any lane does, and each keeps the value of its last iteration.
; CHECK-LABEL: define void @divergent_loop(
; CHECK: %last = phi <4 x i64> [ poison, %entry ], [ %[[LAST:.*]], %loop ]
; CHECK: %active = phi <4 x i1> [ splat (i1 true), %entry ], [ %[[STAY:.*]], %loop ]
; CHECK-DAG: %[[LAST]] = select <4 x i1> %active, <4 x i64>
; CHECK-DAG: %[[STAY]] = select <4 x i1> %active, <4 x i1> %{{.*}}, <4 x i1> zeroinitializer
; CHECK-DAG: %[[BITS:.*]] = bitcast <4 x i1> %[[STAY]] to i4
; CHECK-DAG: %[[ANY:.*]] = icmp ne i4 %[[BITS]], 0
; CHECK: br i1 %[[ANY]], label %loop, label %
; CHECK: store <4 x i64> %[[LAST]]
define void @divergent_loop(ptr addrspace(1) %out) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %x = zext i32 %t to i64
  br label %loop
loop:
  %v = phi i64 [ %x, %entry ], [ %half, %loop ]
  %n = phi i64 [ 0, %entry ], [ %count, %loop ]
  %half = lshr i64 %v, 1
  %count = add i64 %n, 1
  %done = icmp eq i64 %half, 0
  br i1 %done, label %end, label %loop
end:
  %to = getelementptr i64, ptr addrspace(1) %out, i64 %x
  store i64 %count, ptr addrspace(1) %to, align 8
  ret void
}

; A branch on the lane: one side is masked, and skipped if no lane takes it.
; CHECK-LABEL: define void @branch(
; CHECK: %[[SOME:.*]] = icmp ult <4 x i32>
; CHECK: br i1 %{{.*}}, label %do, label %
; CHECK: do:
; CHECK: call <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1) align 4 %{{.*}}, <4 x i1> %[[MASK:.*]], <4 x float> poison)
; CHECK: %[[RATIO:.*]] = fdiv <4 x double>
; CHECK: fptosi <4 x double> %[[RATIO]] to <4 x i32>
; CHECK: %[[SAFE:.*]] = select <4 x i1> %[[MASK]], <4 x i64> %{{.*}}, <4 x i64> splat (i64 1)
; CHECK: sdiv <4 x i64> %{{.*}}, %[[SAFE]]
; CHECK: call void @llvm.masked.scatter.v4i32.v4p1(
; CHECK: call void @llvm.masked.store.v4f32.p1(<4 x float> %{{.*}}, ptr addrspace(1) align 4 %{{.*}}, <4 x i1> %[[MASK]])
define void @branch(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %some = icmp ult i32 %t, %k
  br i1 %some, label %do, label %latch
do:
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  %v = load float, ptr addrspace(1) %p, align 4
  %short = sdiv i32 %k, %t
  %long = sext i32 %short to i64
  %divisor = sext i32 %t to i64
  %other = sdiv i64 %long, %divisor
  %quotient = trunc i64 %other to i32
  %far = mul i32 %t, 100
  %q = getelementptr i32, ptr addrspace(1) %b, i32 %far
  store i32 %quotient, ptr addrspace(1) %q, align 4
  store float %v, ptr addrspace(1) %p, align 4
  br label %latch
latch:
  %next = add i32 %k, 1
  %go = icmp ult i32 %next, %n
  br i1 %go, label %loop, label %end
end:
  ret void
}
declare i32 @simt.tid.x()
; CHECK: attributes {{.*}}"cpu.plan"="grouped=rows; width=4
