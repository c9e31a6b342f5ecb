; RUN: heddle-opt %s -passes=avoid-codegen-errors -S | FileCheck %s

; Truncations from an SVE register to half a NEON register go through a whole one.
; CHECK-LABEL: @divide_short(
; CHECK: %[[W:.*]] = trunc <4 x i64> %x to <4 x i32>
; CHECK-NEXT: %[[B:.*]] = bitcast <4 x i32> %[[W]] to <8 x i16>
; CHECK-NEXT: %[[T:.*]] = shufflevector <8 x i16> %[[B]], <8 x i16> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK-NEXT: udiv <4 x i16> splat (i16 1000), %[[T]]
define <4 x i16> @divide_short(<4 x i64> %x) vscale_range(4,4) {
  %t = trunc <4 x i64> %x to <4 x i16>
  %q = udiv <4 x i16> splat (i16 1000), %t
  ret <4 x i16> %q
}

; CHECK-LABEL: @convert_bytes(
; CHECK: %[[W:.*]] = trunc <8 x i64> %x to <8 x i16>
; CHECK-NEXT: bitcast <8 x i16> %[[W]] to <16 x i8>
; CHECK-NEXT: shufflevector {{.*}} <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
define <8 x half> @convert_bytes(<8 x i64> %x) vscale_range(4,4) {
  %t = trunc <8 x i64> %x to <8 x i8>
  %h = uitofp <8 x i8> %t to <8 x half>
  ret <8 x half> %h
}

; Others are kept: to a whole register, to bits, and without SVE.
; CHECK-LABEL: @whole(
; CHECK-NOT: shufflevector
define <8 x i16> @whole(<8 x i64> %x) vscale_range(4,4) {
  %t = trunc <8 x i64> %x to <8 x i16>
  ret <8 x i16> %t
}

; CHECK-LABEL: @bits(
; CHECK-NOT: shufflevector
define <64 x i1> @bits(<64 x i8> %x) vscale_range(4,4) {
  %t = trunc <64 x i8> %x to <64 x i1>
  ret <64 x i1> %t
}

; CHECK-LABEL: @neon(
; CHECK-NOT: shufflevector
define <4 x i16> @neon(<4 x i64> %x) {
  %t = trunc <4 x i64> %x to <4 x i16>
  ret <4 x i16> %t
}
