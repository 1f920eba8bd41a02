// A log that is added to and read in any order, in memory and with small files: the pages of a
// reader and what was counted as skipped are what was added, each page is whole characters of it,
// and what is read is what stood there.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/check.h"
#include "base/encoded.h"
#include "base/ids.h"
#include "base/text.h"
#include "tool/detail/disk_log.h"
#include "tool/job_log.h"
#include "tool/testing/disk.h"

namespace {

using namespace helve;

class Trial {
 public:
  Trial(bool on_disk, std::uint64_t head, std::uint64_t ring) {
    if (!on_disk) return;
    const tool::LogLimits limits = {.head = head, .ring = ring, .free_bytes = 0, .free_percent = 0};
    log_.spill_to(std::make_shared<tool::DiskLog>(
        loop_, std::make_shared<tool::LogFiles>(folder().path, "log", limits), limits,
        std::make_shared<tool::DiskQuota>()));
  }
  ~Trial() {
    if (log_.disk()) log_.disk()->remove();
    tool::testing::settle(loop_);
  }

  void act(unsigned char what, unsigned char how) {
    const size_t size = size_t{1} << (how % 18U);
    if (what % 4 == 0) add(size + what, how);
    if (what % 4 == 1) read(size);
    if (what % 4 == 2) tool::testing::settle(loop_);
    if (what % 4 == 3) log_.keep();
  }
  void finish() {
    while (cursor_ < log_.end()) {
      const std::uint64_t before = cursor_;
      read(4000);
      HELVE_CHECK(cursor_ > before);
    }
    HELVE_CHECK(read_ + skipped_ == all_.size());
  }

 private:
  static const tool::testing::TemporaryFolder& folder() {
    static const tool::testing::TemporaryFolder kFolder;
    return kFolder;
  }
  void add(size_t size, unsigned char how) {
    static constexpr std::string_view kUnits[] = {"a", "\xC3\xA4", "\xE2\x89\xA4", "line\n",
                                                  "\xF0\x9F\x98\x80"};
    std::string text;
    while (text.size() < size) text += kUnits[(how + text.size()) % std::size(kUnits)];
    log_.add(text);
    all_ += text;
    HELVE_CHECK(log_.end() == all_.size());
  }
  void read(size_t budget) {
    const tool::PageSize size = {.bytes = budget + 4, .encoded = budget + 12};
    const auto page = tool::testing::run_on(loop_, log_.fetch(cursor_, size));
    HELVE_CHECK(page.from == cursor_ + page.skipped);
    HELVE_CHECK(page.next == page.from + page.text.size());
    HELVE_CHECK(page.text.size() <= size.bytes && encoded_size(page.text) <= size.encoded);
    HELVE_CHECK(is_utf8(page.text));
    HELVE_CHECK(std::string_view(all_).substr(page.from, page.text.size()) == page.text);
    read_ += page.text.size();
    skipped_ += page.skipped;
    cursor_ = page.next;
  }

  os::Loop loop_;
  tool::JobLog log_;
  std::string all_;
  std::uint64_t cursor_ = 0, read_ = 0, skipped_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3 || size > 64) return 0;
  Trial trial(data[0] % 4 != 0, 1000U * data[1], 1 + 1000U * data[2]);
  for (size_t at = 3; at + 1 < size; at += 2) trial.act(data[at], data[at + 1]);
  trial.finish();
  return 0;
}
