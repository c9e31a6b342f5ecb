; RUN: heddle-opt -passes=insert-trace-probes -S %s | FileCheck %s

; The lines of a basic block are steps, and a barrier is one of its own. The side that returns early comes before the
; other one: it is block 2.
; CHECK-LABEL: define void @branch(
; CHECK: entry:
; CHECK-NEXT: call i1 @simt.check.block(i32 1)
; CHECK-NEXT: call i32 @simt.tid.x()
; CHECK: main:
; CHECK-NEXT: call i1 @simt.check.block(i32 2)
; CHECK-NEXT: store
; CHECK-NEXT: call i1 @simt.check.block(i32 3)
; CHECK-NEXT: call void @simt.barrier
; CHECK-NEXT: call i1 @simt.check.block(i32 4)
; CHECK-NEXT: store
; CHECK-NEXT: br label %more
; CHECK: early:
; CHECK-NEXT: call i1 @simt.check.block(i32 5)
; CHECK-NEXT: store
; CHECK-NEXT: ret void
define void @branch(ptr addrspace(1) %a) "simt.kernel" !dbg !5 {
entry:
  %t = call i32 @simt.tid.x(), !dbg !11
  %c = icmp slt i32 %t, 5, !dbg !11
  br i1 %c, label %main, label %early, !dbg !11
main:
  store i32 1, ptr addrspace(1) %a, !dbg !12
  call void @simt.barrier(i32 0), !dbg !12
  store i32 2, ptr addrspace(1) %a, !dbg !12
  br label %more, !dbg !12
more:
  ret void, !dbg !13
early:
  store i32 3, ptr addrspace(1) %a, !dbg !14
  ret void, !dbg !14
}

; A loop header without a line of the source only has a mark.
; CHECK-LABEL: define void @loop(
; CHECK: head:
; CHECK-NEXT: phi
; CHECK-NEXT: call i1 @simt.check.block(i32 6)
; CHECK-NEXT: br label %body
; CHECK: body:
; CHECK-NEXT: call i1 @simt.check.block(i32 7)
; CHECK-NEXT: add
; CHECK: end:
; CHECK-NEXT: ret void
define void @loop(i32 %n) "simt.kernel" !dbg !6 {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  br label %body
body:
  %next = add i32 %i, 1, !dbg !15
  %more = icmp slt i32 %next, %n, !dbg !15
  br i1 %more, label %head, label %end, !dbg !15
end:
  ret void, !dbg !15
}

declare i32 @simt.tid.x()
declare void @simt.barrier(i32)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!simt.sites = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_Python, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.py", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{!"barrier", !"simt.barrier", !"branch", !"k.py", i32 3, i32 1}
!4 = !DISubroutineType(types: !{})
!5 = distinct !DISubprogram(name: "branch", file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!6 = distinct !DISubprogram(name: "loop", file: !1, line: 8, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!11 = !DILocation(line: 2, column: 1, scope: !5)
!12 = !DILocation(line: 3, column: 1, scope: !5)
!13 = !DILocation(line: 4, column: 1, scope: !5)
!14 = !DILocation(line: 5, column: 1, scope: !5)
!15 = !DILocation(line: 9, column: 1, scope: !6)

; CHECK: !simt.sites = !{{{.*}}, ![[#TEST:]], ![[#STORE:]], ![[#WAIT:]], ![[#LAST:]], ![[#EARLY:]], ![[#MARK:]], ![[#BODY:]]}
; CHECK-DAG: ![[#TEST]] = !{!"step", !"", !"branch", !"k.py", i32 2, i32 1, !"1,0"}
; CHECK-DAG: ![[#STORE]] = !{!"step", !"", !"branch", !"k.py", i32 3, i32 1, !"3,0"}
; CHECK-DAG: ![[#WAIT]] = !{!"step", !"barrier", !"branch", !"k.py", i32 3, i32 1, !"3,1"}
; CHECK-DAG: ![[#LAST]] = !{!"step", !"", !"branch", !"k.py", i32 3, i32 1, !"3,2"}
; CHECK-DAG: ![[#EARLY]] = !{!"step", !"", !"branch", !"k.py", i32 5, i32 1, !"2,0"}
; CHECK-DAG: ![[#MARK]] = !{!"step", !"", !"", !"", i32 0, i32 0, !"2,0,2"}
; CHECK-DAG: ![[#BODY]] = !{!"step", !"", !"loop", !"k.py", i32 9, i32 1, !"3,0,2"}
