//! A small disk of a test's own: a file system in memory that is full when the test says so.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use nix::mount::{MntFlags, MsFlags, mount, umount2};

/// The kernel shows disks under this name and the number of the process that made them.
const PREFIX: &str = "quorate-disk-";
/// The file that fills it.
const BALLAST: &str = "ballast";

/// A mounted disk. It is gone with its handle, and what was on it too.
#[derive(Debug)]
pub struct SmallDisk {
    place: PathBuf,
}

impl SmallDisk {
    /// Mounts an empty one on a folder, which it makes.
    pub fn mount(place: &Path, bytes: u64) -> Self {
        unmount_orphans();
        fs::create_dir_all(place).expect("the lab's folder takes folders");
        let source = format!("{PREFIX}{}", std::process::id());
        let options = format!("size={bytes},mode=700");
        let mounted = mount(Some(source.as_str()), place, Some("tmpfs"), MsFlags::empty(), Some(options.as_str()));
        mounted.unwrap_or_else(|error| panic!("cannot mount a disk on {}: {error}", place.display()));
        Self { place: place.to_path_buf() }
    }

    /// Leaves no byte free.
    pub fn fill(&self) {
        let mut ballast = File::options().create(true).append(true).open(self.ballast()).expect("a disk takes a name");
        for piece in [64 * 1024, 1024, 1] {
            loop {
                match ballast.write_all(&vec![0x42; piece]) {
                    Ok(()) => {}
                    Err(full) if full.kind() == ErrorKind::StorageFull => break,
                    Err(other) => panic!("cannot fill {}: {other}", self.place.display()),
                }
            }
        }
        eprintln!("{} is full", self.place.display());
    }

    /// Gives all of it back.
    pub fn free(&self) {
        fs::remove_file(self.ballast()).expect("it was filled");
        eprintln!("{} has space", self.place.display());
    }

    fn ballast(&self) -> PathBuf {
        self.place.join(BALLAST)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Programs may still have files open on it: it goes with the last of them.
        let _ = umount2(&self.place, MntFlags::MNT_DETACH);
    }
}

/// Unmounts what a test left behind that was killed before it could.
fn unmount_orphans() {
    for line in fs::read_to_string("/proc/self/mounts").unwrap_or_default().lines() {
        let mut words = line.split(' ');
        let (Some(owner), Some(place)) = (words.next().and_then(|name| name.strip_prefix(PREFIX)), words.next()) else {
            continue;
        };
        if !Path::new("/proc").join(owner).exists() {
            let _ = umount2(place, MntFlags::MNT_DETACH);
        }
    }
}
