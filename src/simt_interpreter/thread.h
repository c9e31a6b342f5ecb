// One thread of a launch.
#pragma once

#include "simt_interpreter/interpret.h"
#include "simt_interpreter/memory.h"
#include "simt_interpreter/warp.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::interpreter {

/// Shared by all threads of a launch.
struct LaunchState {
  LaunchState(const llvm::Module &module, const Launch &launch);

  const Launch &launch;
  llvm::DataLayout layout;
  Random random;
  Memory memory;
  std::vector<simt::SiteInfo> sites;
  llvm::DenseMap<const llvm::Value *, unsigned> numbers; ///< index of a value in its function
  llvm::DenseMap<const llvm::Function *, unsigned> valueCounts; ///< number of values in a function
  llvm::DenseMap<const llvm::GlobalVariable *, uint64_t>
      globals; ///< addresses, except shared variables
  Outcome outcome;
};

struct BlockState {
  Extents index;
  uint64_t number;
  llvm::DenseMap<const llvm::GlobalVariable *, uint64_t> shared{}; ///< addresses
  uint64_t dynamicShared = 0; ///< address; also the start of the block's shared memory
};

/// Evaluates a constant. `block` may be null if the constant refers to no shared variables.
Datum evaluateConstant(const llvm::Constant &c, LaunchState &launch, const BlockState *block);

class Thread {
public:
  enum class State { Ready, Waiting, Returned };

  /// Starts at the kernel's entry. `number` is the thread's index in the launch, `linear` its index in the block (x
  /// fastest).
  Thread(LaunchState &launch, const BlockState &block, uint64_t number, uint32_t linear,
         const llvm::Function &kernel, llvm::ArrayRef<Datum> arguments);

  /// Runs one instruction. Returns true if other threads should get a turn: the thread waits, yields or sleeps. Throws
  /// Failure.
  bool step();
  State state() const { return state_; }

  // For a waiting thread: the warp operation, or the barrier with its predicate as the value.
  const WarpRequest &request() const { return request_; }
  uint64_t site() const { return site_; }
  /// Continues the thread with the operation's result, which is ignored if it has none.
  void resume(const llvm::APInt &result);

  const BlockState &block() const { return block_; }
  Extents index() const { return index_; }
  /// The instruction executed last.
  const llvm::Instruction *current() const { return current_; }

private:
  struct Frame {
    const llvm::Function *function;
    llvm::BasicBlock::const_iterator next;
    std::vector<Datum> values;
    size_t locals; ///< number of the thread's allocations before the call
  };

  void enterFunction(const llvm::Function &f, llvm::ArrayRef<Datum> arguments);
  void returnFromFunction(const llvm::ReturnInst &i);
  void jump(const llvm::BasicBlock &from, const llvm::BasicBlock &to);
  void setResult(const llvm::Instruction &i, Datum value);
  Datum valueOf(const llvm::Value *v);
  uint64_t bitsOf(const llvm::Value *v) { return valueOf(v)[0].getZExtValue(); }
  std::vector<Datum> operandsOf(llvm::User::const_op_range operands);
  Access makeAccess(const llvm::Value *pointer, uint64_t alignment) const;

  bool execute(const llvm::Instruction &i);
  void allocateLocal(const llvm::AllocaInst &i);
  bool call(const llvm::CallInst &i);
  void callIntrinsic(const llvm::IntrinsicInst &i);
  void copyOrMoveMemory(const llvm::MemTransferInst &i);
  bool callOperation(const llvm::CallInst &i, simt::Op op);
  void waitForOtherThreads(const llvm::CallInst &i, simt::Op op, llvm::ArrayRef<Datum> operands);
  void updateAtomically(const llvm::CallInst &i, simt::Op op, llvm::ArrayRef<Datum> operands);
  /// Throws the site's trap for the first index among first, first + step, ..., last that is not in [low, high).
  void checkIndex(uint64_t site, int64_t first, int64_t last, int64_t step, int64_t low,
                  int64_t high);
  void print(uint64_t site, uint64_t address);
  std::optional<uint64_t> evaluateIndexOperation(simt::Op op) const;

  LaunchState &launch_;
  const BlockState &block_;
  uint64_t number_;
  uint32_t linear_;
  Extents index_;
  uint32_t localRegion_ = 0; ///< 0 until it is created
  std::vector<Frame> frames_;
  State state_ = State::Ready;
  WarpRequest request_{};
  uint64_t site_ = 0;
  const llvm::Instruction *current_ = nullptr;
};

} // namespace heddle::interpreter
