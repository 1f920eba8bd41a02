// Files as the workspace tools touch them: from a path to an open file, and new bytes in the place
// of old ones, beside the bare system calls for it.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/check.h"
#include "base/ids.h"
#include "os/files.h"
#include "os/replace.h"
#include "workspace/paths.h"

namespace helve {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() { fs::create_directories(path_ / "src/deep"); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  void write(const std::string& name, std::size_t bytes) const {
    std::ofstream(path_ / name) << std::string(bytes, 'x');
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_ = fs::temp_directory_path() / ("helve-bench-" + random_hex(8));
};

workspace::Settings settings(const Folder& folder, workspace::Reach reach) {
  workspace::Settings by;
  by.root = folder.path();
  by.reach = reach;
  by.configuration = {folder.path() / "helve.json", folder.path() / "recipes"};
  return by;
}

void resolve_and_open(benchmark::State& state) {
  const Folder folder;
  folder.write("src/deep/a.txt", 1024);
  const auto reach = state.range(0) == 0 ? workspace::Reach::kOpen : workspace::Reach::kRoots;
  const workspace::Paths paths(settings(folder, reach), state.range(1) != 0);
  for (auto _ : state) {
    const auto opened = paths.open(paths.resolve("src/deep/a.txt").value());
    HELVE_CHECK(opened.has_value());
  }
}
BENCHMARK(resolve_and_open)->ArgNames({"roots", "openat2"})->ArgsProduct({{0, 1}, {1, 0}});

void find_target(benchmark::State& state) {
  const Folder folder;
  folder.write("src/deep/a.txt", 1024);
  const workspace::Paths paths(settings(folder, workspace::Reach::kOpen));
  for (auto _ : state) {
    const auto target = paths.target(paths.resolve("src/deep/a.txt").value(), true);
    HELVE_CHECK(target.has_value());
  }
}
BENCHMARK(find_target);

// What any program does that replaces a file safely.
void bare_replace(const fs::path& folder, const std::string& name, std::string_view text,
                  bool durable) {
  const std::string temporary = folder / ".temporary", file = folder / name;
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  HELVE_CHECK(os::write_all(fd, text) == 0);
  if (durable) ::fsync(fd);
  ::close(fd);
  HELVE_CHECK(::rename(temporary.c_str(), file.c_str()) == 0);
}

// Files in turn: one that was just replaced is still on its way to the disk, and to replace it
// again waits for that, whoever does it.
class Files {
 public:
  explicit Files(std::size_t bytes) {
    for (int i = 0; i < kFiles; ++i) folder_.write(name(i), bytes);
    ::sync();
  }
  const fs::path& folder() const { return folder_.path(); }
  std::string next() { return name(++at_ % kFiles); }

 private:
  static constexpr int kFiles = 2'000;
  static std::string name(int i) { return "file" + std::to_string(i); }
  Folder folder_;
  int at_ = 0;
};

void replace_bare(benchmark::State& state) {
  const std::string text(static_cast<std::size_t>(state.range(0)), 'y');
  Files files(text.size());
  for (auto _ : state) bare_replace(files.folder(), files.next(), text, false);
}
BENCHMARK(replace_bare)->Arg(1024)->Arg(65536)->Iterations(2'000);

void replace_ours(benchmark::State& state) {
  const std::string text(static_cast<std::size_t>(state.range(0)), 'y');
  Files files(text.size());
  const os::UniqueFd fd(::open(files.folder().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const std::array<std::string_view, 1> pieces = {text};
  for (auto _ : state) {
    const std::string name = files.next();
    struct stat status{};
    ::fstatat(fd.get(), name.c_str(), &status, 0);
    const auto replaced = os::replace_file({.folder = fd.get(),
                                            .name = name,
                                            .shown = name,
                                            .pieces = pieces,
                                            .expected = os::identity_of(status)});
    HELVE_CHECK(replaced.has_value());
  }
}
BENCHMARK(replace_ours)->Arg(1024)->Arg(65536)->Iterations(2'000);

// 10 MiB, at full durability: read it, change a word in the middle, replace it.
constexpr std::size_t kLarge = std::size_t{10} * 1024 * 1024;

void large_read_and_written_once(benchmark::State& state) {
  const Folder folder;
  folder.write("a.txt", kLarge);
  for (auto _ : state) {
    const std::string bytes = os::read_file(folder.path() / "a.txt", kLarge).value();
    bare_replace(folder.path(), "a.txt", bytes, true);
  }
}
BENCHMARK(large_read_and_written_once)->Unit(benchmark::kMillisecond)->UseRealTime();

void large_replaced_by_us(benchmark::State& state) {
  const Folder folder;
  folder.write("a.txt", kLarge);
  const workspace::Paths paths(settings(folder, workspace::Reach::kOpen));
  for (auto _ : state) {
    const auto target = paths.target(paths.resolve("a.txt").value(), false);
    const std::string bytes = os::read_file(folder.path() / "a.txt", kLarge + 100).value();
    const std::string_view old = bytes;
    const std::array<std::string_view, 3> pieces = {old.substr(0, kLarge / 2), "word",
                                                    old.substr(kLarge / 2 + 4)};
    const auto replaced = os::replace_file({.folder = target->folder.get(),
                                            .name = target->name,
                                            .shown = "a.txt",
                                            .pieces = pieces,
                                            .expected = os::identity_of(target->there->status),
                                            .durable = true});
    HELVE_CHECK(replaced.has_value());
  }
}
BENCHMARK(large_replaced_by_us)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace helve
