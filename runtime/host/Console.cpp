// Lines in order.
#include "Console.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace phobos::host {
namespace {

/// The lines of a block as they are to be shown. One run of a print is a group: the n-th line with some site and index
/// belongs to its n-th run. Thread 0 holds the first element of every tile, so it has a line in each group, and its
/// lines come in the program's order.
void sortBlock(std::vector<Console::Line> &lines) {
  using Element = std::pair<uint32_t, std::array<int32_t, 5>>;
  constexpr uint64_t kUnranked = uint64_t(1) << 63;
  std::map<Element, uint32_t> runs;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> groups; // by site and run: their rank
  std::vector<uint64_t> own(lines.size());                  // of lines that belong to none
  std::vector<const uint64_t *> ranks;
  uint64_t next = 0;
  for (const Console::Line &line : lines) {
    uint64_t at = next++;
    if (!line.ordered) {
      own[at] = at;
      ranks.push_back(&own[at]);
      continue;
    }
    uint32_t run = runs[{line.site, line.index}]++;
    // Where thread 0 has not come yet, as when a launch failed, the group is last.
    uint64_t &rank = groups.try_emplace({line.site, run}, kUnranked + at).first->second;
    if (line.thread == 0 && rank >= kUnranked) {
      rank = at;
    }
    ranks.push_back(&rank);
  }
  std::vector<size_t> order(lines.size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tie(*ranks[a], lines[a].index, a) < std::tie(*ranks[b], lines[b].index, b);
  });
  std::vector<Console::Line> sorted;
  for (size_t i : order) {
    sorted.push_back(std::move(lines[i]));
  }
  lines = std::move(sorted);
}

} // namespace

void Console::add(uint64_t block, Line line) {
  std::lock_guard lock(mutex);
  bytes += sizeof line + line.text.size();
  blocks[block].push_back(std::move(line));
}

std::string Console::take() {
  std::map<uint64_t, std::vector<Line>> taken;
  {
    std::lock_guard lock(mutex);
    taken.swap(blocks);
    bytes = 0;
  }
  std::string text;
  for (auto &[block, lines] : taken) {
    sortBlock(lines);
    for (const Line &line : lines) {
      text += line.text;
    }
  }
  return text;
}

} // namespace phobos::host
