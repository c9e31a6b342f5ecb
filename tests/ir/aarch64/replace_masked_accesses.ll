; REQUIRES: aarch64
; RUN: heddle-opt -passes=replace-masked-accesses -S %s | FileCheck %s
; NEON has no masked accesses. SVE has masked loads and stores of fixed vectors, and gathers if its size is known.

; CHECK-LABEL: @neon(
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %mask to i4
; CHECK: %[[ALL:.*]] = icmp eq i4 %[[BITS]], -1
; CHECK: br i1 %[[ALL]]
; CHECK: %[[WHOLE:.*]] = load <4 x float>, ptr addrspace(1) %a, align 4
; CHECK: %[[PIECES:.*]] = call <4 x float> @llvm.masked.gather{{.*}}(<4 x ptr addrspace(1)> align 4 %{{.*}}, <4 x i1> splat (i1 true), <4 x float> poison)
; CHECK: phi <4 x float> [ %[[WHOLE]], %{{.*}} ], [ %[[PIECES]], %{{.*}} ]
define <4 x float> @neon(ptr addrspace(1) %a, <4 x i1> %mask) #0 {
  %v = call <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1) align 4 %a, <4 x i1> %mask, <4 x float> poison)
  ret <4 x float> %v
}

; CHECK-LABEL: @sve_of_128_bits(
; CHECK: call <4 x float> @llvm.masked.load
; CHECK: call void @llvm.masked.scatter{{.*}}, <4 x i1> splat (i1 true))
define void @sve_of_128_bits(ptr addrspace(1) %a, <4 x ptr addrspace(1)> %places, <4 x i1> %mask) #1 {
  %v = call <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1) align 4 %a, <4 x i1> %mask, <4 x float> poison)
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %v, <4 x ptr addrspace(1)> align 4 %places, <4 x i1> %mask)
  ret void
}

; CHECK-LABEL: @sve_of_256_bits(
; CHECK-NEXT: call void @llvm.masked.scatter{{.*}}, <8 x i1> %mask)
; CHECK-NEXT: ret void
define void @sve_of_256_bits(<8 x ptr addrspace(1)> %places, <8 x i32> %v, <8 x i1> %mask) #2 {
  call void @llvm.masked.scatter.v8i32.v8p1(<8 x i32> %v, <8 x ptr addrspace(1)> align 4 %places, <8 x i1> %mask)
  ret void
}

attributes #0 = { "cpu.plan"="width=4" "target-cpu"="generic" "target-features"="+neon" }
attributes #1 = { "cpu.plan"="width=4" "target-cpu"="generic" "target-features"="+sve" vscale_range(1,1) }
attributes #2 = { "cpu.plan"="width=8" "target-cpu"="generic" "target-features"="+sve" vscale_range(2,2) }
