// workspace/detail/escapes.h
//
// Recognises the escape sequences of ECMA-48 byte by byte: two-byte forms, CSI, and the strings of
// OSC, DCS, SOS, PM and APC. Nothing of them is kept but the first number, so that a sequence may
// be as long as it likes. What breaks one off is not part of it. Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace helve::workspace {

class Escapes {
 public:
  enum class Step : std::uint8_t {
    kInside,   // the byte is part of a sequence that goes on
    kDone,     // it was its last byte
    kOutside,  // the sequence was broken off before this byte
  };

  // What a sequence says, as far as it matters: the final byte of a CSI without private marks.
  struct Control {
    char final_byte = 0;  // 0: nothing that matters
    std::size_t number = 0;
  };

  bool inside() const { return state_ != State::kNone; }
  void begin() { state_ = State::kEscape; }  // after an ESC
  Step feed(unsigned char byte);             // only while inside
  const Control& control() const { return control_; }

 private:
  enum class State : std::uint8_t { kNone, kEscape, kIntermediate, kCsi, kString, kStringEscape };

  Step enter(State state);
  Step leave(Step step);
  Step escape(unsigned char byte);
  Step csi(unsigned char byte);
  Step string(unsigned char byte);

  State state_ = State::kNone;
  Control control_;
  bool private_ = false;       // a CSI with a mark that makes it something else
  bool first_number_ = false;  // its first number is not over yet
};

}  // namespace helve::workspace
