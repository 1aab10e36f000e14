//! Archives: `.tar.gz` files and their checksums.
//!
//! In: a folder, or an archive. Out: the other, and the checksum. What always holds: an archive depends on the names,
//! contents and execute permissions of the files alone, not on their times, owners or order in the folder.

use std::fs::{self, File};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use tar::{Builder, HeaderMode};

use crate::{DistError, about};

/// Packs a folder; files appear in the archive below `name`.
pub(super) fn pack(folder: &Path, name: &str, archive: &Path) -> Result<(), DistError> {
    let file = File::create(archive).map_err(about(archive))?;
    let mut builder = Builder::new(GzEncoder::new(file, Compression::best()));
    builder.mode(HeaderMode::Deterministic);
    append(&mut builder, folder, Path::new(name))?;
    let encoder = builder.into_inner().map_err(about(archive))?;
    encoder.finish().map(drop).map_err(about(archive))
}

/// Appends a file, or a folder with its files in the order of their names.
fn append(
    builder: &mut Builder<GzEncoder<File>>,
    path: &Path,
    name: &Path,
) -> Result<(), DistError> {
    builder
        .append_path_with_name(path, name)
        .map_err(about(path))?;
    if !path.is_dir() {
        return Ok(());
    }
    let entries = fs::read_dir(path).map_err(about(path))?;
    let names: Result<Vec<_>, _> = entries.map(|entry| Ok(entry?.file_name())).collect();
    let mut names = names.map_err(about(path))?;
    names.sort();
    for entry in names {
        append(builder, &path.join(&entry), &name.join(&entry))?;
    }
    Ok(())
}

/// Unpacks an archive into a folder.
pub(super) fn unpack(archive: &Path, folder: &Path) -> Result<(), DistError> {
    let file = File::open(archive).map_err(about(archive))?;
    let mut files = tar::Archive::new(GzDecoder::new(file));
    files.unpack(folder).map_err(about(archive))
}

/// Writes the checksum next to the archive, for `sha256sum --check`.
pub(super) fn write_checksum(archive: &Path) -> Result<(), DistError> {
    let bytes = fs::read(archive).map_err(about(archive))?;
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    let path = archive.with_file_name(format!("{name}.sha256"));
    fs::write(&path, checksum_line(&bytes, &name)).map_err(about(&path))
}

fn checksum_line(bytes: &[u8], name: &str) -> String {
    let digest = Sha256::digest(bytes);
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{digest}  {name}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_sha256sum() {
        // The example "abc" of FIPS 180-2.
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(
            checksum_line(b"abc", "a.tar.gz"),
            format!("{digest}  a.tar.gz\n")
        );
    }

    #[test]
    fn archives_have_every_file_and_do_not_depend_on_their_times() {
        let folder = std::env::temp_dir().join(format!("anywarp-dist-{}", std::process::id()));
        let source = folder.join("source");
        fs::create_dir_all(source.join("man")).unwrap();
        let archives = ["first.tar.gz", "second.tar.gz"].map(|name| folder.join(name));
        for archive in &archives {
            fs::write(source.join("README.md"), "text").unwrap();
            fs::write(source.join("man/anywarp.1"), ".TH").unwrap();
            pack(&source, "anywarp-1.0", archive).unwrap();
            let modified = std::time::SystemTime::UNIX_EPOCH;
            let file = File::options().write(true).open(source.join("README.md"));
            file.unwrap().set_modified(modified).unwrap();
        }
        let [first, second] = archives.map(|archive| fs::read(archive).unwrap());
        assert!(first == second, "the archives differ");
        unpack(&folder.join("first.tar.gz"), &folder.join("unpacked")).unwrap();
        let read = |name| fs::read_to_string(folder.join("unpacked/anywarp-1.0").join(name));
        assert_eq!(read("README.md").unwrap(), "text");
        assert_eq!(read("man/anywarp.1").unwrap(), ".TH");
        fs::remove_dir_all(folder).unwrap();
    }
}
