// Which file systems are another computer's, or a program's.
#include <sys/vfs.h>

#include <algorithm>
#include <iterator>

#include "store/detail/sqlite.h"

namespace helve::store {

bool is_remote(const std::string& folder) {
  // statfs(2); those that linux/magic.h lacks are written in full there.
  constexpr unsigned kRemote[] = {
      0x6969,      // NFS
      0x517B,      // SMB
      0xFF534D42,  // CIFS
      0xFE534D42,  // SMB2
      0x65735546,  // FUSE
      0x01021997,  // 9P
      0x5346414F,  // AFS
      0x6B414653,  // kAFS
      0x73757245,  // Coda
      0x00C36400,  // Ceph
      0x01161970,  // GFS2
      0x7461636F,  // OCFS2
      0x0BD00BD0,  // Lustre
      0x47504653,  // GPFS
      0x786F4256,  // VirtualBox's shared folders
      0xBACBACBC,  // VMware's
  };
  struct statfs status{};
  if (::statfs(folder.c_str(), &status) != 0) return false;
  const auto type = static_cast<unsigned>(status.f_type);
  return std::find(std::begin(kRemote), std::end(kRemote), type) != std::end(kRemote);
}

}  // namespace helve::store
