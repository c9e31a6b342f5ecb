; RUN: env HEDDLE_CPU=%four-lanes heddle-opt -passes=vectorize -S %s | FileCheck %s
; RUN: env HEDDLE_CPU=%four-lanes heddle-opt -passes=vectorize,bind-context,lower-atomics -S %s | FileCheck %s --check-prefix=LOWER
; Atomics of a group's lanes.

; All lanes access one address: one atomic with the sum.
; CHECK-LABEL: define void @counts(
; CHECK: %[[VALUES:.*]] = select <4 x i1> %{{.*}}, <4 x i32> %{{.*}}, <4 x i32> zeroinitializer
; CHECK: %[[SUM:.*]] = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %[[VALUES]])
; CHECK: call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %place, i32 %[[SUM]], i32 1)
; CHECK: then.all:
; CHECK: %[[SUM_OF_ALL:.*]] = call i32 @llvm.vector.reduce.add.v4i32(
; CHECK: call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %place, i32 %[[SUM_OF_ALL]], i32 1)
; CHECK-NOT: @simt.atomic
define void @counts(ptr addrspace(1) %place, ptr addrspace(1) %a, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %then, label %end
then:
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %v = load i32, ptr addrspace(1) %p, align 4
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %place, i32 %v, i32 1)
  br label %end
end:
  ret void
}

; Each lane gets the value after the atomics of the lanes before it.
; CHECK-LABEL: define void @takes_a_place(
; CHECK: %[[OLD:.*]] = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %place, i32 %{{.*}}, i32 1)
; CHECK: %[[ALL:.*]] = insertelement <4 x i32> poison, i32 %[[OLD]], i64 0
; CHECK: add <4 x i32>
define void @takes_a_place(ptr addrspace(1) %place, ptr addrspace(1) %out, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %place, i32 %n, i32 1)
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %old, ptr addrspace(1) %p, align 4
  ret void
}

; Floating-point sums are computed lane by lane, starting with the value in memory.
; CHECK-LABEL: define void @sums(
; CHECK: call float @simt.atomic.add.f32.p1(ptr addrspace(1) %place, float -0.000000e+00, i32 1) [ "heddle.lanes"(<4 x float> %{{.*}}) ]
; LOWER-LABEL: @sums(
; LOWER: %[[OLD:.*]] = bitcast i32 %{{.*}} to float
; LOWER: call float @llvm.vector.reduce.fadd.v4f32(float %[[OLD]], <4 x float> %
; LOWER: cmpxchg
define void @sums(ptr addrspace(1) %place, ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  %v = load float, ptr addrspace(1) %p, align 4
  %old = call float @simt.atomic.add.f32.p1(ptr addrspace(1) %place, float %v, i32 1)
  ret void
}

; NaNs are ignored; of equal values, the first lane's is used.
; CHECK-LABEL: define void @greatest(
; CHECK: fcmp ord <4 x float>
; CHECK: fcmp ogt <2 x float>
; CHECK: fcmp ogt <1 x float>
; CHECK: call float @simt.atomic.max.f32.p1(ptr addrspace(1) %place, float %
define void @greatest(ptr addrspace(1) %place, ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  %v = load float, ptr addrspace(1) %p, align 4
  %old = call float @simt.atomic.max.f32.p1(ptr addrspace(1) %place, float %v, i32 1)
  ret void
}

; Block-private memory: unrolled calls if all lanes are active, else a loop over the active lanes.
; CHECK-LABEL: define void @histogram(
; CHECK: %[[ALL:.*]] = icmp eq i4 %{{.*}}, -1
; CHECK: br i1 %[[ALL]], label %all, label %[[SOME:.*]]
; CHECK: all:
; CHECK-COUNT-4: call i32 @simt.atomic.add.i32.p3(
; CHECK: [[SOME]]:
; CHECK: lane:
; CHECK: call i32 @simt.atomic.add.i32.p3(
define void @histogram(ptr addrspace(3) %bins, ptr addrspace(1) %a, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %then, label %end
then:
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %v = load i32, ptr addrspace(1) %p, align 4
  %bin = getelementptr i32, ptr addrspace(3) %bins, i32 %v
  %old = call i32 @simt.atomic.add.i32.p3(ptr addrspace(3) %bin, i32 1, i32 1)
  br label %end
end:
  ret void
}
declare i32 @simt.tid.x()
declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32)
declare i32 @simt.atomic.add.i32.p3(ptr addrspace(3), i32, i32)
declare float @simt.atomic.add.f32.p1(ptr addrspace(1), float, i32)
declare float @simt.atomic.max.f32.p1(ptr addrspace(1), float, i32)
