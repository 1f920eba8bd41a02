#include "workspace/detail/new_text.h"

#include <algorithm>
#include <vector>

namespace helve::workspace {
namespace {

std::string with_crlf(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

// Of each line end, whether it is CR LF.
std::vector<bool> forms_in(std::string_view region) {
  std::vector<bool> out;
  for (std::size_t at = region.find('\n'); at != std::string_view::npos;
       at = region.find('\n', at + 1)) {
    out.push_back(at > 0 && region[at - 1] == '\r');
  }
  return out;
}

std::size_t line_ends_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

NewText::NewText(std::string_view text, const Wish& wish, bool adapt)
    : text_(text),
      new_text_(wish.new_text),
      follows_(adapt && !wish.old_text.contains('\r') && !wish.old_text.contains('\n') &&
               !wish.new_text.contains('\r') && wish.new_text.contains('\n')) {}

// The line end behind the place decides, or, in the last line, the one before.
bool NewText::is_crlf_before(std::size_t end) {
  if (!follows_) return false;
  if (!looked_ || (next_ != std::string_view::npos && next_ < end)) next_ = text_.find('\n', end);
  looked_ = true;
  const std::size_t lf = next_ != std::string_view::npos ? next_ : text_.rfind('\n');
  return lf != std::string_view::npos && lf > 0 && text_[lf - 1] == '\r';
}

std::string NewText::form(bool crlf) const {
  return crlf ? with_crlf(new_text_) : std::string(new_text_);
}

std::string new_text_loosely(std::string_view region, std::string_view old_lf,
                             std::string_view new_lf) {
  const std::vector<bool> forms = forms_in(region);
  const auto same = std::ranges::mismatch(old_lf, new_lf);
  const auto head = static_cast<std::size_t>(same.in1 - old_lf.begin());
  std::size_t tail = 0;
  const std::size_t most = std::min(old_lf.size(), new_lf.size()) - head;
  while (tail < most && old_lf[old_lf.size() - 1 - tail] == new_lf[new_lf.size() - 1 - tail]) {
    ++tail;
  }
  const std::size_t total = line_ends_in(new_lf);
  const std::size_t kept_tail = line_ends_in(new_lf.substr(new_lf.size() - tail));
  std::string out;
  std::size_t number = 0;
  for (const char c : new_lf) {
    if (c == '\n' && !forms.empty()) {
      const bool in_tail = number >= total - kept_tail;
      const std::size_t like = in_tail ? forms.size() - (total - number) : number;
      if (forms[std::min(like, forms.size() - 1)]) out += '\r';
    }
    number += c == '\n' ? 1 : 0;
    out += c;
  }
  return out;
}

}  // namespace helve::workspace
