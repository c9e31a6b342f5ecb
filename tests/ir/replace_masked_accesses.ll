; REQUIRES: x86_64
; RUN: heddle-opt -passes=replace-masked-accesses -S %s | FileCheck %s
; Without masked accesses, inactive lanes access a spare slot.

; AVX2 has masked 32-bit stores, but no scatters.
; CHECK-LABEL: @avx2(
; CHECK: %spare = alloca i64
; CHECK: call void @llvm.masked.store.v8i32.p1(
; CHECK: %[[OWN:.*]] = select <8 x i1> %mask, <8 x ptr addrspace(1)> %places, <8 x ptr addrspace(1)> %
; CHECK: call void @llvm.masked.scatter{{.*}}(<8 x i32> %v, <8 x ptr addrspace(1)> align 4 %[[OWN]], <8 x i1> splat (i1 true))
define void @avx2(ptr addrspace(1) %a, <8 x ptr addrspace(1)> %places, <8 x i32> %v, <8 x i1> %mask) #0 {
  call void @llvm.masked.store.v8i32.p1(<8 x i32> %v, ptr addrspace(1) align 4 %a, <8 x i1> %mask)
  call void @llvm.masked.scatter.v8i32.v8p1(<8 x i32> %v, <8 x ptr addrspace(1)> align 4 %places, <8 x i1> %mask)
  ret void
}

; Without any masked accesses: a vector if all lanes are active, else separate addresses.
; CHECK-LABEL: @sse(
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %mask to i4
; CHECK: %[[ALL:.*]] = icmp eq i4 %[[BITS]], -1
; CHECK: br i1 %[[ALL]]
; CHECK: %[[WHOLE:.*]] = load <4 x float>, ptr addrspace(1) %a, align 4
; CHECK: getelementptr float, ptr addrspace(1) %a, <4 x i64> <i64 0, i64 1, i64 2, i64 3>
; CHECK: %[[PIECES:.*]] = call <4 x float> @llvm.masked.gather{{.*}}(<4 x ptr addrspace(1)> align 4 %{{.*}}, <4 x i1> splat (i1 true), <4 x float> poison)
; CHECK: phi <4 x float> [ %[[WHOLE]], %{{.*}} ], [ %[[PIECES]], %{{.*}} ]
define <4 x float> @sse(ptr addrspace(1) %a, <4 x i1> %mask) #1 {
  %v = call <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1) align 4 %a, <4 x i1> %mask, <4 x float> poison)
  ret <4 x float> %v
}

; One access loads what another one stores.
; CHECK-LABEL: @copy(
; CHECK: %[[LOADED:.*]] = call <8 x i32> @llvm.masked.gather
; CHECK: call void @llvm.masked.scatter{{.*}}(<8 x i32> %[[LOADED]],
define void @copy(<8 x ptr addrspace(1)> %from, <8 x ptr addrspace(1)> %to, <8 x i1> %mask) #0 {
  %v = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> align 4 %from, <8 x i1> %mask, <8 x i32> poison)
  call void @llvm.masked.scatter.v8i32.v8p1(<8 x i32> %v, <8 x ptr addrspace(1)> align 4 %to, <8 x i1> %mask)
  ret void
}

; CHECK-LABEL: @avx512(
; CHECK-NEXT: call void @llvm.masked.scatter
; CHECK-NEXT: ret void
define void @avx512(<8 x ptr addrspace(1)> %places, <8 x i32> %v, <8 x i1> %mask) #2 {
  call void @llvm.masked.scatter.v8i32.v8p1(<8 x i32> %v, <8 x ptr addrspace(1)> align 4 %places, <8 x i1> %mask)
  ret void
}

attributes #0 = { "cpu.plan"="width=8" "target-cpu"="x86-64-v3" "target-features"="" }
attributes #1 = { "cpu.plan"="width=4" "target-cpu"="x86-64-v2" "target-features"="" }
attributes #2 = { "cpu.plan"="width=8" "target-cpu"="x86-64-v4" "target-features"="" "prefer-vector-width"="512" }
