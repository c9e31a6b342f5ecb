# Clang's static archives. Its exported targets pull in the shared LLVM, so the archives are named one by one; they refer
# to each other in circles, hence the group.

set(clang_archives)
foreach(part Frontend CodeGen Serialization Driver Options Parse Sema Edit Analysis AnalysisLifetimeSafety APINotes
             ASTMatchers AST Lex Basic Support)
  find_library(HEDDLE_CLANG_${part} NAMES libclang${part}.a PATHS ${LLVM_LIBRARY_DIRS} NO_DEFAULT_PATH REQUIRED)
  mark_as_advanced(HEDDLE_CLANG_${part})
  list(APPEND clang_archives ${HEDDLE_CLANG_${part}})
endforeach()
llvm_map_components_to_libnames(clang_needs
  option frontendopenmp frontendhlsl frontendoffloading frontenddirective frontenddriver windowsdriver
  coverage instrumentation objcarcopts hipstdpar cgdata profiledata targetparser demangle)
set(HEDDLE_CLANG_LIBS -Wl,--start-group ${clang_archives} -Wl,--end-group ${clang_needs})
