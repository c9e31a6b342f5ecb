; REQUIRES: x86_64
; RUN: heddle-opt -passes=sign-extend-masks -S %s | FileCheck %s
; Masks cross blocks as vectors of 32-bit integers on processors without mask registers.

; CHECK-LABEL: @avx2(
; CHECK: entry:
; CHECK: %[[ENTERING:.*]] = sext <8 x i1> %first to <8 x i32>
; CHECK: loop:
; CHECK: %[[SIGN:.*]] = phi <8 x i32> [ %[[ENTERING]], %entry ], [ %[[NEXT:.*]], %loop ]
; CHECK: %[[MASK:.*]] = icmp slt <8 x i32> %[[SIGN]], zeroinitializer
; CHECK: %on = select <8 x i1> %[[MASK]], <8 x i1> %less, <8 x i1> zeroinitializer
; CHECK: %[[NEXT]] = sext <8 x i1> %on to <8 x i32>
; CHECK: end:
; CHECK: %[[LAST:.*]] = icmp slt <8 x i32> %[[NEXT]], zeroinitializer
; CHECK: zext <8 x i1> %[[LAST]] to <8 x i8>
define <8 x i8> @avx2(<8 x float> %x, <8 x float> %y) #0 {
entry:
  %first = fcmp olt <8 x float> %x, zeroinitializer
  br label %loop
loop:
  %mask = phi <8 x i1> [ %first, %entry ], [ %on, %loop ]
  %sum = phi <8 x float> [ %x, %entry ], [ %more, %loop ]
  %more = fadd <8 x float> %sum, %y
  %less = fcmp olt <8 x float> %more, splat (float 4.0)
  %on = select <8 x i1> %mask, <8 x i1> %less, <8 x i1> zeroinitializer
  %bits = bitcast <8 x i1> %on to i8
  %done = icmp eq i8 %bits, 0
  br i1 %done, label %end, label %loop
end:
  %numbers = zext <8 x i1> %on to <8 x i8>
  ret <8 x i8> %numbers
}

; A uniform mask is extended before it is splat.
; CHECK-LABEL: @same_in_all_lanes(
; CHECK: %[[NOT:.*]] = xor i1 %c, true
; CHECK: %[[ONE:.*]] = sext i1 %[[NOT]] to i32
; CHECK: insertelement <8 x i32> poison, i32 %[[ONE]], i64 0
define <8 x i32> @same_in_all_lanes(i1 %c, i1 %way, <8 x i32> %x) #0 {
entry:
  %one = insertelement <8 x i1> poison, i1 %c, i64 0
  %not = xor <8 x i1> %one, <i1 true, i1 poison, i1 poison, i1 poison, i1 poison, i1 poison, i1 poison, i1 poison>
  %all = shufflevector <8 x i1> %not, <8 x i1> poison, <8 x i32> zeroinitializer
  br i1 %way, label %then, label %end
then:
  br label %end
end:
  %mask = phi <8 x i1> [ %all, %entry ], [ zeroinitializer, %then ]
  %v = select <8 x i1> %mask, <8 x i32> %x, <8 x i32> zeroinitializer
  ret <8 x i32> %v
}

; Bits of an integer, in memory or not, become lanes by one compare.
; CHECK-LABEL: @bits(
; CHECK: %[[BYTE:.*]] = load i8, ptr %p
; CHECK: %[[NUMBER:.*]] = zext i8 %[[BYTE]] to i32
; CHECK: and <4 x i32> %{{.*}}, <i32 1, i32 2, i32 4, i32 8>
; CHECK: icmp eq <4 x i32>
; CHECK-NOT: bitcast
; CHECK: ret
define <4 x i32> @bits(ptr %p, i4 %bits, <4 x i32> %x, <4 x i32> %y) #0 {
  %m = load <4 x i1>, ptr %p, align 1
  %n = bitcast i4 %bits to <4 x i1>
  %v = select <4 x i1> %m, <4 x i32> %x, <4 x i32> %y
  %w = select <4 x i1> %n, <4 x i32> %v, <4 x i32> zeroinitializer
  ret <4 x i32> %w
}

; CHECK-LABEL: @avx512(
; CHECK: phi <8 x i1>
; CHECK-NOT: sext
define <8 x i32> @avx512(<8 x i1> %a, <8 x i1> %b, i1 %way, <8 x i32> %x) #1 {
entry:
  br i1 %way, label %then, label %end
then:
  br label %end
end:
  %mask = phi <8 x i1> [ %a, %entry ], [ %b, %then ]
  %v = select <8 x i1> %mask, <8 x i32> %x, <8 x i32> zeroinitializer
  ret <8 x i32> %v
}

attributes #0 = { "target-cpu"="x86-64-v3" "target-features"="" }
attributes #1 = { "target-cpu"="x86-64-v4" "target-features"="" }
