; RUN: heddle-opt -passes=instcombine -S %s | FileCheck %s
; A load that is selected by its mask stays before the store.

; CHECK-LABEL: define <4 x double> @k(
; CHECK-NEXT: %x = call <4 x double> @llvm.masked.load
; CHECK-NEXT: store
; CHECK-NEXT: select
; CHECK-NOT: fake.use
define <4 x double> @k(ptr %a, ptr %b, <4 x i1> %m, <4 x double> %v, <4 x double> %w) {
  %x = call <4 x double> @llvm.masked.load.v4f64.p0(ptr align 8 %a, <4 x i1> %m, <4 x double> poison)
  store <4 x double> %w, ptr %b
  %s = select <4 x i1> %m, <4 x double> %x, <4 x double> %v
  ret <4 x double> %s
}
