; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; Conditions on the thread index alone: the active lanes are constant, and few of them need no gather and no mask.

@rows = internal addrspace(3) global [256 x float] poison, align 16

; The first two lanes of the first group: one short vector, or separate accesses if not adjacent.
; CHECK-LABEL: define void @first_two(
; CHECK: %[[IN:[0-9]+]] = icmp ult i32 %{{.*}}, 2
; CHECK: br i1 %[[IN]], label %then, label %end
; CHECK: then:
; CHECK-COUNT-2: load float, ptr addrspace(3)
; CHECK: load <2 x float>, ptr addrspace(3)
; CHECK: store <2 x float>
; CHECK-NOT: masked
define void @first_two(ptr addrspace(1) noalias %out) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %in = icmp ult i32 %t, 2
  br i1 %in, label %then, label %end
then:
  %apart = getelementptr [4 x float], ptr addrspace(3) @rows, i64 %i
  %v = load float, ptr addrspace(3) %apart, align 4
  %near = getelementptr float, ptr addrspace(3) @rows, i64 %i
  %w = load float, ptr addrspace(3) %near, align 4
  %sum = fadd float %v, %w
  %p = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %sum, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}

; One lane of every group.
; CHECK-LABEL: define void @third(
; CHECK: then:
; CHECK-NOT: masked
; CHECK: %[[PLACE:[0-9]+]] = getelementptr i8, ptr addrspace(3) %near, i64 8
; CHECK: load float, ptr addrspace(3) %[[PLACE]]
; CHECK: store float
; CHECK-NOT: masked
define void @third(ptr addrspace(1) noalias %out) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %near = getelementptr float, ptr addrspace(3) @rows, i64 %i
  %v = load float, ptr addrspace(3) %near, align 4
  %rest = and i32 %t, 3
  %in = icmp eq i32 %rest, 2
  br i1 %in, label %then, label %end
then:
  %row = lshr i64 %i, 2
  %p = getelementptr float, ptr addrspace(1) %out, i64 %row
  store float %v, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}

; All of the first group: no mask.
; CHECK-LABEL: define void @first_group(
; CHECK: then:
; CHECK: load <4 x float>
; CHECK: store <4 x float>
; CHECK-NOT: masked
define void @first_group(ptr addrspace(1) noalias %out) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %in = icmp ult i32 %t, 4
  br i1 %in, label %then, label %end
then:
  %near = getelementptr float, ptr addrspace(3) @rows, i64 %i
  %v = load float, ptr addrspace(3) %near, align 4
  %p = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %v, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}

; A bound other than the width: a mask.
; CHECK-LABEL: define void @by_eight(
; CHECK: masked.store
define void @by_eight(ptr addrspace(1) noalias %out) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %rest = and i32 %t, 7
  %in = icmp ult i32 %rest, 3
  br i1 %in, label %then, label %end
then:
  %p = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float 1.0, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}

declare i32 @simt.tid.x()
