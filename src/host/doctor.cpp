#include "host/doctor.h"

#include <sys/statvfs.h>

#include <algorithm>

#include "base/text.h"
#include "base/texts.h"
#include "host/config.h"
#include "host/problems.h"
#include "host/table.h"
#include "host/workspace_settings.h"
#include "os/disk.h"
#include "process/means.h"

namespace helve::host {
namespace {

using process::MeansRow;

constexpr std::uint64_t kRoom = 1ULL << 30;  // below it logs stay in memory (WS-34)

MeansRow root_row(const Result<std::filesystem::path>& root) {
  if (root) {
    const std::string shown = flatten_controls(to_utf8(root->string()));
    return {.key = "root", .works = true, .value = shown};
  }
  const Rendered said = render(root.error());
  return {.key = "root", .value = said.message, .fix = said.next};
}

MeansRow disk_row(const std::filesystem::path& folder) {
  const auto disk = os::disk_space(folder);
  if (!disk) return {.key = "state", .value = folder.string()};
  const bool enough = disk->free >= kRoom;
  return {.key = "state",
          .works = enough,
          .value =
              text("doctor.state", {{"folder", folder.string()}, {"free", bytes_text(disk->free)}}),
          .fix = enough ? "" : text("doctor.state.fix")};
}

MeansRow configuration_row(const Config& config) {
  if (config.has_errors()) {
    return {.key = "configuration",
            .value = text("doctor.configuration.broken"),
            .fix = text("doctor.configuration.fix")};
  }
  const std::string project = config.project.string();
  return {.key = "configuration",
          .works = true,
          .value = project.empty() ? text("doctor.configuration.none") : project};
}

// What a "confine" of the configuration comes to on this machine.
MeansRow confinement_row(const std::string& key, const policy::Confinement& asked) {
  const std::string word(policy::name_of(asked.level));
  const auto level = process::resolve(asked);
  if (!level) {
    const Rendered said = render(level.error());
    return {.key = key, .value = said.message, .fix = said.next};
  }
  const std::string found(policy::name_of(*level));
  std::string value =
      word == found ? word : text("doctor.confine.best", {{"asked", word}, {"level", found}});
  if (asked.level == policy::Confine::kNone) value = text("doctor.confine.none");
  return {.key = key, .works = true, .value = value};
}

std::vector<MeansRow> confinement_rows(const Config& config) {
  std::vector<MeansRow> rows;
  rows.push_back(confinement_row("confine bash",
                                 config.workspace.confinement.value_or(policy::Confinement{})));
  for (const ToolConfig& tool : config.tools) {
    if (tool.confinement)
      rows.push_back(confinement_row("confine " + tool.name, *tool.confinement));
  }
  return rows;
}

void print_rows(const std::vector<MeansRow>& rows, Console& console) {
  std::vector<TableRow> table = {
      {text("doctor.column.what"), text("doctor.column.works"), text("doctor.column.value")}};
  for (const MeansRow& row : rows) {
    table.push_back({row.key, text(row.works ? "doctor.yes" : "doctor.no"), row.value});
  }
  console.out << table_text(table, console);
  bool any = false;
  for (const MeansRow& row : rows) {
    if (row.fix.empty()) continue;
    console.out << (any ? "" : '\n' + text("doctor.fixes") + '\n')
                << text("doctor.fix", {{"what", row.key}, {"fix", row.fix}}) << '\n';
    any = true;
  }
}

void print_json(const std::vector<MeansRow>& rows, Console& console) {
  JsonArray list;
  for (const MeansRow& row : rows) {
    list.push_back(JsonObject{
        {"what", row.key}, {"works", row.works}, {"value", row.value}, {"fix", row.fix}});
  }
  console.out << write_json(list, JsonStyle::kPretty) << '\n';
}

}  // namespace

int doctor(const DoctorCommand& command, Console& console, const Surroundings& around) {
  const Config config = load(command.locations, around);
  const auto root = find_root(command.locations, config.project, around);
  std::vector<MeansRow> needed = {configuration_row(config), root_row(root)};
  if (root) needed.push_back(disk_row(state_folder(*root, around)));
  for (MeansRow& row : confinement_rows(config)) needed.push_back(std::move(row));
  std::vector<MeansRow> rows = process::rows_of(process::means());
  const bool fine = std::ranges::all_of(needed, &MeansRow::works);
  rows.insert(rows.end(), needed.begin(), needed.end());
  if (command.json) {
    print_json(rows, console);
  } else {
    print_rows(rows, console);
  }
  return fine ? kDone : kRefused;
}

}  // namespace helve::host
