; RUN: heddle-opt -passes=divide-vectors,verify -S %s | FileCheck %s
; Vectors of small 64-bit integers are divided as floats, others lane by lane.

; CHECK-LABEL: define <4 x i64> @rest(
; CHECK: %[[X:.*]] = freeze <4 x i64> %x
; CHECK: %[[Y:.*]] = freeze <4 x i64> %y
; CHECK: add <4 x i64> %[[X]], splat (i64 1125899906842624)
; CHECK: and <4 x i64> %{{.*}}, splat (i64 -2251799813685248)
; CHECK: %[[SHORT:.*]] = icmp eq i64 %{{.*}}, 0
; CHECK: br i1 %[[SHORT]], label %quick, label %each
; CHECK: quick:
; CHECK: fdiv <4 x double>
; CHECK: call <4 x double> @llvm.trunc
; CHECK: each:
; CHECK: store <4 x i64> %[[X]], ptr %[[NUMBERS:.*]], align 64
; CHECK: store <4 x i64> %[[Y]], ptr %{{.*}}, align 64
; CHECK: divide:
; CHECK: %lane = phi i64
; CHECK: srem i64
; CHECK: br i1 %{{.*}}, label %divide, label %divided.each
; CHECK: load <4 x i64>, ptr %[[NUMBERS]], align 64
define <4 x i64> @rest(<4 x i64> %x, <4 x i64> %y) {
  %q = srem <4 x i64> %x, %y
  ret <4 x i64> %q
}

; Inactive lanes, which divide by 1, count as small.
; CHECK-LABEL: define <4 x i64> @guarded(
; CHECK: select <4 x i1> %{{.*}}, <4 x i64> %{{.*}}, <4 x i64> zeroinitializer
; CHECK: and <4 x i64> %{{.*}}, splat (i64 -2251799813685248)
; CHECK: udiv i64
; CHECK: select <4 x i1> %{{.*}}, <4 x i64> %{{.*}}, <4 x i64> %{{.*}}
define <4 x i64> @guarded(<4 x i64> %x, <4 x i64> %y, <4 x i1> %m) {
  %d = select <4 x i1> %m, <4 x i64> %y, <4 x i64> splat (i64 1)
  %q = udiv <4 x i64> %x, %d
  ret <4 x i64> %q
}

; CHECK-LABEL: define <4 x i64> @by_a_constant(
; CHECK-NEXT: udiv <4 x i64>
define <4 x i64> @by_a_constant(<4 x i64> %x) {
  %q = udiv <4 x i64> %x, splat (i64 10)
  ret <4 x i64> %q
}
