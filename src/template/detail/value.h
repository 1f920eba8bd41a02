// template/detail/value.h
//
// What a name stands for while a template is expanded: a JSON value, borrowed where it can be, its
// text form (CT-37, CT-38) and its truth (CT-39). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace helve::tmpl {

class Value {
 public:
  Value() = default;                       // no value at all
  static Value of(const Json& borrowed) {  // must outlive the value
    Value value;
    value.exists_ = true;
    value.borrowed_ = &borrowed;
    return value;
  }
  static Value own(Json owned) {
    Value value;
    value.exists_ = true;
    value.owned_ = std::move(owned);
    return value;
  }
  bool exists() const { return exists_; }
  const Json& get() const { return borrowed_ != nullptr ? *borrowed_ : owned_; }

  // Borrowed from a borrowed array, copied from an owned one.
  Value item(size_t index) const {
    const Json& at = get().get_array()[index];
    return borrowed_ != nullptr ? of(at) : own(at);
  }

 private:
  bool exists_ = false;
  const Json* borrowed_ = nullptr;
  Json owned_;
};

void append_text(std::string& out, const Json& value);
// The first `limit` bytes at least, and not many more however long the text form is.
void append_text_start(std::string& out, const Json& value, size_t limit);
std::string text_form(const Json& value);
bool is_truthy(const Json& value);

// An integral JSON number, 5.0 too, that fits.
std::optional<std::int64_t> integral(const Json& number);

// "[0-9]+" as a whole.
bool is_digits(std::string_view text);

}  // namespace helve::tmpl
