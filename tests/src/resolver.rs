//! A way to names of a lab's own: programs of the lab see their own `/etc/resolv.conf`, and resolve by it as they would
//! anywhere, through the system's resolver.

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};

/// Where names are looked for; some machines ask a daemon of the host instead, which sits outside the lab.
const SWITCH: &str = "hosts: files dns\n";

/// Files that stand in for the machine's.
pub struct Resolver {
    files: Vec<(PathBuf, &'static str)>,
}

impl Resolver {
    /// Names are asked of port 53 of `server`: twice, 1 s each, so that one which is dead is told soon.
    pub fn new(folder: &Path, server: IpAddr) -> Self {
        let conf = format!("nameserver {server}\noptions timeout:1 attempts:2\n");
        let texts =
            [("resolv.conf", "/etc/resolv.conf", conf.as_str()), ("nsswitch.conf", "/etc/nsswitch.conf", SWITCH)];
        let in_place = |(name, place, text): (&str, &'static str, &str)| {
            let path = folder.join(name);
            fs::write(&path, text).expect("the lab's folder takes a file");
            // A machine without the file has the defaults that ours says.
            Path::new(place).exists().then_some((path, place))
        };
        Self { files: texts.into_iter().filter_map(in_place).collect() }
    }

    /// Puts the files in place for the calling thread and the programs that it starts. A thread that has entered stays so.
    pub fn enter(&self) {
        unshare(CloneFlags::CLONE_NEWNS).expect("the lab may make namespaces");
        let private = mount(None::<&str>, "/", None::<&str>, MsFlags::MS_REC | MsFlags::MS_PRIVATE, None::<&str>);
        private.expect("mounts of an own namespace can be made private");
        for (path, place) in &self.files {
            let bound = mount(Some(path), *place, None::<&str>, MsFlags::MS_BIND, None::<&str>);
            bound.unwrap_or_else(|error| panic!("cannot put {} over {place}: {error}", path.display()));
        }
    }
}
