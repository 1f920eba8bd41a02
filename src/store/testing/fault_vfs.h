// store/testing/fault_vfs.h
//
// SQLite's own way to files, counted, and failing on demand: at the Nth write a short one or a full
// disk, or the Nth fsync. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace helve::store::testing {

enum class Fault : std::uint8_t { kNone, kShortWrite, kNoSpace, kSyncFails };

class FaultVfs {
 public:
  // Registered once, as "fault".
  static FaultVfs& get();
  static std::string name() { return "fault"; }

  // From the `at`-th call of that kind (counted from 1) on; `once`: only that one. Starts to count.
  void plan(Fault fault, int at, bool once);
  void clear() { plan(Fault::kNone, 0, false); }
  bool has_struck() const { return struck_ > 0; }
  int writes() const { return writes_; }
  int syncs() const { return syncs_; }

  // For the functions that SQLite calls: what this call shall do.
  Fault on_write();
  Fault on_sync();

 private:
  FaultVfs();
  Fault decide(int count);

  std::atomic<Fault> fault_ = Fault::kNone;
  std::atomic<int> at_ = 0, writes_ = 0, syncs_ = 0, struck_ = 0;
  std::atomic<bool> once_ = false;
};

}  // namespace helve::store::testing
