// A queue in one piece of memory that grows when it is full. Items are numbered from the first ever pushed, so that
// others can name a place in it.
#pragma once

#include <cstdint>
#include <memory>

namespace phobos::host {

template <typename T> class Ring {
public:
  uint32_t head() const { return head_; } // number of the oldest item
  uint32_t tail() const { return tail_; } // number that the next item will have
  uint32_t size() const { return tail_ - head_; }
  bool empty() const { return head_ == tail_; }
  T &front() { return items_[head_ & (capacity_ - 1)]; }
  void push(const T &item) {
    if (size() == capacity_) {
      grow();
    }
    items_[tail_++ & (capacity_ - 1)] = item;
  }
  void pop() { ++head_; }
  void clear() { head_ = tail_ = 0; }

private:
  void grow() {
    uint32_t larger = capacity_ ? capacity_ * 2 : 16;
    auto items = std::make_unique<T[]>(larger);
    for (uint32_t i = head_; i != tail_; ++i) {
      items[i & (larger - 1)] = items_[i & (capacity_ - 1)];
    }
    items_ = std::move(items);
    capacity_ = larger;
  }

  std::unique_ptr<T[]> items_;
  uint32_t capacity_ = 0, head_ = 0, tail_ = 0;
};

} // namespace phobos::host
