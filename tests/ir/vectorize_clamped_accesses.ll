; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; A clamped neighbor is loaded like any other if no lane is clamped.

; CHECK-LABEL: define void @right_neighbour(
; CHECK: %[[OUT:.*]] = icmp sgt <4 x i32>
; CHECK: %[[NONE:.*]] = icmp eq i4 %{{.*}}, 0
; CHECK: br i1 %[[NONE]], label %inside, label %clamped
; CHECK: inside:
; CHECK: %[[V:.*]] = load <4 x float>, ptr addrspace(1)
; CHECK: clamped:
; CHECK: %[[W:.*]] = call <4 x float> @llvm.masked.gather
; CHECK: phi <4 x float> [ %[[W]], %clamped ], [ %[[V]], %inside ]
define void @right_neighbour(ptr addrspace(1) %row, ptr addrspace(1) %out, i32 %last) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %next = add nsw i32 %t, 1
  %i = call i32 @llvm.smin.i32(i32 %next, i32 %last)
  %index = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %row, i64 %index
  %v = load float, ptr addrspace(1) %p, align 4
  call void @simt.barrier(i32 0)
  %wide = sext i32 %t to i64
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %wide
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; Between two bounds, and only in active lanes.
; CHECK-LABEL: define void @some_lanes(
; CHECK: %[[RIGHT:.*]] = icmp sgt <4 x i32>
; CHECK: %[[LEFT:.*]] = icmp slt <4 x i32>
; CHECK: %[[OUT:.*]] = or <4 x i1> %[[RIGHT]], %[[LEFT]]
; CHECK: select <4 x i1> %[[MASK:.*]], <4 x i1> %[[OUT]], <4 x i1> zeroinitializer
; CHECK: inside:
; CHECK: call <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1) {{.*}}, <4 x i1> %[[MASK]]
define void @some_lanes(ptr addrspace(1) %row, ptr addrspace(1) %out, i32 %last, i32 %by) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %wide = sext i32 %t to i64
  %c = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %wide
  %chosen = load i32, ptr addrspace(1) %c, align 4
  %some = icmp ne i32 %chosen, 0
  br i1 %some, label %do, label %end
do:
  %next = add nsw i32 %t, %by
  %low = call i32 @llvm.smax.i32(i32 %next, i32 0)
  %i = call i32 @llvm.smin.i32(i32 %low, i32 %last)
  %index = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %row, i64 %index
  %v = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %wide
  store float %v, ptr addrspace(1) %q, align 4
  br label %end
end:
  ret void
}

; The clamped index has a stride of three elements.
; CHECK-LABEL: define void @far_apart(
; CHECK-NOT: inside
; CHECK: ret void
define void @far_apart(ptr addrspace(1) %row, ptr addrspace(1) %out, i32 %last) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %next = mul nsw i32 %t, 3
  %i = call i32 @llvm.smin.i32(i32 %next, i32 %last)
  %index = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %row, i64 %index
  %v = load float, ptr addrspace(1) %p, align 4
  call void @simt.barrier(i32 0)
  %wide = sext i32 %t to i64
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %wide
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; Periodic neighbors: Python's remainder adds the extent if it is negative.
; CHECK-LABEL: define void @around(
; CHECK: icmp slt
; CHECK: icmp sge
; CHECK: inside:
; CHECK-NEXT: %[[ROW:[0-9]+]] = getelementptr float, ptr addrspace(1) %row, i64 %before
; CHECK: load <4 x float>
; CHECK: clamped:
; CHECK: masked.gather
define void @around(ptr addrspace(1) noalias %row, ptr addrspace(1) noalias %out, i64 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %wide = sext i32 %t to i64
  %before = add nsw i64 %wide, -1
  %rest = srem i64 %before, %n
  %negative = icmp slt i64 %rest, 0
  %added = select i1 %negative, i64 %n, i64 0
  %i = add nsw i64 %rest, %added
  %p = getelementptr float, ptr addrspace(1) %row, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i64 %wide
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; In C, the extent is added first.
; CHECK-LABEL: define void @around_from_before(
; CHECK: icmp ugt i32 %n, 1073741824
; CHECK: inside:
; CHECK: getelementptr float, ptr addrspace(1) %row, i64
; CHECK: load <4 x float>
; CHECK: clamped:
define void @around_from_before(ptr addrspace(1) noalias %row, ptr addrspace(1) noalias %out, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %wide = sext i32 %t to i64
  %before = add nsw i32 %t, -1
  %sum = add nsw i32 %before, %n
  %rest = srem i32 %sum, %n
  %i = sext i32 %rest to i64
  %p = getelementptr float, ptr addrspace(1) %row, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i64 %wide
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; Same, by a select.
; CHECK-LABEL: define void @around_by_choice(
; CHECK: inside:
; CHECK: load <4 x float>
; CHECK: clamped:
; CHECK: masked.gather
define void @around_by_choice(ptr addrspace(1) noalias %row, ptr addrspace(1) noalias %out, i64 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %wide = sext i32 %t to i64
  %next = add nsw i64 %wide, 1
  %at.end = icmp eq i64 %next, %n
  %i = select i1 %at.end, i64 0, i64 %next
  %p = getelementptr float, ptr addrspace(1) %row, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i64 %wide
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; A select that depends on data is not a clamp.
; CHECK-LABEL: define void @by_data(
; CHECK-NOT: inside
; CHECK: ret void
define void @by_data(ptr addrspace(1) noalias %row, ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %choices) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %wide = sext i32 %t to i64
  %c = getelementptr i32, ptr addrspace(1) %choices, i64 %wide
  %chosen = load i32, ptr addrspace(1) %c, align 4
  %some = icmp ne i32 %chosen, 0
  %i = select i1 %some, i64 %wide, i64 0
  %p = getelementptr float, ptr addrspace(1) %row, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i64 %wide
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

declare i32 @simt.tid.x()
declare void @simt.barrier(i32) convergent
