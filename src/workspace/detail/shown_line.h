// workspace/detail/shown_line.h
//
// The line that a terminal is showing, while it can still change: what lies before the cursor and
// what lies behind it. Each step costs as much as what it moves, so that no input makes it slow.
// At most kMostHeld bytes are held; a longer line is given away in pieces as it grows, after which
// it can only be continued. Pure; one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve::workspace {

class ShownLine {
 public:
  static constexpr std::size_t kMostHeld = 64 * 1024;

  // One character at the cursor, in the place of what is there.
  void write(std::string_view character, std::string& out);

  // The same for many characters at once. Not one of them is a control character.
  void write_all(std::string_view characters, std::string& out);

  // Whole lines: the first one goes on with this line.
  void write_lines(std::string_view lines, std::string& out);

  void left(std::size_t characters, std::string& out);  // the cursor; not beyond the start
  void home(std::string& out);
  void erase_before(std::string& out);   // a backspace
  void erase_rest() { after_.clear(); }  // from the cursor on
  void erase(std::string& out);

  void end(std::string& out);   // the line is whole: with a line end
  void give(std::string& out);  // as it is now, without one

  bool empty() const { return before_.empty() && after_.empty(); }

 private:
  void begin(std::string& out);
  void restart(std::string& out);
  void give_held(std::string& out);

  std::string before_, after_;  // after_ is kept backwards: its front is what changes
  bool given_ = false;          // some of this line has been given away
  bool restarts_ = false;       // what comes next would replace that: it gets a line of its own
};

}  // namespace helve::workspace
