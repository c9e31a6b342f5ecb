; RUN: heddle-opt -passes=combine-instructions -S %s | FileCheck %s

declare void @work()

; The product stays before the branch: the last block returns, but is not the only successor.
define void @product(float %x, float %y, ptr %p, i1 %c) {
entry:
  %xy = fmul float %x, %y
  br i1 %c, label %then, label %end
then:
  call void @work()
  br label %end
end:
  call void @work()
  store float %xy, ptr %p
  ret void
}
; CHECK-LABEL: @product(
; CHECK: entry:
; CHECK-NEXT: %xy = fmul
; CHECK: end:
; CHECK-NOT: fmul
; CHECK: store float %xy
; CHECK-NEXT: ret void

; A product that one side of a branch uses moves there.
define void @branch(float %x, float %y, ptr %p, i1 %c) {
entry:
  %xy = fmul float %x, %y
  br i1 %c, label %then, label %end
then:
  store float %xy, ptr %p
  ret void
end:
  ret void
}
; CHECK-LABEL: @branch(
; CHECK: then:
; CHECK-NEXT: %xy = fmul
