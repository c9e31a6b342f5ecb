; RUN: heddle-opt -ptx -sm=90 %s | FileCheck %s
; A histogram in shared memory, as the Python front end writes it. The loop around the division and the atomic is not
; unrolled: one division is the bins' width, one is in the loop.

; CHECK-LABEL: .entry hist(
; CHECK: bar.sync 0;
; CHECK: div.rn.f64
; CHECK: ld.global.nc.b32
; CHECK: div.rn.f64
; CHECK: atom.shared.add.u32
; CHECK-NOT: div.rn.f64

@0 = internal addrspace(3) global [150 x i32] poison, align 16

define void @hist(ptr addrspace(1) noalias align 4 %0, i64 range(i64 0, 2147483648) %1, i64 %2, float %3, float %4, ptr addrspace(1) noalias align 4 %5, i64 range(i64 0, 2147483648) %6, i64 %7) #0 {
  br label %9

9:
  %10 = fsub float %4, %3
  %11 = fpext float %10 to double
  %12 = sitofp i64 %6 to double
  %13 = fdiv double %11, %12
  %14 = call i32 @simt.tid.x()
  %15 = call i32 @simt.ntid.x()
  %16 = sext i32 %14 to i64
  %17 = sext i32 %15 to i64
  %18 = call i64 @llvm.abs.i64(i64 %17, i1 false)
  %19 = icmp sgt i64 %17, 0
  %20 = call i64 @llvm.umax.i64(i64 %18, i64 1)
  %21 = icmp slt i64 %6, %16
  %22 = sub i64 %16, %6
  %23 = sub i64 %22, 1
  %24 = udiv i64 %23, %20
  %25 = add i64 %24, 1
  %26 = icmp slt i64 %25, 1
  %27 = select i1 %26, i64 9223372036854775807, i64 %25
  %28 = select i1 %21, i64 %27, i64 0
  %29 = icmp slt i64 %16, %6
  %30 = sub i64 %6, %16
  %31 = sub i64 %30, 1
  %32 = udiv i64 %31, %20
  %33 = add i64 %32, 1
  %34 = icmp slt i64 %33, 1
  %35 = select i1 %34, i64 9223372036854775807, i64 %33
  %36 = select i1 %29, i64 %35, i64 0
  %37 = select i1 %19, i64 %36, i64 %28
  %38 = icmp eq i64 %17, 0
  %39 = select i1 %38, i64 0, i64 %37
  br label %40

40:
  %41 = phi i64 [ 0, %9 ], [ %151, %150 ]
  %42 = icmp slt i64 %41, %39
  br i1 %42, label %146, label %43

43:
  call void @simt.barrier(i32 0)
  %44 = call i32 @simt.ntid.x()
  %45 = zext nneg i32 %44 to i64
  %46 = call i32 @simt.ctaid.x()
  %47 = zext nneg i32 %46 to i64
  %48 = mul nuw nsw i64 %47, %45
  %49 = call i32 @simt.tid.x()
  %50 = zext nneg i32 %49 to i64
  %51 = add nuw nsw i64 %48, %50
  %52 = call i32 @simt.ntid.x()
  %53 = zext nneg i32 %52 to i64
  %54 = call i32 @simt.nctaid.x()
  %55 = zext nneg i32 %54 to i64
  %56 = mul nuw nsw i64 %55, %53
  %57 = call i64 @llvm.abs.i64(i64 %56, i1 false)
  %58 = icmp sgt i64 %56, 0
  %59 = call i64 @llvm.umax.i64(i64 %57, i64 1)
  %60 = icmp slt i64 %1, %51
  %61 = sub i64 %51, %1
  %62 = sub i64 %61, 1
  %63 = udiv i64 %62, %59
  %64 = add i64 %63, 1
  %65 = icmp slt i64 %64, 1
  %66 = select i1 %65, i64 9223372036854775807, i64 %64
  %67 = select i1 %60, i64 %66, i64 0
  %68 = icmp slt i64 %51, %1
  %69 = sub i64 %1, %51
  %70 = sub i64 %69, 1
  %71 = udiv i64 %70, %59
  %72 = add i64 %71, 1
  %73 = icmp slt i64 %72, 1
  %74 = select i1 %73, i64 9223372036854775807, i64 %72
  %75 = select i1 %68, i64 %74, i64 0
  %76 = select i1 %58, i64 %75, i64 %67
  %77 = icmp eq i64 %56, 0
  %78 = select i1 %77, i64 0, i64 %76
  br label %79

79:
  %80 = phi i64 [ 0, %43 ], [ %145, %144 ]
  %81 = icmp slt i64 %80, %78
  br i1 %81, label %122, label %82

82:
  call void @simt.barrier(i32 1)
  %83 = call i32 @simt.tid.x()
  %84 = call i32 @simt.ntid.x()
  %85 = sext i32 %83 to i64
  %86 = sext i32 %84 to i64
  %87 = call i64 @llvm.abs.i64(i64 %86, i1 false)
  %88 = icmp sgt i64 %86, 0
  %89 = call i64 @llvm.umax.i64(i64 %87, i64 1)
  %90 = icmp slt i64 %6, %85
  %91 = sub i64 %85, %6
  %92 = sub i64 %91, 1
  %93 = udiv i64 %92, %89
  %94 = add i64 %93, 1
  %95 = icmp slt i64 %94, 1
  %96 = select i1 %95, i64 9223372036854775807, i64 %94
  %97 = select i1 %90, i64 %96, i64 0
  %98 = icmp slt i64 %85, %6
  %99 = sub i64 %6, %85
  %100 = sub i64 %99, 1
  %101 = udiv i64 %100, %89
  %102 = add i64 %101, 1
  %103 = icmp slt i64 %102, 1
  %104 = select i1 %103, i64 9223372036854775807, i64 %102
  %105 = select i1 %98, i64 %104, i64 0
  %106 = select i1 %88, i64 %105, i64 %97
  %107 = icmp eq i64 %86, 0
  %108 = select i1 %107, i64 0, i64 %106
  br label %109

109:
  %110 = phi i64 [ 0, %82 ], [ %121, %120 ]
  %111 = icmp slt i64 %110, %108
  br i1 %111, label %113, label %112

112:
  ret void

113:
  %114 = mul nsw i64 %110, %86
  %115 = add nsw i64 %85, %114
  %116 = getelementptr inbounds i32, ptr addrspace(3) @0, i64 %115
  %117 = load i32, ptr addrspace(3) %116, align 4
  %118 = getelementptr inbounds i32, ptr addrspace(1) %5, i64 %115
  %119 = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %118, i32 %117, i32 1)
  br label %120

