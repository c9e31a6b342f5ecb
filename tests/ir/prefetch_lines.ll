; RUN: heddle-opt -passes=prefetch-lines -S %s | FileCheck %s
; A kernel with barriers that runs in groups prefetches what it writes after them and what the next block reads before.

declare i32 @simt.tid.x()
declare i32 @simt.ctaid.x()
declare void @simt.barrier(i32)
@tile = internal addrspace(3) global [64 x float] poison

; CHECK-LABEL: define void @tiles(
; CHECK: %block = call i32 @simt.ctaid.x()
; CHECK: load <16 x float>, ptr addrspace(1) %from
; CHECK: %[[NEXT:.*]] = add i32 %block, 1
; CHECK: %[[ROW:.*]] = mul i32 %[[NEXT]], 64
; CHECK: %[[INDEX:.*]] = add i32 %[[ROW]], %thread
; CHECK: %[[READ:.*]] = getelementptr float, ptr addrspace(1) %x, i32 %[[INDEX]]
; CHECK: call void @llvm.prefetch.p1(ptr addrspace(1) %[[READ]], i32 0, i32 3, i32 1)
; CHECK: %[[WRITTEN:.*]] = getelementptr float, ptr addrspace(1) %out, i32 %index
; CHECK: call void @llvm.prefetch.p1(ptr addrspace(1) %[[WRITTEN]], i32 1, i32 3, i32 1)
; CHECK-NOT: prefetch
; CHECK: call void @simt.barrier(
; CHECK-NOT: prefetch
; CHECK: ret void
define void @tiles(ptr addrspace(1) %x, ptr addrspace(1) %out, i1 %some) "cpu.plan"="grouped=rows" {
  %thread = call i32 @simt.tid.x()
  %block = call i32 @simt.ctaid.x()
  %row = mul i32 %block, 64
  %index = add i32 %row, %thread
  %from = getelementptr float, ptr addrspace(1) %x, i32 %index
  %v = load <16 x float>, ptr addrspace(1) %from
  %shared = getelementptr float, ptr addrspace(3) @tile, i32 %thread
  store <16 x float> %v, ptr addrspace(3) %shared
  call void @simt.barrier(i32 0)
  br i1 %some, label %all, label %out.all
all:
  %to = getelementptr float, ptr addrspace(1) %out, i32 %index
  store <16 x float> %v, ptr addrspace(1) %to
  br label %out.all
out.all:
  %again = getelementptr float, ptr addrspace(1) %out, i32 %index
  store <16 x float> %v, ptr addrspace(1) %again
  ret void
}

; A line that is read needs no prefetch when it is written, and a loaded address is unknown at the start.
; CHECK-LABEL: define void @in_place(
; CHECK-COUNT-1: prefetch
; CHECK-NOT: prefetch
; CHECK: ret void
define void @in_place(ptr addrspace(1) %x, ptr addrspace(1) %out) "cpu.plan"="grouped=rows" {
  %thread = call i32 @simt.tid.x()
  %block = call i32 @simt.ctaid.x()
  %row = mul i32 %block, 64
  %index = add i32 %row, %thread
  %place = getelementptr float, ptr addrspace(1) %x, i32 %index
  %v = load <16 x float>, ptr addrspace(1) %place
  call void @simt.barrier(i32 0)
  store <16 x float> %v, ptr addrspace(1) %place
  %at = load i32, ptr addrspace(1) %x
  %to = getelementptr float, ptr addrspace(1) %out, i32 %at
  store <16 x float> %v, ptr addrspace(1) %to
  ret void
}

; Without barriers, the hardware prefetcher suffices.
; CHECK-LABEL: define void @no_barrier(
; CHECK-NOT: prefetch
; CHECK: ret void
define void @no_barrier(ptr addrspace(1) %x, ptr addrspace(1) %out) "cpu.plan"="grouped=rows" {
  %thread = call i32 @simt.tid.x()
  %from = getelementptr float, ptr addrspace(1) %x, i32 %thread
  %v = load <16 x float>, ptr addrspace(1) %from
  %to = getelementptr float, ptr addrspace(1) %out, i32 %thread
  store <16 x float> %v, ptr addrspace(1) %to
  ret void
}
