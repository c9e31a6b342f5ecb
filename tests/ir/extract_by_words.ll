; RUN: heddle-opt -passes=extract-by-words -S %s | FileCheck %s
; Short integers are extracted by 64-bit words.

; CHECK-LABEL: define void @halves(
; CHECK: %[[WORDS:[0-9]+]] = bitcast <4 x i32> %v to <2 x i64>
; CHECK: %[[LOW:[0-9]+]] = extractelement <2 x i64> %[[WORDS]], i64 0
; CHECK: trunc i64 %[[LOW]] to i32
; CHECK: %[[SHIFTED:[0-9]+]] = lshr i64 %[[LOW]], 32
; CHECK: trunc i64 %[[SHIFTED]] to i32
; CHECK: extractelement <2 x i64> %[[WORDS]], i64 1
; CHECK-NOT: extractelement
define void @halves(<4 x i32> %v, ptr %p) {
  %a = extractelement <4 x i32> %v, i64 0
  %b = extractelement <4 x i32> %v, i64 1
  %c = extractelement <4 x i32> %v, i64 2
  %d = extractelement <4 x i32> %v, i64 3
  %w = call i32 @f(i32 %a, i32 %b, i32 %c, i32 %d)
  ret void
}

; Single elements, floats, and variable element numbers are unchanged.
; CHECK-LABEL: define void @others(
; CHECK-NOT: bitcast
define void @others(<4 x i32> %v, <4 x float> %w, i64 %n, ptr %p) {
  %a = extractelement <4 x i32> %v, i64 1
  %d = extractelement <4 x i32> %v, i64 %n
  %all = call i32 @f(i32 %a, i32 %d, i32 %d, i32 %d)
  %e = extractelement <4 x float> %w, i64 0
  %g = extractelement <4 x float> %w, i64 1
  %h = extractelement <4 x float> %w, i64 2
  %i = extractelement <4 x float> %w, i64 3
  %s = fadd float %e, %g
  %t = fadd float %h, %i
  %u = fadd float %s, %t
  store float %u, ptr %p
  ret void
}

declare i32 @f(i32, i32, i32, i32)

; Selects of constants are unchanged: instruction selection would treat them as half words.
; CHECK-LABEL: define void @chosen(
; CHECK-NOT: bitcast
; CHECK: ret void
define void @chosen(<4 x i1> %m, ptr %p) {
  %v = select <4 x i1> %m, <4 x i32> <i32 0, i32 1, i32 2, i32 3>, <4 x i32> zeroinitializer
  %a = extractelement <4 x i32> %v, i64 0
  %b = extractelement <4 x i32> %v, i64 1
  %c = extractelement <4 x i32> %v, i64 2
  %d = extractelement <4 x i32> %v, i64 3
  %w = call i32 @f(i32 %a, i32 %b, i32 %c, i32 %d)
  ret void
}
