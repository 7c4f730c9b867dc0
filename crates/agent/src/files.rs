//! Writes files whole or not at all: beside, synced, renamed into place, the directory synced. Reads what is a file and waits
//! for nothing else: a pipe in a file's place would keep its reader for ever.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown};
use std::path::Path;

use nix::libc::O_NONBLOCK;

/// SHA-256 of `bytes`.
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(ring::digest::digest(&ring::digest::SHA256, bytes).as_ref());
    hash
}

/// Puts `bytes` at `path`, readable by the owner alone; after a crash there is the old file or the new one.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, 0o600)
}

/// As [`write_whole`], readable by everybody.
pub(crate) fn write_whole_public(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, 0o644)
}

fn write(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    #[cfg(feature = "simulation")]
    let mut disk = crate::simulated::host().map(|host| host.disk());
    #[cfg(feature = "simulation")]
    if let Some(disk) = &mut disk {
        disk.room()?;
    }
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(dir)?;
    file.write_all(bytes)?;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(mode))?;
    // What root writes into the daemon's directory is the daemon's; nobody else can give files away.
    let owner = std::fs::metadata(dir)?;
    let _ = fchown(file.as_file(), Some(owner.uid()), Some(owner.gid()));
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    #[cfg(feature = "simulation")]
    if let Some(disk) = &mut disk {
        disk.sync()?;
    }
    sync_dir(dir)
}

/// Opens a file to be read; anything else in its place is refused.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    // A pipe is opened at once by who does not wait for a writer; to files it makes no difference.
    let file = File::options().read(true).custom_flags(O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no file")) }
}

/// Makes renames and removals in `dir` last.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// How files begin that a crash left half written.
pub(crate) const TEMPORARY: &str = ".writing-";