120:
  %121 = add nuw nsw i64 %110, 1
  br label %109

122:
  %123 = mul nsw i64 %80, %56
  %124 = add nsw i64 %51, %123
  %125 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %124
  %126 = load float, ptr addrspace(1) %125, align 4
  %127 = fsub float %126, %3
  %128 = fpext float %127 to double
  %129 = fdiv double %128, %13
  %130 = call i32 @llvm.fptosi.sat.i32.f64(double %129)
  %131 = sext i32 %130 to i64
  %132 = icmp sge i64 %131, 0
  br i1 %132, label %133, label %143

133:
  %134 = sext i32 %130 to i64
  %135 = icmp slt i64 %134, %6
  br i1 %135, label %136, label %143

136:
  %137 = sext i32 %130 to i64
  %138 = add i64 %137, 150
  %139 = icmp slt i64 %137, 0
  %140 = select i1 %139, i64 %138, i64 %137
  %141 = getelementptr inbounds i32, ptr addrspace(3) @0, i64 %140
  %142 = call i32 @simt.atomic.add.i32.p3(ptr addrspace(3) %141, i32 1, i32 1)
  br label %143

143:
  br label %144

144:
  %145 = add nuw nsw i64 %80, 1
  br label %79

146:
  %147 = mul nsw i64 %41, %17
  %148 = add nsw i64 %16, %147
  %149 = getelementptr inbounds i32, ptr addrspace(3) @0, i64 %148
  store i32 0, ptr addrspace(3) %149, align 4
  br label %150

150:
  %151 = add nuw nsw i64 %41, 1
  br label %40
}

declare range(i32 0, 1024) i32 @simt.tid.x() #1

declare range(i32 1, 1025) i32 @simt.ntid.x() #1

declare i64 @llvm.abs.i64(i64, i1 immarg) #1

declare i64 @llvm.umax.i64(i64, i64) #2

declare void @simt.barrier(i32) #3

declare range(i32 0, 2147483647) i32 @simt.ctaid.x() #1

declare range(i32 1, -2147483648) i32 @simt.nctaid.x() #1

declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32) #4

declare i32 @llvm.fptosi.sat.i32.f64(double) #2

declare i32 @simt.atomic.add.i32.p3(ptr addrspace(3), i32, i32) #4

attributes #0 = { nounwind "simt.kernel" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nounwind }
attributes #4 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }

!simt.sites = !{!1, !2}

!1 = !{!"barrier", !"syncthreads()", !"hist", !"kernels.py", i32 44, i32 5}
!2 = !{!"barrier", !"syncthreads()", !"hist", !"kernels.py", i32 49, i32 5}
