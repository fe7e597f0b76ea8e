// What a runtime function returns: a value, or an error with its complete text. Kinds of errors are told apart because
// Python raises different exceptions for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace phobos::runtime {

struct Error {
  enum class Kind : uint8_t {
    Compile,
    Launch,
    Simulation, // what the simulator found wrong while a kernel ran
    Interrupt,  // the launch was asked to end
  };
  Kind kind = Kind::Launch;
  std::string text;
  std::string reproducer; // of an internal compiler failure, where one was written

  static Error launch(std::string text) { return {Kind::Launch, std::move(text), {}}; }
  static Error compile(std::string text) { return {Kind::Compile, std::move(text), {}}; }
};

template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  explicit operator bool() const { return state_.index() == 0; }
  T &operator*() { return *std::get_if<0>(&state_); }
  const T &operator*() const { return *std::get_if<0>(&state_); }
  T *operator->() { return std::get_if<0>(&state_); }
  const T *operator->() const { return std::get_if<0>(&state_); }
  Error &error() { return *std::get_if<1>(&state_); }
  const Error &error() const { return *std::get_if<1>(&state_); }

private:
  std::variant<T, Error> state_;
};

template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  explicit operator bool() const { return !error_; }
  Error &error() { return *error_; }
  const Error &error() const { return *error_; }

private:
  std::optional<Error> error_;
};

using Status = Result<void>;

} // namespace phobos::runtime
