//! Puts the pages that `cargo xtask web` built, `web/dist`, into the program, each file also gzipped where that is shorter.
//! Without them the program is built all the same and says what is missing (`api::web`).

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;

/// A file that shrinks by less than this part of itself is sent as it is.
const GAIN_MIN: usize = 10;

fn main() {
    let variable = |name| PathBuf::from(env::var_os(name).expect("cargo sets this for build scripts"));
    let built = variable("CARGO_MANIFEST_DIR").join("../../web/dist");
    let out = variable("OUT_DIR");
    make_sure_of(&built);
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", built.display());
    if let Err(error) = embed(&built, &out) {
        println!("cargo::error=the pages in {} cannot be embedded: {error}", built.display());
    }
}

/// Cargo takes a folder that is not there, or younger than this build, for one that has changed: it would build anew each
/// time, or once more. Where the source cannot be written to, it does.
fn make_sure_of(folder: &Path) {
    if !folder.exists() && fs::create_dir_all(folder).is_ok() {
        let _ = fs::File::open(folder).and_then(|folder| folder.set_modified(SystemTime::UNIX_EPOCH));
    }
}

/// Copies what is embedded to `out`, so that a build of the pages beside this one pulls nothing from under it.
fn embed(built: &Path, out: &Path) -> io::Result<()> {
    let copies = out.join("web");
    if copies.exists() {
        fs::remove_dir_all(&copies)?;
    }
    fs::create_dir_all(&copies)?;
    let mut list = String::from("&[\n");
    let included = |name: String, content: &[u8]| -> io::Result<String> {
        fs::write(copies.join(&name), content)?;
        Ok(format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/web/{name}\"))"))
    };
    for (n, file) in files(built)?.iter().enumerate() {
        let plain = fs::read(file)?;
        let gzipped = gzip(&plain)?;
        let gzip = if gzipped.len() + plain.len() / GAIN_MIN < plain.len() {
            format!("Some({})", included(format!("{n}.gz"), &gzipped)?)
        } else {
            "None".to_owned()
        };
        let plain = included(n.to_string(), &plain)?;
        let path = file.strip_prefix(built).unwrap_or(file).to_string_lossy();
        // Writing to a String cannot fail.
        let _ = writeln!(list, "    File {{ path: {path:?}, plain: {plain}, gzip: {gzip} }},");
    }
    list.push(']');
    fs::write(out.join("web.rs"), list)
}

/// All files below `folder`, by name. Hidden ones are notes of the build, and maps lead to sources that are not served.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') || name.ends_with(".map") {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn gzip(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    encoder.finish()
}
