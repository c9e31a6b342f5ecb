// Asynchronous copies from global to shared memory, as __pipeline_memcpy_async of CUDA C++.

#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/inline_ptx.h"

namespace heddle::python {
namespace {

constexpr unsigned copiesInBackground = 80; // 10 * the compute capability that has cp.async

/// True if the target has no cp.async. CPUs translate it (frontend/ptx).
bool lacksAsyncCopy(CallEmission &c) {
  Architecture architecture = c.e.module().architecture();
  return architecture.isGpu && architecture.number < copiesInBackground;
}

Type typeNone(CallTyping &) { return noneType(); }

/// The constant integer of an optional argument.
int64_t readConstant(const Constant *c, int64_t otherwise) {
  return !c ? otherwise : c->kind == ConstantKind::Int ? c->integer : -1;
}

/// Fails unless argument `i` is an array in this memory, and the next argument the index of an element.
Type requireArrayElement(CallTyping &t, unsigned i, simt::AddressSpace space, const char *wanted) {
  Type array = t.type(i);
  if (!array.isArray() || array->space != space)
    t.failAt(i, std::string("memcpy_async() copies from global to shared memory: this is not ") +
                    wanted);
  requireElementIndex(t, i,
                      "the index selects the first element to copy: one number for each dimension");
  return array;
}

Type typeCopy(CallTyping &t) {
  Type to = requireArrayElement(t, 0, simt::Shared, "an array of cuda.shared.array()");
  Type from = requireArrayElement(t, 2, simt::Global, "an array argument of the kernel");
  if (to->element != from->element)
    t.failAt(2, "the arrays have different elements: " + to->element.name() + " and " +
                    from->element.name());
  int64_t count = readConstant(t.constant(4), t.argument(4) ? -1 : 1);
  unsigned place = t.argument(4) ? 4 : 0;
  if (count < 1)
    t.failAt(place, "count must be a positive constant", "it selects the instruction");
  int64_t size = to->element->bytes(), bytes = count > 16 ? 0 : count * size;
  if (bytes != 4 && bytes != 8 && bytes != 16)
    t.failAt(place,
             "an asynchronous copy has 4, 8 or 16 bytes, not " + std::to_string(count * size),
             size > 16 ? ""
                       : "copy count=" + std::to_string(16 / size) + " elements of " +
                             to->element.name() + " at a time");
  for (unsigned i : {0u, 2u})
    if (count > 1 && t.type(i)->layout == Layout::F && t.type(i)->ndim > 1)
      t.failAt(i,
               "the elements to copy are adjacent along the last axis, but the array is in "
               "Fortran order",
               "copy from the transposed array: ary.T");
  return noneType();
}

/// The address of the first element of the array that is argument `i`, from which `count` are copied.
llvm::Value *computeElementAddress(CallEmission &c, unsigned i, int64_t count) {
  Value &array = *c.argument(i), &index = *c.argument(i + 1);
  Span span = c.spanOf(i + 1);
  std::vector<IndexItem> items = parseIndex(c.e.function(), array.type, index, span);
  ElementPlace place = emitElementPlace(c.e, array, items, index, span);
  if (!c.e.checks().bounds)
    return place.address;
  Parts parts = c.e.parts(array);
  ArrayParts a{parts, array.type->ndim};
  unsigned axis = a.ndim - 1, size = array.type->element->bytes();
  if (count > 1) {
    llvm::Value *last = c.b.CreateNSWAdd(place.indices[axis], c.e.int64(count - 1));
    c.e.checkIndex(last, last, a.extent(axis), span,
                   "the last of the " + std::to_string(count) +
                       " elements to copy, {index}, is out of bounds for axis " +
                       std::to_string(axis) + " with size {extent}");
    c.e.trapIf(c.b.CreateICmpNE(a.stride(axis), c.e.int64(size)), span, "ValueError",
               "the elements to copy are not adjacent in memory");
  }
  int64_t bytes = count * size;
  llvm::Value *address = c.b.CreatePtrToInt(place.address, c.b.getInt64Ty());
  c.e.trapIf(c.b.CreateICmpNE(c.b.CreateAnd(address, c.e.int64(bytes - 1)), c.e.int64(0)), span,
             "ValueError",
             "a copy of " + std::to_string(bytes) + " bytes must start at a multiple of " +
                 std::to_string(bytes) + " bytes");
  return place.address;
}

Parts emitCopy(CallEmission &c) {
  int64_t count = c.argument(4) ? c.argument(4)->constant->integer : 1;
  int64_t bytes = count * c.argument(0)->type->element->bytes();
  llvm::Value *to = computeElementAddress(c, 0, count), *from = computeElementAddress(c, 2, count);
  if (lacksAsyncCopy(c)) {
    llvm::Align align{uint64_t(bytes)};
    c.b.CreateMemCpy(to, align, from, align, uint64_t(bytes));
    return {};
  }
  PtxCall call{.accessesMemory = true};
  addSharedAddressInput(c.e, call, to);
  call.addInput('l', from);
  call.text = std::string("cp.async.") + (bytes == 16 ? "cg" : "ca") +
              ".shared.global [$0], [$1], " + std::to_string(bytes) + ";";
  emitInlinePtx(c.b, call);
  return {};
}

Parts emitPtxWithoutOperands(CallEmission &c, const std::string &text) {
  if (!lacksAsyncCopy(c))
    emitInlinePtx(c.b, {.text = text, .accessesMemory = true});
  return {};
}

Parts emitCommit(CallEmission &c) { return emitPtxWithoutOperands(c, "cp.async.commit_group;"); }

Type typeWait(CallTyping &t) {
  constexpr int64_t most = 7;
  int64_t n = readConstant(t.constant(0), -1);
  if (n < 0 || n > most)
    t.failAt(0, "wait_prior() takes a constant from 0 to " + std::to_string(most),
             "the number of groups that may still be in flight is part of the instruction");
  return noneType();
}
Parts emitWait(CallEmission &c) {
  return emitPtxWithoutOperands(c, "cp.async.wait_group " +
                                       std::to_string(c.argument(0)->constant->integer) + ";");
}

const LibraryRow table[] = {
    withWrites({"cuda.pipeline.memcpy_async", "(dst, dst_idx, src, src_idx, count=)",
                "Starts to copy count elements, 4, 8 or 16 bytes, from src[src_idx] in global "
                "memory to dst[dst_idx] in shared memory.",
                typeCopy, emitCopy},
               "dst"),
    {"cuda.pipeline.commit", "()",
     "Makes a group of the copies that this thread has started since its last group.", typeNone,
     emitCommit},
    {"cuda.pipeline.wait_prior", "(n)",
     "Waits for this thread's groups of copies, except the last n. Call syncthreads() before other "
     "threads read them.",
     typeWait, emitWait},
};

} // namespace

llvm::ArrayRef<LibraryRow> pipelineLibrary() { return table; }

} // namespace heddle::python
