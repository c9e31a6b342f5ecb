; RUN: heddle-opt -passes=nvptx-unroll-small-loops -S %s | FileCheck %s
; A large loop with loads and an even trip count gets two copies: the loads of one overlap with the arithmetic of the
; other. ptxas would copy some of these loops completely, which takes longer and gains no more.

; CHECK-LABEL: define float @even(
; CHECK: br i1 %more, label %loop, label %exit, !llvm.loop ![[EVEN:[0-9]+]]
; CHECK-LABEL: define float @odd(
; CHECK: br i1 %more, label %loop, label %exit{{$}}
; CHECK-LABEL: define float @only_computes(
; CHECK: br i1 %more, label %loop, label %exit{{$}}
; CHECK-LABEL: define float @two(
; CHECK: br i1 %more1, label %first, label %second, !llvm.loop ![[FIRST:[0-9]+]]
; CHECK: br i1 %more2, label %second, label %exit, !llvm.loop ![[SECOND:[0-9]+]]
; CHECK: ![[EVEN]] = distinct !{![[EVEN]], ![[TWO:[0-9]+]]}
; CHECK: ![[TWO]] = !{!"llvm.loop.unroll.count", i32 2}
; CHECK: ![[FIRST]] = distinct !{![[FIRST]], ![[ROLLED:[0-9]+]]}
; CHECK: ![[ROLLED]] = !{!"llvm.loop.unroll.runtime.disable"}
; CHECK: ![[SECOND]] = distinct !{![[SECOND]], ![[ROLLED]]}

define float @even(ptr addrspace(3) %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s66, %loop ]
  %p = getelementptr float, ptr addrspace(3) %a, i64 %i
  %v = load float, ptr addrspace(3) %p
  %s1 = fadd float %s, %v
  %s2 = fmul float %s1, %v
  %s3 = fadd float %s2, %v
  %s4 = fmul float %s3, %v
  %s5 = fadd float %s4, %v
  %s6 = fmul float %s5, %v
  %s7 = fadd float %s6, %v
  %s8 = fmul float %s7, %v
  %s9 = fadd float %s8, %v
  %s10 = fmul float %s9, %v
  %s11 = fadd float %s10, %v
  %s12 = fmul float %s11, %v
  %s13 = fadd float %s12, %v
  %s14 = fmul float %s13, %v
  %s15 = fadd float %s14, %v
  %s16 = fmul float %s15, %v
  %s17 = fadd float %s16, %v
  %s18 = fmul float %s17, %v
  %s19 = fadd float %s18, %v
  %s20 = fmul float %s19, %v
  %s21 = fadd float %s20, %v
  %s22 = fmul float %s21, %v
  %s23 = fadd float %s22, %v
  %s24 = fmul float %s23, %v
  %s25 = fadd float %s24, %v
  %s26 = fmul float %s25, %v
  %s27 = fadd float %s26, %v
  %s28 = fmul float %s27, %v
  %s29 = fadd float %s28, %v
  %s30 = fmul float %s29, %v
  %s31 = fadd float %s30, %v
  %s32 = fmul float %s31, %v
  %s33 = fadd float %s32, %v
  %s34 = fmul float %s33, %v
  %s35 = fadd float %s34, %v
  %s36 = fmul float %s35, %v
  %s37 = fadd float %s36, %v
  %s38 = fmul float %s37, %v
  %s39 = fadd float %s38, %v
  %s40 = fmul float %s39, %v
  %s41 = fadd float %s40, %v
  %s42 = fmul float %s41, %v
  %s43 = fadd float %s42, %v
  %s44 = fmul float %s43, %v
  %s45 = fadd float %s44, %v
  %s46 = fmul float %s45, %v
  %s47 = fadd float %s46, %v
  %s48 = fmul float %s47, %v
  %s49 = fadd float %s48, %v
  %s50 = fmul float %s49, %v
  %s51 = fadd float %s50, %v
  %s52 = fmul float %s51, %v
  %s53 = fadd float %s52, %v
  %s54 = fmul float %s53, %v
  %s55 = fadd float %s54, %v
  %s56 = fmul float %s55, %v
  %s57 = fadd float %s56, %v
  %s58 = fmul float %s57, %v
  %s59 = fadd float %s58, %v
  %s60 = fmul float %s59, %v
  %s61 = fadd float %s60, %v
  %s62 = fmul float %s61, %v
  %s63 = fadd float %s62, %v
  %s64 = fmul float %s63, %v
  %s65 = fadd float %s64, %v
  %s66 = fmul float %s65, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 8
  br i1 %more, label %loop, label %exit
exit:
  ret float %s66
}

define float @odd(ptr addrspace(3) %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s66, %loop ]
  %p = getelementptr float, ptr addrspace(3) %a, i64 %i
  %v = load float, ptr addrspace(3) %p
  %s1 = fadd float %s, %v
  %s2 = fmul float %s1, %v
  %s3 = fadd float %s2, %v
  %s4 = fmul float %s3, %v
  %s5 = fadd float %s4, %v
  %s6 = fmul float %s5, %v
  %s7 = fadd float %s6, %v
  %s8 = fmul float %s7, %v
  %s9 = fadd float %s8, %v
  %s10 = fmul float %s9, %v
  %s11 = fadd float %s10, %v
  %s12 = fmul float %s11, %v
  %s13 = fadd float %s12, %v
  %s14 = fmul float %s13, %v
  %s15 = fadd float %s14, %v
  %s16 = fmul float %s15, %v
  %s17 = fadd float %s16, %v
  %s18 = fmul float %s17, %v
  %s19 = fadd float %s18, %v
  %s20 = fmul float %s19, %v
  %s21 = fadd float %s20, %v
  %s22 = fmul float %s21, %v
  %s23 = fadd float %s22, %v
  %s24 = fmul float %s23, %v
  %s25 = fadd float %s24, %v
  %s26 = fmul float %s25, %v
  %s27 = fadd float %s26, %v
  %s28 = fmul float %s27, %v
  %s29 = fadd float %s28, %v
  %s30 = fmul float %s29, %v
  %s31 = fadd float %s30, %v
  %s32 = fmul float %s31, %v
  %s33 = fadd float %s32, %v
  %s34 = fmul float %s33, %v
  %s35 = fadd float %s34, %v
  %s36 = fmul float %s35, %v
  %s37 = fadd float %s36, %v
  %s38 = fmul float %s37, %v
  %s39 = fadd float %s38, %v
  %s40 = fmul float %s39, %v
  %s41 = fadd float %s40, %v
  %s42 = fmul float %s41, %v
  %s43 = fadd float %s42, %v
  %s44 = fmul float %s43, %v
  %s45 = fadd float %s44, %v
  %s46 = fmul float %s45, %v
  %s47 = fadd float %s46, %v
  %s48 = fmul float %s47, %v
  %s49 = fadd float %s48, %v
  %s50 = fmul float %s49, %v
  %s51 = fadd float %s50, %v
  %s52 = fmul float %s51, %v
  %s53 = fadd float %s52, %v
  %s54 = fmul float %s53, %v
  %s55 = fadd float %s54, %v
  %s56 = fmul float %s55, %v
  %s57 = fadd float %s56, %v
  %s58 = fmul float %s57, %v
  %s59 = fadd float %s58, %v
  %s60 = fmul float %s59, %v
  %s61 = fadd float %s60, %v
  %s62 = fmul float %s61, %v
  %s63 = fadd float %s62, %v
  %s64 = fmul float %s63, %v
  %s65 = fadd float %s64, %v
  %s66 = fmul float %s65, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 9
  br i1 %more, label %loop, label %exit
exit:
  ret float %s66
}

define float @only_computes(ptr addrspace(3) %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s66, %loop ]
  %v = uitofp i64 %i to float
  %s1 = fadd float %s, %v
  %s2 = fmul float %s1, %v
  %s3 = fadd float %s2, %v
  %s4 = fmul float %s3, %v
  %s5 = fadd float %s4, %v
  %s6 = fmul float %s5, %v
  %s7 = fadd float %s6, %v
  %s8 = fmul float %s7, %v
  %s9 = fadd float %s8, %v
  %s10 = fmul float %s9, %v
  %s11 = fadd float %s10, %v
  %s12 = fmul float %s11, %v
  %s13 = fadd float %s12, %v
  %s14 = fmul float %s13, %v
  %s15 = fadd float %s14, %v
  %s16 = fmul float %s15, %v
  %s17 = fadd float %s16, %v
  %s18 = fmul float %s17, %v
  %s19 = fadd float %s18, %v
  %s20 = fmul float %s19, %v
  %s21 = fadd float %s20, %v
  %s22 = fmul float %s21, %v
  %s23 = fadd float %s22, %v
  %s24 = fmul float %s23, %v
  %s25 = fadd float %s24, %v
  %s26 = fmul float %s25, %v
  %s27 = fadd float %s26, %v
  %s28 = fmul float %s27, %v
  %s29 = fadd float %s28, %v
  %s30 = fmul float %s29, %v
  %s31 = fadd float %s30, %v
  %s32 = fmul float %s31, %v
  %s33 = fadd float %s32, %v
  %s34 = fmul float %s33, %v
  %s35 = fadd float %s34, %v
  %s36 = fmul float %s35, %v
  %s37 = fadd float %s36, %v
  %s38 = fmul float %s37, %v
  %s39 = fadd float %s38, %v
  %s40 = fmul float %s39, %v
  %s41 = fadd float %s40, %v
  %s42 = fmul float %s41, %v
  %s43 = fadd float %s42, %v
  %s44 = fmul float %s43, %v
  %s45 = fadd float %s44, %v
  %s46 = fmul float %s45, %v
  %s47 = fadd float %s46, %v
  %s48 = fmul float %s47, %v
  %s49 = fadd float %s48, %v
  %s50 = fmul float %s49, %v
  %s51 = fadd float %s50, %v
  %s52 = fmul float %s51, %v
  %s53 = fadd float %s52, %v
  %s54 = fmul float %s53, %v
  %s55 = fadd float %s54, %v
  %s56 = fmul float %s55, %v
  %s57 = fadd float %s56, %v
  %s58 = fmul float %s57, %v
  %s59 = fadd float %s58, %v
  %s60 = fmul float %s59, %v
  %s61 = fadd float %s60, %v
  %s62 = fmul float %s61, %v
  %s63 = fadd float %s62, %v
  %s64 = fmul float %s63, %v
  %s65 = fadd float %s64, %v
  %s66 = fmul float %s65, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 8
  br i1 %more, label %loop, label %exit
exit:
  ret float %s66
}

; Several large loops of a kernel stay rolled.
define float @two(ptr addrspace(3) %a) {
entry:
  br label %first
first:
  %i1 = phi i64 [ 0, %entry ], [ %next1, %first ]
  %s1 = phi float [ 0.0, %entry ], [ %s1.66, %first ]
  %p1 = getelementptr float, ptr addrspace(3) %a, i64 %i1
  %v1 = load float, ptr addrspace(3) %p1
  %s1.1 = fadd float %s1, %v1
  %s1.2 = fmul float %s1.1, %v1
  %s1.3 = fadd float %s1.2, %v1
  %s1.4 = fmul float %s1.3, %v1
  %s1.5 = fadd float %s1.4, %v1
  %s1.6 = fmul float %s1.5, %v1
  %s1.7 = fadd float %s1.6, %v1
  %s1.8 = fmul float %s1.7, %v1
  %s1.9 = fadd float %s1.8, %v1
  %s1.10 = fmul float %s1.9, %v1
  %s1.11 = fadd float %s1.10, %v1
  %s1.12 = fmul float %s1.11, %v1
  %s1.13 = fadd float %s1.12, %v1
  %s1.14 = fmul float %s1.13, %v1
  %s1.15 = fadd float %s1.14, %v1
  %s1.16 = fmul float %s1.15, %v1
  %s1.17 = fadd float %s1.16, %v1
  %s1.18 = fmul float %s1.17, %v1
  %s1.19 = fadd float %s1.18, %v1
  %s1.20 = fmul float %s1.19, %v1
  %s1.21 = fadd float %s1.20, %v1
  %s1.22 = fmul float %s1.21, %v1
  %s1.23 = fadd float %s1.22, %v1
  %s1.24 = fmul float %s1.23, %v1
  %s1.25 = fadd float %s1.24, %v1
  %s1.26 = fmul float %s1.25, %v1
  %s1.27 = fadd float %s1.26, %v1
  %s1.28 = fmul float %s1.27, %v1
  %s1.29 = fadd float %s1.28, %v1
  %s1.30 = fmul float %s1.29, %v1
  %s1.31 = fadd float %s1.30, %v1
  %s1.32 = fmul float %s1.31, %v1
  %s1.33 = fadd float %s1.32, %v1
  %s1.34 = fmul float %s1.33, %v1
  %s1.35 = fadd float %s1.34, %v1
  %s1.36 = fmul float %s1.35, %v1
  %s1.37 = fadd float %s1.36, %v1
  %s1.38 = fmul float %s1.37, %v1
  %s1.39 = fadd float %s1.38, %v1
  %s1.40 = fmul float %s1.39, %v1
  %s1.41 = fadd float %s1.40, %v1
  %s1.42 = fmul float %s1.41, %v1
  %s1.43 = fadd float %s1.42, %v1
  %s1.44 = fmul float %s1.43, %v1
  %s1.45 = fadd float %s1.44, %v1
  %s1.46 = fmul float %s1.45, %v1
  %s1.47 = fadd float %s1.46, %v1
  %s1.48 = fmul float %s1.47, %v1
  %s1.49 = fadd float %s1.48, %v1
  %s1.50 = fmul float %s1.49, %v1
  %s1.51 = fadd float %s1.50, %v1
  %s1.52 = fmul float %s1.51, %v1
  %s1.53 = fadd float %s1.52, %v1
  %s1.54 = fmul float %s1.53, %v1
  %s1.55 = fadd float %s1.54, %v1
  %s1.56 = fmul float %s1.55, %v1
  %s1.57 = fadd float %s1.56, %v1
  %s1.58 = fmul float %s1.57, %v1
  %s1.59 = fadd float %s1.58, %v1
  %s1.60 = fmul float %s1.59, %v1
  %s1.61 = fadd float %s1.60, %v1
  %s1.62 = fmul float %s1.61, %v1
  %s1.63 = fadd float %s1.62, %v1
  %s1.64 = fmul float %s1.63, %v1
  %s1.65 = fadd float %s1.64, %v1
  %s1.66 = fmul float %s1.65, %v1
  %next1 = add nuw nsw i64 %i1, 1
  %more1 = icmp ult i64 %next1, 8
  br i1 %more1, label %first, label %second
second:
  %i2 = phi i64 [ 0, %first ], [ %next2, %second ]
  %s2 = phi float [ %s1.66, %first ], [ %s2.66, %second ]
  %p2 = getelementptr float, ptr addrspace(3) %a, i64 %i2
  %v2 = load float, ptr addrspace(3) %p2
  %s2.1 = fadd float %s2, %v2
  %s2.2 = fmul float %s2.1, %v2
  %s2.3 = fadd float %s2.2, %v2
  %s2.4 = fmul float %s2.3, %v2
  %s2.5 = fadd float %s2.4, %v2
  %s2.6 = fmul float %s2.5, %v2
  %s2.7 = fadd float %s2.6, %v2
  %s2.8 = fmul float %s2.7, %v2
  %s2.9 = fadd float %s2.8, %v2
  %s2.10 = fmul float %s2.9, %v2
  %s2.11 = fadd float %s2.10, %v2
  %s2.12 = fmul float %s2.11, %v2
  %s2.13 = fadd float %s2.12, %v2
  %s2.14 = fmul float %s2.13, %v2
  %s2.15 = fadd float %s2.14, %v2
  %s2.16 = fmul float %s2.15, %v2
  %s2.17 = fadd float %s2.16, %v2
  %s2.18 = fmul float %s2.17, %v2
  %s2.19 = fadd float %s2.18, %v2
  %s2.20 = fmul float %s2.19, %v2
  %s2.21 = fadd float %s2.20, %v2
  %s2.22 = fmul float %s2.21, %v2
  %s2.23 = fadd float %s2.22, %v2
  %s2.24 = fmul float %s2.23, %v2
  %s2.25 = fadd float %s2.24, %v2
  %s2.26 = fmul float %s2.25, %v2
  %s2.27 = fadd float %s2.26, %v2
  %s2.28 = fmul float %s2.27, %v2
  %s2.29 = fadd float %s2.28, %v2
  %s2.30 = fmul float %s2.29, %v2
  %s2.31 = fadd float %s2.30, %v2
  %s2.32 = fmul float %s2.31, %v2
  %s2.33 = fadd float %s2.32, %v2
  %s2.34 = fmul float %s2.33, %v2
  %s2.35 = fadd float %s2.34, %v2
  %s2.36 = fmul float %s2.35, %v2
  %s2.37 = fadd float %s2.36, %v2
  %s2.38 = fmul float %s2.37, %v2
  %s2.39 = fadd float %s2.38, %v2
  %s2.40 = fmul float %s2.39, %v2
  %s2.41 = fadd float %s2.40, %v2
  %s2.42 = fmul float %s2.41, %v2
  %s2.43 = fadd float %s2.42, %v2
  %s2.44 = fmul float %s2.43, %v2
  %s2.45 = fadd float %s2.44, %v2
  %s2.46 = fmul float %s2.45, %v2
  %s2.47 = fadd float %s2.46, %v2
  %s2.48 = fmul float %s2.47, %v2
  %s2.49 = fadd float %s2.48, %v2
  %s2.50 = fmul float %s2.49, %v2
  %s2.51 = fadd float %s2.50, %v2
  %s2.52 = fmul float %s2.51, %v2
  %s2.53 = fadd float %s2.52, %v2
  %s2.54 = fmul float %s2.53, %v2
  %s2.55 = fadd float %s2.54, %v2
  %s2.56 = fmul float %s2.55, %v2
  %s2.57 = fadd float %s2.56, %v2
  %s2.58 = fmul float %s2.57, %v2
  %s2.59 = fadd float %s2.58, %v2
  %s2.60 = fmul float %s2.59, %v2
  %s2.61 = fadd float %s2.60, %v2
  %s2.62 = fmul float %s2.61, %v2
  %s2.63 = fadd float %s2.62, %v2
  %s2.64 = fmul float %s2.63, %v2
  %s2.65 = fadd float %s2.64, %v2
  %s2.66 = fmul float %s2.65, %v2
  %next2 = add nuw nsw i64 %i2, 1
  %more2 = icmp ult i64 %next2, 8
  br i1 %more2, label %second, label %exit
exit:
  ret float %s2.66
}
