//! Maps a request to a file of the folder.
//!
//! In: the target of a request, which is untrusted. Out: the path of an existing file, or nothing. What always holds:
//! the file is inside the folder, after resolving symbolic links.

use std::path::{Path, PathBuf};

/// The file for a request's target; `None` if there is none.
pub(crate) fn file(root: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next().unwrap_or(target);
    let path = percent_decoded(path)?;
    let mut file = root.canonicalize().ok()?;
    let root = file.clone();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        // Dot files are not served; this also excludes `..`.
        if part.starts_with('.') || part.contains(['\\', '\0', ':']) {
            return None;
        }
        file.push(part);
    }
    if file.is_dir() {
        file.push("index.html");
    }
    let file = file.canonicalize().ok()?;
    (file.starts_with(&root) && file.is_file()).then_some(file)
}

/// `%41` as `A`; `None` if the result is not UTF-8.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                (digit()? * 16 + digit()?) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// The media type of a file.
///
/// With a wrong type for WebAssembly a browser compiles it without streaming; with a wrong one for a module it does
/// not load it.
pub(crate) fn media_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        Some("txt" | "wgsl") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_are_found_and_nothing_else() {
        let outside = format!("anywarp-pages-request-{}", std::process::id());
        let outside = std::env::temp_dir().join(outside);
        let _ = fs::remove_dir_all(&outside);
        let root = outside.join("root");
        fs::create_dir_all(root.join("in")).unwrap();
        for name in [
            "secret.txt",
            "root/index.html",
            "root/in/a b.js",
            "root/.hidden",
        ] {
            fs::write(outside.join(name), name).unwrap();
        }
        let found = |target: &str| {
            let file = file(&root, target)?;
            let root = root.canonicalize().unwrap();
            Some(file.strip_prefix(root).unwrap().to_str()?.to_owned())
        };
        assert_eq!(found("/").unwrap(), "index.html");
        assert_eq!(found("/?re=0#x").unwrap(), "index.html");
        assert_eq!(found("/in/a%20b.js").unwrap(), "in/a b.js");
        let refused = [
            "/in",
            "/gone",
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/in/../../secret.txt",
            "/..%2fsecret.txt",
            "/..%5csecret.txt",
            "/.hidden",
            "/%",
            "/%zz",
            "/%ff",
            "/%00",
        ];
        for target in refused {
            assert_eq!(found(target), None, "{target}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outside.join("secret.txt"), root.join("link.txt")).unwrap();
            assert_eq!(found("/link.txt"), None);
        }
        fs::remove_dir_all(outside).unwrap();
    }
}
