#include "workspace/detail/escapes.h"

#include <algorithm>

namespace helve::workspace {
namespace {

constexpr unsigned char kBell = 0x07;
constexpr unsigned char kCancel = 0x18;
constexpr unsigned char kSubstitute = 0x1A;
constexpr unsigned char kEscapeByte = 0x1B;
constexpr std::size_t kMostNumber = 1'000'000;

bool between(unsigned char byte, unsigned char low, unsigned char high) {
  return byte >= low && byte <= high;
}

}  // namespace

Escapes::Step Escapes::enter(State state) {
  state_ = state;
  return Step::kInside;
}

Escapes::Step Escapes::leave(Step step) {
  state_ = State::kNone;
  return step;
}

Escapes::Step Escapes::feed(unsigned char byte) {
  if (byte == kCancel || byte == kSubstitute) {
    control_ = {};
    return leave(Step::kDone);
  }
  switch (state_) {
    case State::kEscape:
    case State::kIntermediate:
      return escape(byte);
    case State::kCsi:
      return csi(byte);
    default:
      return string(byte);
  }
}

Escapes::Step Escapes::escape(unsigned char byte) {
  control_ = {};
  if (between(byte, 0x20, 0x2F)) return enter(State::kIntermediate);
  if (!between(byte, 0x30, 0x7E)) return leave(Step::kOutside);
  if (state_ == State::kIntermediate) return leave(Step::kDone);
  if (byte == '[') {
    private_ = false;
    first_number_ = true;
    return enter(State::kCsi);
  }
  const bool string = byte == ']' || byte == 'P' || byte == 'X' || byte == '^' || byte == '_';
  return string ? enter(State::kString) : leave(Step::kDone);
}

Escapes::Step Escapes::csi(unsigned char byte) {
  if (between(byte, 0x40, 0x7E)) {
    if (private_) control_ = {};
    if (!private_) control_.final_byte = static_cast<char>(byte);
    return leave(Step::kDone);
  }
  if (!between(byte, 0x20, 0x3F)) {
    control_ = {};
    return leave(Step::kOutside);
  }
  const bool digit = between(byte, '0', '9');
  if (!digit) first_number_ = false;
  if (byte < 0x30 || byte > 0x3B) private_ = true;  // an intermediate byte, or one of < = > ?
  if (digit && first_number_) {
    control_.number = std::min<std::size_t>(control_.number * 10 + (byte - '0'), kMostNumber);
  }
  return Step::kInside;
}

// A string whose end got lost must not swallow what the program writes after it.
Escapes::Step Escapes::string(unsigned char byte) {
  if (byte == '\n') return leave(Step::kOutside);
  if (state_ == State::kStringEscape && byte != '\\') {
    state_ = State::kEscape;
    return escape(byte);
  }
  if (byte == kBell || state_ == State::kStringEscape) return leave(Step::kDone);
  return byte == kEscapeByte ? enter(State::kStringEscape) : Step::kInside;
}

}  // namespace helve::workspace
