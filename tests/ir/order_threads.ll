; RUN: heddle-opt -passes=order-threads -S %s | FileCheck %s
; Threads of a warp become neighbors along the axis of contiguous accesses.

; x is the row, y the column.
; CHECK-LABEL: define void @rows(
; CHECK-SAME: #[[ALONG_Y:[0-9]+]]
; CHECK: %[[EXTENT:.*]] = call i32 @simt.ntid.y()
; CHECK: %[[THREAD:.*]] = call i32 @simt.tid.y()
; CHECK: %[[COLUMN:.*]] = call i32 @simt.tid.x()
; CHECK: mul i32 %block, %[[EXTENT]]
; CHECK: add i32 %start, %[[THREAD]]
; CHECK: sext i32 %[[COLUMN]] to i64
define void @rows(ptr %a, i64 %columns) "simt.kernel" {
  %block = call i32 @simt.ctaid.x()
  %extent = call i32 @simt.ntid.x()
  %tx = call i32 @simt.tid.x()
  %ty = call i32 @simt.tid.y()
  %start = mul i32 %block, %extent
  %i = add i32 %start, %tx
  %row = sext i32 %i to i64
  %column = sext i32 %ty to i64
  %before = mul i64 %row, %columns
  %at = add i64 %before, %column
  %p = getelementptr float, ptr %a, i64 %at
  store float 1.0, ptr %p
  ret void
}

; x is the column: nothing to do.
; CHECK-LABEL: define void @columns(
; CHECK-SAME: #[[ALONG_X:[0-9]+]]
; CHECK: %tx = call i32 @simt.tid.x()
define void @columns(ptr %a, i64 %columns) "simt.kernel" {
  %tx = call i32 @simt.tid.x()
  %ty = call i32 @simt.tid.y()
  %column = sext i32 %tx to i64
  %row = sext i32 %ty to i64
  %before = mul i64 %row, %columns
  %at = add i64 %before, %column
  %p = getelementptr float, ptr %a, i64 %at
  store float 1.0, ptr %p
  ret void
}

; A transposition's stores become contiguous.
; CHECK-LABEL: define void @transpose(
; CHECK-SAME: #[[ALONG_Y]]
define void @transpose(ptr %a, ptr %b, i64 %n) "simt.kernel" {
  %tx = call i32 @simt.tid.x()
  %ty = call i32 @simt.tid.y()
  %x = sext i32 %tx to i64
  %y = sext i32 %ty to i64
  %rows.from = mul i64 %y, %n
  %from = add i64 %rows.from, %x
  %rows.to = mul i64 %x, %n
  %to = add i64 %rows.to, %y
  %p = getelementptr float, ptr %a, i64 %from
  %v = load float, ptr %p
  %q = getelementptr float, ptr %b, i64 %to
  store float %v, ptr %q
  ret void
}

; A warp's lanes exchange values, so the order is observable.
; CHECK-LABEL: define void @sees_lanes(
; CHECK-SAME: #[[ALONG_X]]
define void @sees_lanes(ptr %a, i64 %columns) "simt.kernel" {
  %tx = call i32 @simt.tid.x()
  %ty = call i32 @simt.tid.y()
  %lane = call i32 @simt.laneid()
  %row = sext i32 %tx to i64
  %column = sext i32 %ty to i64
  %before = mul i64 %row, %columns
  %at = add i64 %before, %column
  %p = getelementptr i32, ptr %a, i64 %at
  store i32 %lane, ptr %p
  ret void
}

; CHECK-LABEL: define void @volatile_access(
; CHECK-SAME: #[[ALONG_X]]
define void @volatile_access(ptr %a, i64 %columns) "simt.kernel" {
  %tx = call i32 @simt.tid.x()
  %ty = call i32 @simt.tid.y()
  %row = sext i32 %tx to i64
  %column = sext i32 %ty to i64
  %before = mul i64 %row, %columns
  %at = add i64 %before, %column
  %p = getelementptr i32, ptr %a, i64 %at
  store volatile i32 1, ptr %p
  ret void
}

; CHECK-LABEL: define void @inline_ptx(
; CHECK-SAME: #[[ALONG_X]]
define void @inline_ptx(ptr %a, i64 %columns) "simt.kernel" {
  %tx = call i32 @simt.tid.x()
  %ty = call i32 @simt.tid.y()
  %lane = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  %row = sext i32 %tx to i64
  %column = sext i32 %ty to i64
  %before = mul i64 %row, %columns
  %at = add i64 %before, %column
  %p = getelementptr i32, ptr %a, i64 %at
  store i32 %lane, ptr %p
  ret void
}

; Bank conflicts count, too: along x, all lanes write to the same bank.
; CHECK-LABEL: define void @shared_rows(
; CHECK-SAME: #[[ALONG_Y]]
@tile = internal addrspace(3) global [32 x [32 x float]] undef
define void @shared_rows(ptr %a) "simt.kernel" {
  %tx = call i32 @simt.tid.x()
  %ty = call i32 @simt.tid.y()
  %x = sext i32 %tx to i64
  %y = sext i32 %ty to i64
  %p = getelementptr [32 x [32 x float]], ptr addrspace(3) @tile, i64 0, i64 %x, i64 %y
  store float 1.0, ptr addrspace(3) %p
  ret void
}

; The strides of the matrix are unknown: contiguous accesses to shared memory along y do not pay for the risk.
; CHECK-LABEL: define void @unknown_strides(
; CHECK-SAME: #[[ALONG_X]]
define void @unknown_strides(ptr %a, i64 %row.bytes, i64 %column.bytes) "simt.kernel" {
  %tx = call i32 @simt.tid.x()
  %ty = call i32 @simt.tid.y()
  %x = sext i32 %tx to i64
  %y = sext i32 %ty to i64
  %row = mul i64 %y, %row.bytes
  %column = mul i64 %x, %column.bytes
  %at = add i64 %row, %column
  %p = getelementptr i8, ptr %a, i64 %at
  %v = load double, ptr %p
  %tile.row = mul i64 %x, 16
  %tile.at = add i64 %tile.row, %y
  %s = getelementptr double, ptr addrspace(3) @tile, i64 %tile.at
  store double %v, ptr addrspace(3) %s
  ret void
}

; z is chosen if possible. A block of more than 64 threads along x is launched unchanged.
; CHECK-LABEL: define void @planes(
; CHECK: %[[Z:.*]] = call i32 @simt.tid.z()
; CHECK: %[[X:.*]] = call i32 @simt.ntid.x()
; CHECK: %[[TURNED:.*]] = icmp ule i32 %[[X]], 64
; CHECK: %[[SAME:.*]] = call i32 @simt.tid.x()
; CHECK: select i1 %[[TURNED]], i32 %[[Z]], i32 %[[SAME]]
; CHECK: %ty = call i32 @simt.tid.y()
define void @planes(ptr %a) "simt.kernel" {
  %tx = call i32 @simt.tid.x()
  %ty = call i32 @simt.tid.y()
  %tz = call i32 @simt.tid.z()
  %x = sext i32 %tx to i64
  %y = sext i32 %ty to i64
  %z = sext i32 %tz to i64
  %p = getelementptr [64 x [64 x float]], ptr %a, i64 %x, i64 %y, i64 %z
  store float 1.0, ptr %p
  ret void
}

; CHECK: attributes #[[ALONG_Y]] = { {{.*}}"simt.thread-order"="1"
; CHECK: attributes #[[ALONG_X]] = { "simt.kernel" }
; CHECK: !{!"rows: a warp's threads are neighbors along y: along x fewer of their accesses to memory, or of their stores, are contiguous"}

declare i32 @simt.tid.x()
declare i32 @simt.tid.y()
declare i32 @simt.tid.z()
declare i32 @simt.ntid.x()
declare i32 @simt.ctaid.x()
declare i32 @simt.laneid()
