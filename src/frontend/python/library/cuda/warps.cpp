// Warp operations: votes, matches, shuffles and reductions among 32 threads of a block.

#include "frontend/python/emit/emitter.h"
#include "simt/ir/thread_indices.h"

namespace heddle::python {
namespace {

using simt::Op;

/// A mask, lane or distance as a SIMT operand: the low 32 bits.
llvm::Value *emitUint32Argument(CallEmission &c, unsigned i) {
  return c.e.convertToInteger(*c.argument(i), intType(32, false), c.spanOf(i), "the mask");
}

llvm::Value *addBarrierSite(CallEmission &c) {
  return c.e.int32(c.e.module().addSite(c.e.function(), c.call.span, "barrier",
                                        std::string(c.row.displayName()) + "()"));
}

/// The bits of argument `i` as an integer of the same width.
llvm::Value *bitsOfArgument(CallEmission &c, unsigned i) {
  Type type = c.argument(i)->type;
  llvm::Value *v = c.scalar(i, type);
  return type.isFloat() ? c.b.CreateBitCast(v, c.b.getIntNTy(type->bits)) : v;
}

/// The bits of argument `i` as an integer of at least 32 bits.
llvm::Value *bitsOfArgumentWidened(CallEmission &c, unsigned i) {
  Type type = c.argument(i)->type;
  if (type.isHalf())
    return c.b.CreateBitCast(c.scalar(i, float32Type()), c.b.getInt32Ty());
  return type->bits < 32 ? c.scalar(i, int32Type()) : bitsOfArgument(c, i);
}

llvm::Value *fromBits(CallEmission &c, llvm::Value *bits, Type type) {
  return type.isFloat()
             ? c.b.CreateBitCast(bits, type->bits == 32 ? c.b.getFloatTy() : c.b.getDoubleTy())
             : bits;
}

/// Fails unless argument `i` has 32 or 64 bits.
void require32Or64Bits(CallTyping &t, unsigned i, bool floats) {
  Type type = t.type(i);
  if ((type.isInteger() || (floats && type.isFloat())) && type->bits >= 32)
    return;
  bool narrow = type.isBool() || (type.isInteger() && type->bits < 32);
  std::string wanted = floats ? "int32, uint32, int64, uint64, float32 or float64"
                              : "int32, uint32, int64 or uint64";
  t.failAt(i,
           std::string(t.row().displayName()) + " works on values of type " + wanted + ", not " +
               type.name(),
           narrow ? "convert the value: np.int32(value)" : "");
}

// Active lanes.

Type typeSyncWarp(CallTyping &t) {
  if (t.argument(0))
    t.requireScalar(0);
  return noneType();
}
Parts emitSyncWarp(CallEmission &c) {
  llvm::Value *mask = c.argument(0) ? emitUint32Argument(c, 0) : c.e.int32(-1);
  simt::call(c.b, Op::WarpBarrier, {addBarrierSite(c), mask});
  return {};
}

Type typeLaneMask(CallTyping &) { return intType(32, false); }
Parts emitActiveMask(CallEmission &c) {
  return {simt::call(c.b, Op::WarpActive, {addBarrierSite(c)})};
}
Parts emitLaneMaskLt(CallEmission &c) {
  llvm::Value *own = c.b.CreateShl(c.e.int32(1), simt::call(c.b, Op::LaneId, {}));
  return {c.b.CreateSub(own, c.e.int32(1))};
}

// Votes.

Type typeVote(CallTyping &t) {
  t.requireInteger(0);
  t.requireInteger(1);
  return Op(t.row().data) == Op::WarpBallot ? int32Type() : boolType();
}
Parts emitVote(CallEmission &c) {
  return {simt::call(c.b, Op(c.row.data),
                     {addBarrierSite(c), emitUint32Argument(c, 0), c.scalar(1, boolType())})};
}

// Matches. As in hardware, floats compare by their bits. Values narrower than 32 bits are widened first.

Type typeMatch(CallTyping &t) {
  t.requireScalar(0);
  t.requireScalar(1);
  return Op(t.row().data) == Op::WarpMatchAll ? tupleType({int32Type(), boolType()}) : int32Type();
}
Parts emitMatch(CallEmission &c) {
  Op op = Op(c.row.data);
  llvm::Value *lanes = simt::call(
      c.b, op, {addBarrierSite(c), emitUint32Argument(c, 0), bitsOfArgumentWidened(c, 1)});
  if (op == Op::WarpMatchAny)
    return {lanes};
  return {lanes, c.b.CreateICmpNE(lanes, c.e.int32(0))};
}

// Shuffles.

void checkWidth(CallTyping &t) {
  if (!t.argument(3))
    return;
  t.requireInteger(3);
  const Constant *width = t.constant(3);
  bool known = width && width->kind == ConstantKind::Int;
  if (known && (width->integer < 1 || width->integer > simt::warpSize ||
                (width->integer & (width->integer - 1))))
    t.failAt(3, "width must be 1, 2, 4, 8, 16 or 32");
}
Type typeShuffle(CallTyping &t) {
  t.requireInteger(0);
  require32Or64Bits(t, 1, /*floats=*/true);
  t.requireInteger(2);
  checkWidth(t);
  return t.type(1);
}
Parts emitShuffle(CallEmission &c) {
  llvm::Value *width = c.argument(3) ? emitUint32Argument(c, 3) : c.e.int32(simt::warpSize);
  llvm::Value *bits = simt::call(c.b, Op(c.row.data),
                                 {addBarrierSite(c), emitUint32Argument(c, 0), bitsOfArgument(c, 1),
                                  emitUint32Argument(c, 2), width});
  return {fromBits(c, bits, c.call.type)};
}

// Reductions.

Type typeReduction(CallTyping &t) {
  t.requireInteger(0);
  require32Or64Bits(t, 1, /*floats=*/false);
  return t.type(1);
}
Op selectReductionOp(Op op, Type type) {
  if (type.isSigned())
    return op;
  return op == Op::WarpMin ? Op::WarpUMin : op == Op::WarpMax ? Op::WarpUMax : op;
}
Parts emitReduction(CallEmission &c) {
  Type type = c.call.type;
  return {simt::call(c.b, selectReductionOp(Op(c.row.data), type),
                     {addBarrierSite(c), emitUint32Argument(c, 0), c.scalar(1, type)})};
}

#define VOTE(name, op, doc)                                                                        \
  {"cuda." name, "(mask, predicate)", doc, typeVote, emitVote, unsigned(Op::op)}
#define SHUFFLE(name, lane, op, doc)                                                               \
  withDifference({"cuda." name, "(mask, value, " lane ", width=)", doc, typeShuffle, emitShuffle,  \
                  unsigned(Op::op)},                                                               \
                 "numba.cuda has no width and does not take unsigned integers")
#define REDUCTION(name, op, doc)                                                                   \
  withDifference({"cuda.reduce_" name "_sync", "(mask, value)",                                    \
                  "The " doc " of a 32-bit or 64-bit integer over the lanes of the mask.",         \
                  typeReduction, emitReduction, unsigned(Op::op)},                                 \
                 "not in numba.cuda")

const LibraryRow table[] = {
    {"cuda.syncwarp", "(mask=)",
     "Waits until all live lanes of the mask, by default all 32, have arrived.", typeSyncWarp,
     emitSyncWarp},
    {"cuda.activemask", "()",
     "The mask of the lanes that execute this call together, as a uint32: the caller and any "
     "number of others.",
     typeLaneMask, emitActiveMask, 0, true},
    {"cuda.lanemask_lt", "()", "The mask of the lanes below the caller's, as a uint32.",
     typeLaneMask, emitLaneMaskLt, 0, true},
    VOTE("all_sync", WarpAll, "True if the predicate is true in all lanes of the mask."),
    VOTE("any_sync", WarpAny, "True if the predicate is true in any lane of the mask."),
    VOTE("eq_sync", WarpEqual, "True if the predicate is the same in all lanes of the mask."),
    VOTE("ballot_sync", WarpBallot,
         "The lanes of the mask in which the predicate is true, as an int32."),
    {"cuda.match_any_sync", "(mask, value)",
     "The lanes of the mask whose value has the same bits as the caller's, as an int32.", typeMatch,
     emitMatch, unsigned(Op::WarpMatchAny)},
    {"cuda.match_all_sync", "(mask, value)",
     "The tuple (mask, True) if all lanes of the mask have a value with the same bits, else (0, "
     "False).",
     typeMatch, emitMatch, unsigned(Op::WarpMatchAll)},
    SHUFFLE("shfl_sync", "src_lane", ShuffleIndex,
            "The value in lane src_lane of the warp, or of the caller's group of width lanes."),
    SHUFFLE("shfl_up_sync", "delta", ShuffleUp,
            "The value of the lane delta below the caller; in the first delta lanes, the caller's "
            "value."),
    SHUFFLE("shfl_down_sync", "delta", ShuffleDown,
            "The value of the lane delta above the caller; in the last delta lanes, the caller's "
            "value."),
    SHUFFLE("shfl_xor_sync", "lane_mask", ShuffleXor,
            "The value in the lane whose index is the caller's xor lane_mask."),
    REDUCTION("add", WarpAdd, "sum"),
    REDUCTION("min", WarpMin, "minimum"),
    REDUCTION("max", WarpMax, "maximum"),
    REDUCTION("and", WarpAnd, "bitwise AND"),
    REDUCTION("or", WarpOr, "bitwise OR"),
    REDUCTION("xor", WarpXor, "bitwise XOR"),
};

} // namespace

llvm::ArrayRef<LibraryRow> warpLibrary() { return table; }

} // namespace heddle::python
