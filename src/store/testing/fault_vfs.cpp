#include "store/testing/fault_vfs.h"

#include <sqlite3.h>

#include <cerrno>

namespace helve::store::testing {
namespace {

// What SQLite sees as a file; the real one lies right behind it.
struct FaultFile {
  sqlite3_file base;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<FaultFile*>(file)->real(); }

int close_file(sqlite3_file* file) { return real(file)->pMethods->xClose(real(file)); }
int read_file(sqlite3_file* file, void* bytes, int size, sqlite3_int64 at) {
  return real(file)->pMethods->xRead(real(file), bytes, size, at);
}
int write_file(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
  switch (FaultVfs::get().on_write()) {
    case Fault::kShortWrite:
      real(file)->pMethods->xWrite(real(file), bytes, size / 2, at);
      return SQLITE_IOERR_WRITE;
    case Fault::kNoSpace:
      return SQLITE_FULL;
    default:
      return real(file)->pMethods->xWrite(real(file), bytes, size, at);
  }
}
int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  return real(file)->pMethods->xTruncate(real(file), size);
}
int sync_file(sqlite3_file* file, int flags) {
  if (FaultVfs::get().on_sync() == Fault::kSyncFails) return SQLITE_IOERR_FSYNC;
  return real(file)->pMethods->xSync(real(file), flags);
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}
int lock(sqlite3_file* file, int level) { return real(file)->pMethods->xLock(real(file), level); }
int unlock(sqlite3_file* file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}
int check_lock(sqlite3_file* file, int* answer) {
  return real(file)->pMethods->xCheckReservedLock(real(file), answer);
}
int control(sqlite3_file* file, int what, void* value) {
  return real(file)->pMethods->xFileControl(real(file), what, value);
}
int sector(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
int traits(sqlite3_file* file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }
int map(sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
  return real(file)->pMethods->xShmMap(real(file), page, size, extend, memory);
}
int lock_map(sqlite3_file* file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
void barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }
int unmap(sqlite3_file* file, int remove) {
  return real(file)->pMethods->xShmUnmap(real(file), remove);
}

constexpr sqlite3_io_methods kMethods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock,
    .xUnlock = unlock,
    .xCheckReservedLock = check_lock,
    .xFileControl = control,
    .xSectorSize = sector,
    .xDeviceCharacteristics = traits,
    .xShmMap = map,
    .xShmLock = lock_map,
    .xShmBarrier = barrier,
    .xShmUnmap = unmap,
};

sqlite3_vfs* system_vfs() { return sqlite3_vfs_find("unix"); }

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
  file->pMethods = nullptr;
  const int code = system_vfs()->xOpen(system_vfs(), name, real(file), flags, out);
  if (code == SQLITE_OK) file->pMethods = &kMethods;
  return code;
}

int last_error(sqlite3_vfs*, int, char*) { return FaultVfs::get().has_struck() ? EIO : errno; }

}  // namespace

FaultVfs& FaultVfs::get() {
  static FaultVfs one;
  return one;
}

FaultVfs::FaultVfs() {
  sqlite3_initialize();
  static sqlite3_vfs vfs = *system_vfs();
  vfs.zName = "fault";
  vfs.szOsFile += static_cast<int>(sizeof(FaultFile));
  vfs.pNext = nullptr;
  vfs.xOpen = open_file;
  vfs.xGetLastError = last_error;
  sqlite3_vfs_register(&vfs, 0);
}

void FaultVfs::plan(Fault fault, int at, bool once) {
  fault_ = Fault::kNone;
  at_ = at;
  once_ = once;
  writes_ = syncs_ = struck_ = 0;
  fault_ = fault;
}

Fault FaultVfs::on_write() {
  const int count = ++writes_;
  return fault_ == Fault::kSyncFails ? Fault::kNone : decide(count);
}

Fault FaultVfs::on_sync() {
  const int count = ++syncs_;
  return fault_ == Fault::kSyncFails ? decide(count) : Fault::kNone;
}

Fault FaultVfs::decide(int count) {
  const Fault fault = fault_;
  if (fault == Fault::kNone || count < at_ || (once_ && count > at_)) return Fault::kNone;
  ++struck_;
  return fault;
}

}  // namespace helve::store::testing
