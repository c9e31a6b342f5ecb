; REQUIRES: aarch64
; RUN: heddle-opt -passes=sign-extend-masks -S %s | FileCheck %s
; NEON has no mask registers: masks cross blocks as vectors of 32-bit integers.

; CHECK-LABEL: @neon(
; CHECK: entry:
; CHECK: %[[ENTERING:.*]] = sext <4 x i1> %first to <4 x i32>
; CHECK: loop:
; CHECK: %[[SIGN:.*]] = phi <4 x i32> [ %[[ENTERING]], %entry ], [ %[[NEXT:.*]], %loop ]
; CHECK: %[[MASK:.*]] = icmp slt <4 x i32> %[[SIGN]], zeroinitializer
; CHECK: %on = select <4 x i1> %[[MASK]], <4 x i1> %less, <4 x i1> zeroinitializer
; CHECK: %[[NEXT]] = sext <4 x i1> %on to <4 x i32>
define <4 x float> @neon(<4 x float> %x, <4 x float> %y) #0 {
entry:
  %first = fcmp olt <4 x float> %x, zeroinitializer
  br label %loop
loop:
  %mask = phi <4 x i1> [ %first, %entry ], [ %on, %loop ]
  %sum = phi <4 x float> [ %x, %entry ], [ %more, %loop ]
  %more = fadd <4 x float> %sum, %y
  %less = fcmp olt <4 x float> %more, splat (float 4.0)
  %on = select <4 x i1> %mask, <4 x i1> %less, <4 x i1> zeroinitializer
  %bits = bitcast <4 x i1> %on to i4
  %done = icmp eq i4 %bits, 0
  br i1 %done, label %end, label %loop
end:
  ret <4 x float> %sum
}

attributes #0 = { "target-cpu"="generic" "target-features"="+neon" }
