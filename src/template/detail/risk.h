// template/detail/risk.h
//
// Risk labels of one leaf (CT-97, CT-98), from its words before replacement. Advisory. Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "template/parts.h"

namespace helve::tmpl {

// In the order in which they are reported.
constexpr std::array<std::string_view, 9> kRiskLabels = {
    "shell",           "eval",    "destructive_fs", "broad_fs_write",   "external_side_effect",
    "secret_touching", "network", "long_running",   "platform_specific"};

struct Risk {
  size_t order = 0;  // in kRiskLabels
  std::string_view label;
  std::string word;  // what set it off
};

std::vector<Risk> risks_of(const std::vector<Word>& words);

// A word such as `--api-key`, `{token}` or `config/.env`.
bool touches_secret(std::string_view word);

}  // namespace helve::tmpl
