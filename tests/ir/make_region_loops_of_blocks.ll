; RUN: heddle-opt -passes=bind-context,lower-indices,lower-atomics,plan-blocks,make-region-loops,emit-entries -S %s | FileCheck %s
; Blocks that may be interleaved run together: a row of threads in all of them before the next row.

; CHECK-DAG: @stencil.entry = constant {{.*}} i32 1, [3 x i32] zeroinitializer, ptr @stencil, ptr null, ptr null }
; CHECK-DAG: @turned.entry = constant {{.*}} i32 1, i32 2, [3 x i32] zeroinitializer, ptr @turned, ptr null, ptr null }
; CHECK-DAG: @counts.entry = constant {{.*}} i32 0, [3 x i32] zeroinitializer, ptr @counts, ptr null, ptr null }
; CHECK-DAG: @long.entry = constant {{.*}} i32 0, [3 x i32] zeroinitializer, ptr @long, ptr null, ptr null }
; CHECK-DAG: @short.entry = constant {{.*}} i32 1, [3 x i32] zeroinitializer, ptr @short, ptr null, ptr null }

; CHECK-LABEL: define internal void @stencil.threads(
; CHECK: %[[BLOCKS:.*]] = load i32, ptr %{{.*}}, {{.*}}!invariant.load
; CHECK: y: {{.*}}
; CHECK: br i1 %{{.*}}, label %y, label %z.next
; CHECK: block: {{.*}}
; CHECK-NEXT: %[[IN:.*]] = phi i32 [ 0, %y ]
; CHECK: br i1 %{{.*}}, label %block, label %y.next
; CHECK: x: {{.*}}
; CHECK: %[[FIRST:.*]] = load i32, ptr %context
; CHECK: %[[BLOCK:.*]] = add nuw nsw i32 %[[FIRST]], %[[IN]]
; CHECK: mul i32 %[[BLOCK]],
define void @stencil(ptr addrspace(1) %a) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %b = call i32 @simt.ctaid.x()
  %n = call i32 @simt.ntid.x()
  %start = mul i32 %b, %n
  %i = add i32 %start, %t
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %i
  store i32 1, ptr addrspace(1) %p
  ret void
}

; Threads along y are neighbors, and so are blocks.
; CHECK-LABEL: define internal void @turned.threads(
; CHECK: %[[PLACE:.*]] = getelementptr inbounds i8, ptr %context, i64 4
; CHECK: load i32, ptr %[[PLACE]]
define void @turned(ptr addrspace(1) %a) "simt.kernel" "simt.thread-order"="1" {
  %b = call i32 @simt.ctaid.y()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %b
  store i32 1, ptr addrspace(1) %p
  ret void
}

; The order of atomics is observable.
define void @counts(ptr addrspace(1) %a) "simt.kernel" {
  %old = call i32 @simt.atomic.exch.i32.p1(ptr addrspace(1) %a, i32 1, i32 1)
  ret void
}

; A long loop reads what the block's next row of threads reads again.
define void @long(ptr addrspace(1) %a, i32 %n) "simt.kernel" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %i
  store i32 %i, ptr addrspace(1) %p
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
define void @short(ptr addrspace(1) %a) "simt.kernel" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %i
  store i32 %i, ptr addrspace(1) %p
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 9
  br i1 %more, label %loop, label %end
end:
  ret void
}
declare i32 @simt.tid.x()
declare i32 @simt.ctaid.x()
declare i32 @simt.ctaid.y()
declare i32 @simt.ntid.x()
declare i32 @simt.atomic.exch.i32.p1(ptr addrspace(1), i32, i32)
