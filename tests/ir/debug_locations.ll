; RUN: heddle-opt -host -passes='verify-simt,cpu-lowering,cpu-optimization' -S %s | FileCheck %s
; Source lines survive inlining, coroutines, loops over threads and the stack guard.

; CHECK-DAG: define internal {{.*}}@waits.kernel({{.*}}!dbg ![[WAITS:[0-9]+]]
; CHECK-DAG: define internal {{.*}}@loops.kernel.threads({{.*}}!dbg ![[LOOPS:[0-9]+]]
; CHECK-DAG: define internal {{.*}}@self.device({{.*}}!dbg ![[SELF:[0-9]+]]
; CHECK-DAG: ![[WAITS]] = {{.*}}!DISubprogram(name: "waits"
; CHECK-DAG: ![[LOOPS]] = {{.*}}!DISubprogram(name: "loops"
; CHECK-DAG: ![[SELF]] = {{.*}}!DISubprogram(name: "self"
define void @waits(ptr addrspace(1) %p) "simt.kernel" !dbg !10 {
  %a = alloca [4 x i32]
  %v = load volatile i32, ptr addrspace(1) %p, !dbg !11
  %s = call i32 @square(i32 %v), !dbg !12
  call void @simt.barrier(i32 0), !dbg !13
  store i32 %s, ptr addrspace(1) %p, !dbg !14
  ret void, !dbg !14
}
define void @loops(ptr addrspace(1) %p, i32 %n) "simt.kernel" !dbg !20 {
  %s = call i32 @square(i32 %n), !dbg !21
  %r = call i32 @self(i32 %s), !dbg !22
  %z = icmp eq i32 %r, 5
  br i1 %z, label %stop, label %go, !dbg !22
stop:
  call void @simt.trap(i32 0), !dbg !22
  unreachable
go:
  store i32 %r, ptr addrspace(1) %p, !dbg !22
  ret void, !dbg !22
}
define internal i32 @square(i32 %x) !dbg !30 {
  %y = mul i32 %x, %x, !dbg !31
  ret i32 %y, !dbg !31
}
define internal i32 @self(i32 %x) !dbg !40 {
  %t = call i32 @simt.tid.x(), !dbg !41
  %e = icmp sgt i32 %x, %t
  br i1 %e, label %more, label %done, !dbg !41
more:
  %d = sub i32 %x, 1
  %y = call i32 @self(i32 %d), !dbg !41
  %s = call i32 @square(i32 %y), !dbg !41
  ret i32 %s, !dbg !41
done:
  ret i32 1, !dbg !41
}
declare void @simt.barrier(i32) convergent
declare void @simt.trap(i32) noreturn
declare i32 @simt.tid.x()
!simt.sites = !{!5}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_Python, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "k.py", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !{})
!5 = !{!"barrier", !"simt.barrier", !"waits", !"k.py", i32 4, i32 4}
!10 = distinct !DISubprogram(name: "waits", file: !1, line: 1, unit: !0, spFlags: DISPFlagDefinition, type: !4)
!11 = !DILocation(line: 2, scope: !10)
!12 = !DILocation(line: 3, scope: !10)
!13 = !DILocation(line: 4, scope: !10)
!14 = !DILocation(line: 5, scope: !10)
!20 = distinct !DISubprogram(name: "loops", file: !1, line: 11, unit: !0, spFlags: DISPFlagDefinition, type: !4)
!21 = !DILocation(line: 12, scope: !20)
!22 = !DILocation(line: 13, scope: !20)
!30 = distinct !DISubprogram(name: "square", file: !1, line: 21, unit: !0, spFlags: DISPFlagDefinition, type: !4)
!31 = !DILocation(line: 22, scope: !30)
!40 = distinct !DISubprogram(name: "self", file: !1, line: 31, unit: !0, spFlags: DISPFlagDefinition, type: !4)
!41 = !DILocation(line: 32, scope: !40)
