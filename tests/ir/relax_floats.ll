; RUN: heddle-opt -passes=relax-floats -S %s | FileCheck %s
; RUN: heddle-opt -passes=relax-floats-fast -S %s | FileCheck %s --check-prefix=FAST

; CHECK: fmul contract float
; FAST: fmul reassoc nsz arcp contract afn float
define float @f(float %x) {
  %y = fmul float %x, %x
  ret float %y
}
