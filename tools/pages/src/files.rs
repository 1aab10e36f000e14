//! Empties and copies folders, with errors that name the file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file or folder that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", path.display())]
pub struct FilesError {
    path: PathBuf,
    error: io::Error,
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> FilesError {
    |error| FilesError {
        path: path.to_owned(),
        error,
    }
}

/// The name of the file that marks a folder as one that may be emptied.
const MARK: &str = ".anywarp-page";

/// Creates a folder, or empties it if a page was built there before.
///
/// What always holds: a folder with other files is not changed.
pub(crate) fn empty_folder(folder: &Path) -> Result<(), FilesError> {
    let mark = folder.join(MARK);
    if folder.exists() {
        let mut entries = fs::read_dir(folder).map_err(at(folder))?;
        if !mark.exists() && entries.next().is_some() {
            let error = io::Error::other("the folder has files in it that are no page");
            return Err(at(folder)(error));
        }
        fs::remove_dir_all(folder).map_err(at(folder))?;
    }
    fs::create_dir_all(folder).map_err(at(folder))?;
    fs::write(&mark, "").map_err(at(&mark))
}

/// Copies the files of a folder and its subfolders.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result<(), FilesError> {
    fs::create_dir_all(to).map_err(at(to))?;
    for entry in fs::read_dir(from).map_err(at(from))? {
        let entry = entry.map_err(at(from))?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy_folder(&source, &target)?;
        } else {
            fs::copy(&source, &target).map_err(at(&source))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = format!("anywarp-pages-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("a/b")).unwrap();
        fs::write(folder.join("a/b/c.txt"), "c").unwrap();
        folder
    }

    #[test]
    fn folders_are_copied_with_what_is_in_them() {
        let folder = scratch("copy");
        copy_folder(&folder.join("a"), &folder.join("z")).unwrap();
        assert_eq!(fs::read_to_string(folder.join("z/b/c.txt")).unwrap(), "c");
        let error = copy_folder(&folder.join("gone"), &folder.join("z")).unwrap_err();
        assert!(error.to_string().contains("gone"), "{error}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn only_pages_are_emptied() {
        let folder = scratch("empty");
        let error = empty_folder(&folder.join("a")).unwrap_err();
        assert!(error.to_string().contains("no page"), "{error}");
        assert!(folder.join("a/b/c.txt").exists());

        let page = folder.join("page");
        empty_folder(&page).unwrap();
        fs::write(page.join("old.js"), "").unwrap();
        empty_folder(&page).unwrap();
        assert!(page.exists() && !page.join("old.js").exists());
        fs::remove_dir_all(folder).unwrap();
    }
}
