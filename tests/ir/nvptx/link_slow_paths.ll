; RUN: heddle-opt -passes=nvptx-lower-math,nvptx-link-libdevice -S %s | FileCheck %s
; Tables are aligned for loads of two doubles. The loop of a function that stays a call stays a loop.

; CHECK: @__cudart_sin_cos_coeffs = internal {{.*}}constant {{.*}}, align 16
; CHECK: define internal double @__internal_trig_reduction_slowpathd(
; CHECK: br label %{{.*}}, !llvm.loop ![[LOOP:[0-9]+]]
; CHECK: ![[LOOP]] = distinct !{![[LOOP]], ![[ROLLED:[0-9]+]]}
; CHECK: ![[ROLLED]] = !{!"llvm.loop.unroll.count", i32 1}
define void @sine(ptr addrspace(1) %o, double %x) "simt.kernel" {
  %a = call double @simt.math.sin.f64(double %x)
  store double %a, ptr addrspace(1) %o
  ret void
}
declare double @simt.math.sin.f64(double)
