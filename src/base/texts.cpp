#include "base/texts.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "base/text.h"

namespace helve {
namespace {

constexpr char kEnglish[] = {
#embed "../../texts/en/base.txt"
    , '\n',
#embed "../../texts/en/schema.txt"
    , '\n',
#embed "../../texts/en/template.txt"
    , '\n',
#embed "../../texts/en/diff.txt"
    , '\n',
#embed "../../texts/en/os.txt"
    , '\n',
#embed "../../texts/en/policy.txt"
    , '\n',
#embed "../../texts/en/process.txt"
    , '\n',
#embed "../../texts/en/http.txt"
    , '\n',
#embed "../../texts/en/store.txt"
    , '\n',
#embed "../../texts/en/tool.txt"
    , '\n',
#embed "../../texts/en/commands.txt"
    , '\n',
#embed "../../texts/en/workspace.txt"
    , '\n',
#embed "../../texts/en/workspace_files.txt"
    , '\n',
#embed "../../texts/en/workspace_read.txt"
    , '\n',
#embed "../../texts/en/workspace_edit.txt"
    , '\n',
#embed "../../texts/en/workspace_output.txt"
    , '\n',
#embed "../../texts/en/mcp.txt"
    , '\n',
#embed "../../texts/en/host.txt"
    , '\n',
#embed "../../texts/en/cli.txt"
    , '\n',
};

using Table = std::map<std::string, std::string, std::less<>>;

std::string unescape(std::string_view value) {
  std::string out;
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '\\' && i + 1 < value.size() && value[i + 1] == 'n') {
      out += '\n';
      ++i;
    } else {
      out += value[i];
    }
  }
  return out;
}

Table read_table() {
  Table table;
  std::string_view rest(kEnglish, sizeof kEnglish);
  std::string* last = nullptr;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (trim(line).empty() || line.front() == '#') continue;
    if (line.front() == ' ' || line.front() == '\t') {
      HELVE_CHECK(last != nullptr);
      *last += ' ' + unescape(trim(line));
      continue;
    }
    const size_t equals = line.find('=');
    HELVE_CHECK(equals != std::string_view::npos);
    const auto [at, added] =
        table.emplace(trim(line.substr(0, equals)), unescape(trim(line.substr(equals + 1))));
    HELVE_CHECK(added);
    last = &at->second;
  }
  return table;
}

const Table& table() {
  static const Table kTable = read_table();
  return kTable;
}

std::string fill(std::string_view sentence, const Texts& args) {
  std::string out;
  while (!sentence.empty()) {
    const size_t open = sentence.find('{');
    out += sentence.substr(0, open);
    if (open == std::string_view::npos) break;
    sentence.remove_prefix(open);
    const size_t close = sentence.find('}');
    const std::string_view name =
        close == std::string_view::npos ? "" : sentence.substr(1, close - 1);
    const auto value =
        std::find_if(args.begin(), args.end(), [&](const auto& arg) { return arg.first == name; });
    if (value == args.end()) {
      out += '{';
      sentence.remove_prefix(1);
    } else {
      out += value->second;
      sentence.remove_prefix(close + 1);
    }
  }
  return out;
}

}  // namespace

std::string text(std::string_view key, const Texts& args) {
  const auto found = table().find(key);
  HELVE_CHECK(found != table().end());
  return fill(found->second, args);
}

bool has_text(std::string_view key) { return table().contains(key); }

std::vector<std::string_view> text_keys() {
  std::vector<std::string_view> keys;
  for (const auto& [key, _] : table()) keys.push_back(key);
  return keys;
}

Rendered render(const Refusal& refusal) {
  return {.rule = refusal.rule,
          .message = text("refused." + refusal.rule, refusal.args),
          .next = text("next." + refusal.rule, refusal.args),
          .details = refusal.details};
}

std::string render_text(const Refusal& refusal) {
  const Rendered rendered = render(refusal);
  std::string out = rendered.message + "\nNext: " + rendered.next;
  if (!rendered.details.is_null()) out += '\n' + write_json(rendered.details);
  return out;
}

}  // namespace helve
