; RUN: heddle-opt -passes=end-sampled-threads -S %s | FileCheck %s

; A thread ends at a loop header if its probe says so, and only there.
; CHECK-LABEL: define void @loop(
; CHECK: entry:
; CHECK-NEXT: call i1 @simt.check.block(i32 0)
; CHECK-NEXT: br label %loop
; CHECK: loop:
; CHECK-NEXT: %goes_on = call i1 @simt.check.block(i32 1)
; CHECK-NEXT: [[ENDS:%.*]] = xor i1 %goes_on, true
; CHECK-NEXT: br i1 [[ENDS]], label %[[END:.*]], label %[[ON:.*]]
; CHECK: [[END]]:
; CHECK-NEXT: ret void
; CHECK: [[ON]]:
; CHECK-NEXT: br i1 %c, label %loop, label %end
define void @loop(i1 %c) "simt.kernel" {
entry:
  %first = call i1 @simt.check.block(i32 0)
  br label %loop
loop:
  %goes_on = call i1 @simt.check.block(i32 1)
  br i1 %c, label %loop, label %end
end:
  ret void
}

declare i1 @simt.check.block(i32)
