; RUN: env HEDDLE_CPU=%four-lanes heddle-opt -passes=vectorize -S %s | FileCheck %s
; Code guarded by a bounds check has an unmasked copy for full groups, if masks are slow.

; CHECK-LABEL: define void @guarded(
; CHECK: %[[LAST:[0-9]+]] = add i32 %t, 3
; CHECK: %[[IN:[0-9]+]] = icmp slt i32 %[[LAST]], %n
; CHECK: %[[ALL:[0-9]+]] = freeze i1 %[[IN]]
; CHECK: br i1 %[[ALL]], label %then.all, label %some
; CHECK: some:
; CHECK: br i1 %{{.*}}, label %then, label
; CHECK: then:
; CHECK: call void @llvm.masked.store
; CHECK: then.all:
; CHECK: store <4 x float>
define void @guarded(ptr addrspace(1) %a, i32 %n) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %then, label %end
then:
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  store float 1.0, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}

; A second check of other values, which needs vectors; and a value that is live after both versions.
; CHECK-LABEL: define void @joined(
; CHECK: %[[BITS:[0-9]+]] = bitcast <4 x i1> %{{.*}} to i4
; CHECK: %[[ALL:[0-9]+]] = icmp eq i4 %[[BITS]], -1
; CHECK: br i1 %[[ALL]], label %then.all, label %some
; CHECK: phi <4 x float> [ %{{.*}}, %then.all ], [ %{{.*}}, %end.join ]
define void @joined(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %some = fcmp olt float %v, 0.0
  br i1 %some, label %then, label %end
then:
  %q = getelementptr float, ptr addrspace(1) %b, i64 %i
  %w = load float, ptr addrspace(1) %q, align 4
  br label %end
end:
  %chosen = phi float [ %v, %entry ], [ %w, %then ]
  store float %chosen, ptr addrspace(1) %p, align 4
  ret void
}

; After a divergent branch, lanes may be missing, so there is no unmasked copy.
; CHECK-LABEL: define void @nested(
; CHECK: br i1 %{{.*}}, label %outer.all, label %some
; CHECK-NOT: .all.all
; CHECK: inner.all:
define void @nested(ptr addrspace(1) %a, i32 %n, i32 %m) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %outer, label %end
outer:
  %u = call i32 @simt.tid.y()
  store i32 %u, ptr addrspace(1) %a, align 4
  %also = icmp sgt i32 %t, %m
  br i1 %also, label %inner, label %end
inner:
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  store float 1.0, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}

; Iterations in which all lanes are active need no mask; after the first lane exits, the masked loop continues.
; CHECK-LABEL: define void @rounds(
; CHECK: rest: ; preds = %entry, %loop.all
; CHECK: phi <4 x float> [ poison, %entry ], [ %[[SUM:[0-9]+]], %loop.all ]
; CHECK: br i1 %{{.*}}, label %enter.rest, label %[[BEHIND:.*]]
; CHECK: loop: ; preds = %enter.rest, %loop
; CHECK: call <4 x float> @llvm.masked.load
; CHECK: loop.all:
; CHECK: %[[LOADED:[0-9]+]] = load <4 x float>
; CHECK: %[[SUM]] = fadd <4 x float> %{{.*}}, %[[LOADED]]
; CHECK: icmp slt i32 %{{.*}}, %n
define void @rounds(ptr addrspace(1) %a, i32 %n, i32 %step) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %four = shl i32 %step, 2
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i32 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %more = fadd float %sum, %v
  %next = add nsw i32 %i, %four
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %end
end:
  %q = getelementptr float, ptr addrspace(1) %a, i32 %t
  store float %more, ptr addrspace(1) %q, align 4
  ret void
}

; Same, with a step that is one of two, as in a grid-stride loop that is reordered if it fits.
; CHECK-LABEL: define void @one_of_two_steps(
; CHECK: loop.all:
; CHECK: store <4 x float>
define void @one_of_two_steps(ptr addrspace(1) %a, i32 %n, i32 %step, i1 %fits) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %eight = shl i32 %step, 3
  %chosen = select i1 %fits, i32 4, i32 %eight
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i32 %i
  store float 1.0, ptr addrspace(1) %p, align 4
  %next = add nsw i32 %i, %chosen
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %end
end:
  ret void
}

declare i32 @simt.tid.x()
declare i32 @simt.tid.y()
