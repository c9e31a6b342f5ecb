; RUN: heddle-opt -passes=relax-floats -S %s | FileCheck %s
; RUN: heddle-opt -passes=relax-floats-fast -S %s | FileCheck %s --check-prefix=FAST

; CHECK: fmul contract float
; FAST: fmul reassoc nsz arcp contract afn float
define float @f(float %x) {
  %y = fmul float %x, %x
  ret float %y
}

; Operations with exact rounding are unchanged.
; CHECK: fmul float %x, %x, !simt.exact
; FAST: fmul float %x, %x, !simt.exact
define float @exact(float %x) {
  %y = fmul float %x, %x, !simt.exact !{}
  ret float %y
}
