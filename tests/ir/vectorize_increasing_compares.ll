; RUN: env HEDDLE_CPU=%four-lanes heddle-opt -passes=vectorize -S %s | FileCheck %s
; Increasing 64-bit values are compared by the number of lanes below the bound.

; CHECK-LABEL: define void @below(
; CHECK: %[[I:.*]] = sext i32 %t to i64
; CHECK: %[[LEFT:.*]] = sub i64 %n, %[[I]]
; CHECK: %[[AT_MOST:.*]] = call i64 @llvm.umin.i64(i64 %[[LEFT]], i64 4)
; CHECK: %[[ANY:.*]] = icmp slt i64 %[[I]], %n
; CHECK: %[[FIRST:.*]] = select i1 %[[ANY]], i64 %[[AT_MOST]], i64 0
; CHECK: icmp ult <4 x i32> <i32 0, i32 1, i32 2, i32 3>, %
define void @below(ptr addrspace(1) %a, i64 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = sext i32 %t to i64
  %in = icmp slt i64 %i, %n
  br i1 %in, label %then, label %end
then:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 1, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}

; CHECK-LABEL: define void @from(
; CHECK: icmp uge <4 x i32> <i32 0, i32 1, i32 2, i32 3>, %
define void @from(ptr addrspace(1) %a, i64 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = sext i32 %t to i64
  %in = icmp sge i64 %i, %n
  br i1 %in, label %then, label %end
then:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 1, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}
declare i32 @simt.tid.x()
