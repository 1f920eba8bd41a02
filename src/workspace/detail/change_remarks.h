// workspace/detail/change_remarks.h
//
// What is said of a change when it is not as usual: behind the header's facts, and as fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"

namespace helve::workspace {

class Remarks {
 public:
  void unseen(std::uint64_t bytes, bool partly);  // content that was replaced (WS-80)
  void compare(std::string_view before, std::string_view after);  // BOM and line ends (WS-77)
  void created_folders(std::size_t count);
  void in_place(const std::string& why);  // a key behind "file.in_place.", or ""
  void loose();                           // found with line ends ignored (WS-86)
  void was_changed();                     // since the session saw it (WS-89)

  const std::string& text() const { return text_; }
  void add_to(JsonObject& data) const;

 private:
  std::string text_;
  JsonObject data_;
};

}  // namespace helve::workspace
