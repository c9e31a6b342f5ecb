#include "runtime/cpu/check/launch_note.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace heddle::cpu {

namespace {

thread_local LaunchNote nextNote;

/// The index of the element at a byte offset in a strided array; empty if there is none.
std::vector<int64_t> computeElementIndices(int64_t offset, const NotedArray &array) {
  std::vector<size_t> axes(array.extents.size());
  for (size_t i = 0; i < axes.size(); ++i)
    axes[i] = i;
  std::ranges::sort(axes, std::greater{}, [&](size_t axis) { return array.strides[axis]; });
  std::vector<int64_t> index(axes.size());
  for (size_t axis : axes) {
    if (array.strides[axis] <= 0)
      continue;
    index[axis] = std::min(offset / array.strides[axis], array.extents[axis] - 1);
    offset -= index[axis] * array.strides[axis];
  }
  return offset >= 0 && offset < array.elementBytes ? index : std::vector<int64_t>();
}

} // namespace

bool ProgramText::operator==(const ProgramText &other) const {
  if (text == other.text)
    return true;
  return text && other.text && file == other.file && *text == *other.text;
}

std::vector<int64_t> LaunchNote::findElementIndex(uint64_t address) const {
  for (const NotedArray &array : arrays) {
    std::vector<int64_t> index = computeElementIndices(int64_t(address - array.address), array);
    if (address >= array.address && !index.empty())
      return index;
  }
  return {};
}

void setNoteOfNextLaunch(LaunchNote note) { nextNote = std::move(note); }

std::shared_ptr<const LaunchNote> takeLaunchNote() {
  return std::make_shared<const LaunchNote>(std::exchange(nextNote, {}));
}

} // namespace heddle::cpu
