; RUN: heddle-opt -passes=avoid-codegen-errors -S %s | FileCheck %s
; High bits of products of short integers, which instruction selection would lose, are extracted by a shuffle.

; CHECK-LABEL: @high_part(
; CHECK: %h = lshr <4 x i64> %m, splat (i64 43)
; CHECK: [[ALL:%.*]] = bitcast <4 x i64> %h to <16 x i16>
; CHECK: [[LOW:%.*]] = shufflevector <16 x i16> [[ALL]], <16 x i16> poison, <4 x i32> <i32 0, i32 4, i32 8, i32 12>
; CHECK: ret <4 x i16> [[LOW]]
define <4 x i16> @high_part(<4 x i16> %x, <4 x i8> %y) {
  %s = sext <4 x i16> %x to <4 x i64>
  %z = zext <4 x i8> %y to <4 x i64>
  %m = mul nsw <4 x i64> %s, %z
  %h = lshr <4 x i64> %m, splat (i64 43)
  %t = trunc <4 x i64> %h to <4 x i16>
  ret <4 x i16> %t
}

; CHECK-LABEL: @guarded_division(
; CHECK-DAG: [[Y:%.*]] = freeze <4 x i32> %y
; CHECK-DAG: [[OTHERS:%.*]] = xor <4 x i1> %m, splat (i1 true)
; CHECK-DAG: [[ODD:%.*]] = zext <4 x i1> [[OTHERS]] to <4 x i32>
; CHECK-DAG: [[DIVISOR:%.*]] = or <4 x i32> [[Y]], [[ODD]]
; CHECK: [[QUOTIENT:%.*]] = sdiv <4 x i32> %{{.*}}, [[DIVISOR]]
; CHECK: select <4 x i1> %m, <4 x i32> [[QUOTIENT]], <4 x i32> %x
define <4 x i32> @guarded_division(<4 x i32> %x, <4 x i32> %y, <4 x i1> %m) {
  %d = select <4 x i1> %m, <4 x i32> %y, <4 x i32> splat (i32 1)
  %q = sdiv <4 x i32> %x, %d
  ret <4 x i32> %q
}

; CHECK-LABEL: @others(
; CHECK-NOT: shufflevector
define <4 x i16> @others(<4 x i64> %x, <4 x i64> %y, i64 %n) {
  %m = mul <4 x i64> %x, %y
  %half = lshr <4 x i64> %m, splat (i64 16)
  %a = trunc <4 x i64> %half to <4 x i16>
  %sum = add <4 x i64> %x, %y
  %high = lshr <4 x i64> %sum, splat (i64 43)
  %b = trunc <4 x i64> %high to <4 x i16>
  %r = xor <4 x i16> %a, %b
  ret <4 x i16> %r
}

; CHECK-LABEL: define <4 x i64> @permuted_by_a_constant(
; CHECK: store <4 x i64> %sum, ptr %[[PLACE:.*]], align 64
; CHECK: %[[X:.*]] = load volatile <4 x i64>, ptr %[[PLACE]], align 64
; CHECK: srem <4 x i64> %[[X]], splat (i64 3)
define <4 x i64> @permuted_by_a_constant(<4 x i64> %x) {
  %other = shufflevector <4 x i64> %x, <4 x i64> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %sum = add <4 x i64> %x, %other
  %q = srem <4 x i64> %sum, splat (i64 3)
  ret <4 x i64> %q
}

; CHECK-LABEL: @one_lane(
; CHECK: [[V:%.*]] = extractelement <8 x i32> %t, i64 1
; CHECK: [[P:%.*]] = getelementptr i8, ptr %p, i64 4
; CHECK: store i32 [[V]], ptr [[P]], align 4
; CHECK: call void @llvm.masked.store.v8i32.p0(
define void @one_lane(<8 x i64> %x, ptr %p) {
  %t = trunc <8 x i64> %x to <8 x i32>
  call void @llvm.masked.store(<8 x i32> %t, ptr align 8 %p, <8 x i1> <i1 0, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  call void @llvm.masked.store(<8 x i32> %t, ptr align 8 %p, <8 x i1> <i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  ret void
}

; CHECK-LABEL: @undefined_lanes(
; CHECK: and <4 x i32> %x, splat (i32 31)
; CHECK: mul <4 x i32> %i, <i32 1, i32 1, i32 2, i32 3>
define <4 x i32> @undefined_lanes(<4 x i32> %x) {
  %i = and <4 x i32> %x, <i32 poison, i32 31, i32 31, i32 31>
  %p = mul <4 x i32> %i, <i32 poison, i32 1, i32 2, i32 3>
  ret <4 x i32> %p
}
