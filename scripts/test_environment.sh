# Source it with a preset's name. It sets the environment for tests on that build, and defines
# run_with_sanitizer COMMAND..., which runs an uninstrumented program (Python) with the build's sanitizer.

build=$PWD/build/$1
python=$PWD/.venv/bin/python
export PYTHONPATH=$build/python
export HEDDLE_OPT_TOOL=$build/src/heddle-opt
export HEDDLE_INTERPRETER=$build/src/interpret-simt
export PATH=$PWD/.venv/bin:$PATH:/usr/lib/llvm-22/bin
# Checks after every pass that no effect moved across a barrier.
export HEDDLE_VERIFY=1
# Tests use their own cache directories; this keeps other cache files out of the user's directory.
export HEDDLE_CACHE_DIR=$build/test-cache

find_clang_library() { /usr/lib/llvm-22/bin/clang++ -print-file-name="$1"; }
suppressions=$PWD/tests/sanitizers

case $1 in
asan-ubsan)
  # Leaks: the interpreter frees little at exit. Null from malloc: tests request more memory than there is. Poisoning:
  # LLVM's allocators poison memory in code inlined from its headers, and its archives do not unpoison it.
  export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=0:handle_segv=0:allow_user_poisoning=0
  export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
  # Also libstdc++: the interceptor of `throw` looks up the real function when the process starts.
  preload="$(find_clang_library "libclang_rt.asan-$(uname -m).so") $(find_clang_library libstdc++.so)"
  ;;
tsan | tsan-free-threaded)
  # Null from malloc: tests request more memory than there is. Files for reports: pytest hides what a worker prints.
  export TSAN_OPTIONS=suppressions=$suppressions/tsan.supp:log_path=$build/reports/tsan:die_after_fork=0:history_size=4:report_signal_unsafe=0:allocator_may_return_null=1:handle_segv=0
  preload="$(find_clang_library "libclang_rt.tsan-$(uname -m).so") $(find_clang_library libstdc++.so)"
  ;;
*)
  preload=
  ;;
esac
# The interpreter's own memory pools would hide overruns of NumPy's and our buffers. Free-threaded Python has only these.
allocator=malloc
if [ "$1" = tsan-free-threaded ]; then
  python=$build/venv/bin/python
  allocator=default
fi

run_with_sanitizer() {
  if [ -n "$preload" ]; then
    LD_PRELOAD=$preload PYTHONMALLOC=$allocator "$@"
  else
    "$@"
  fi
}
