//! The public items of crates, from rustdoc's JSON of each.
//!
//! In: JSON with hidden items, of the published crates and of the internal ones. Out: one line for each public item of a
//! crate. Method: hidden items are removed from what contains them and stay in the index, so that the library
//! `public-api` lists those that a public re-export names. A re-export of an item of an internal crate becomes the lines of
//! that item there, under the name that it has here. What always holds: re-exports of published crates stay lines of
//! their own, since these have snapshots.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use public_api::Builder;
use serde_json::{Map, Value};

/// One crate: its lines, and the sources of its re-exports by their paths.
struct Listing {
    lines: Vec<String>,
    sources: BTreeMap<String, String>,
}

/// The listings of crates by their names in code.
#[derive(Default)]
pub(super) struct Listings(BTreeMap<String, Listing>);

impl Listings {
    /// Reads the JSON file of a crate, and rewrites it without hidden items.
    pub(super) fn add(&mut self, krate: &str, json: &Path) -> Result<(), String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", json.display());
        let text = std::fs::read_to_string(json).map_err(|error| failed(&error))?;
        let mut value: Value = serde_json::from_str(&text).map_err(|error| failed(&error))?;
        remove_hidden(&mut value);
        let visible = json.with_extension("visible.json");
        std::fs::write(&visible, value.to_string()).map_err(|error| failed(&error))?;
        let api = Builder::from_rustdoc_json(&visible)
            .omit_blanket_impls(true)
            .omit_auto_trait_impls(true)
            .omit_auto_derived_impls(true)
            .build()
            .map_err(|error| failed(&error))?;
        let listing = Listing {
            lines: api.to_string().lines().map(str::to_owned).collect(),
            sources: sources(&value),
        };
        self.0.insert(krate.to_owned(), listing);
        Ok(())
    }

    /// The public items of a crate. Items of the crates in `internal` are listed in place of their re-exports.
    pub(super) fn items(&self, krate: &str, internal: &BTreeSet<String>) -> String {
        let lines = self.0.get(krate).map(|listing| &listing.lines);
        let lines = lines.into_iter().flatten().flat_map(|line| {
            let resolved = line
                .strip_prefix("pub use ")
                .and_then(|path| self.resolve(path, internal));
            resolved.unwrap_or_else(|| vec![line.clone()])
        });
        lines.map(|line| line + "\n").collect()
    }

    /// The lines of the item that the re-export at `path` names; `None` if it is not of an internal crate.
    fn resolve(&self, path: &str, internal: &BTreeSet<String>) -> Option<Vec<String>> {
        let krate = crate_of(path);
        let source = self.0.get(krate)?.sources.get(path)?;
        let source_crate = crate_of(source);
        if !internal.contains(source_crate) || source_crate == source {
            return None;
        }
        let listing = self.0.get(source_crate)?;
        let own: Vec<&String> = listing
            .lines
            .iter()
            .filter(|line| is_about(line, source))
            .collect();
        let lines = match own.as_slice() {
            [only] if only.starts_with("pub use ") => self.resolve(source, internal)?,
            [] => return None,
            _ => own.into_iter().cloned().collect(),
        };
        Some(
            lines
                .iter()
                .map(|line| renamed(line, source, path))
                .collect(),
        )
    }
}

fn crate_of(path: &str) -> &str {
    path.split("::").next().unwrap_or(path)
}

/// Removes hidden items from the lists of what contains them.
fn remove_hidden(value: &mut Value) {
    let Some(index) = value.get_mut("index").and_then(Value::as_object_mut) else {
        return;
    };
    let mut hidden: BTreeSet<u64> = index
        .values()
        .filter(|item| is_hidden(item))
        .filter_map(|item| item["id"].as_u64())
        .collect();
    // A re-export of a hidden item is hidden, and so are the methods that implement a hidden one of a trait.
    let derived: Vec<u64> = index
        .values()
        .flat_map(|item| hidden_by_others(item, index, &hidden))
        .collect();
    hidden.extend(derived);
    for item in index.values_mut() {
        if let Some(inner) = item.get_mut("inner") {
            remove_ids(inner, &hidden);
        }
    }
}

/// A re-export whose target is hidden, or those items of an implementation that are hidden in its trait.
fn hidden_by_others(item: &Value, index: &Map<String, Value>, hidden: &BTreeSet<u64>) -> Vec<u64> {
    let is_hidden = |id: &Value| id.as_u64().is_some_and(|id| hidden.contains(&id));
    let ids = |list: &Value| list.as_array().cloned().unwrap_or_default();
    let name = |id: &Value| index.get(&id.to_string()).map(|item| item["name"].clone());
    let inner = &item["inner"];
    if is_hidden(&inner["use"]["id"]) {
        return item["id"].as_u64().into_iter().collect();
    }
    let implementation = &inner["impl"];
    let trait_id = implementation["trait"]["id"].to_string();
    let Some(implemented) = index.get(&trait_id) else {
        return Vec::new();
    };
    let hidden_names: Vec<Value> = ids(&implemented["inner"]["trait"]["items"])
        .iter()
        .filter(|id| is_hidden(id))
        .filter_map(name)
        .collect();
    ids(&implementation["items"])
        .iter()
        .filter(|id| name(id).is_some_and(|name| hidden_names.contains(&name)))
        .filter_map(Value::as_u64)
        .collect()
}

fn is_hidden(item: &Value) -> bool {
    let attributes = item["attrs"].as_array().into_iter().flatten();
    attributes
        .map(Value::to_string)
        .any(|attribute| attribute.contains("doc(hidden)") || attribute.contains("hidden: Some"))
}

/// Removes ids from all lists of ids: items of modules, fields, variants, implementations.
fn remove_ids(value: &mut Value, hidden: &BTreeSet<u64>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if let (Value::Array(ids), "items" | "fields" | "variants" | "impls") =
                    (&mut *member, name.as_str())
                {
                    ids.retain(|id| !id.as_u64().is_some_and(|id| hidden.contains(&id)));
                }
                remove_ids(member, hidden);
            }
        }
        Value::Array(values) => {
            for value in values {
                remove_ids(value, hidden);
            }
        }
        _ => {}
    }
}

/// The sources of all re-exports of single items: `crate::module::Name`, by the path of the re-export.
fn sources(value: &Value) -> BTreeMap<String, String> {
    let mut sources = BTreeMap::new();
    let root = value["root"].to_string();
    if let Some(index) = value["index"].as_object() {
        collect_sources(index, &root, None, &mut sources);
    }
    sources
}

fn collect_sources(
    index: &Map<String, Value>,
    id: &str,
    parent: Option<&str>,
    sources: &mut BTreeMap<String, String>,
) {
    let Some(item) = index.get(id) else {
        return;
    };
    let path = |name: &str| match parent {
        Some(parent) => format!("{parent}::{name}"),
        None => name.to_owned(),
    };
    let inner = &item["inner"];
    if let (Some(module), Some(name)) = (inner.get("module"), item["name"].as_str()) {
        for id in module["items"].as_array().into_iter().flatten() {
            collect_sources(index, &id.to_string(), Some(&path(name)), sources);
        }
    } else if let Some(reexport) = inner.get("use") {
        let (name, source) = (reexport["name"].as_str(), reexport["source"].as_str());
        if let (Some(name), Some(source)) = (name, source) {
            sources.insert(path(name), source.to_owned());
        }
    }
}

/// Whether a line describes the item at a path or a part of it: `pub struct PATH`, `pub fn PATH::new()`, `impl PATH`.
fn is_about(line: &str, path: &str) -> bool {
    let line = match line.strip_prefix("impl") {
        // An implementation is about the type after `for`.
        Some(rest) => rest.rsplit_once(" for ").map_or(rest, |(_, ty)| ty),
        None => line,
    };
    let Some(start) = line.find(path) else {
        return false;
    };
    let before = &line[..start];
    let after = line[start + path.len()..].chars().next();
    // In front of the subject are words without paths, such as `#[non_exhaustive] pub enum`.
    !before.contains("::")
        && !before.contains('(')
        && !after.is_some_and(|next| next.is_alphanumeric() || next == '_')
}

/// A line with another path for the item that it describes.
fn renamed(line: &str, from: &str, to: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(from) {
        let (before, found) = rest.split_at(start);
        let after = &found[from.len()..];
        let is_whole = !after.starts_with(|next: char| next.is_alphanumeric() || next == '_');
        text += before;
        text += if is_whole { to } else { from };
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hidden_items_are_in_the_index_alone() {
        let mut value = json!({ "root": 0, "index": {
            "0": { "id": 0, "name": "a", "attrs": [], "inner": { "module": { "items": [1, 2] } } },
            "1": { "id": 1, "name": "b", "attrs": [{ "other": "#[doc(hidden)]" }], "inner": { "module": { "items": [3] } } },
            "2": { "id": 2, "name": null, "attrs": [], "inner": { "use": { "name": "C", "source": "b::C" } } },
            "3": { "id": 3, "name": "C", "attrs": [], "inner": { "struct": { "impls": [] } } },
        } });
        remove_hidden(&mut value);
        assert_eq!(value["index"]["0"]["inner"]["module"]["items"], json!([2]));
        assert_eq!(value["index"]["1"]["inner"]["module"]["items"], json!([3]));
        let expected = [("a::C".to_owned(), "b::C".to_owned())];
        assert_eq!(sources(&value), BTreeMap::from(expected));
    }

    #[test]
    fn what_follows_from_a_hidden_item_is_hidden() {
        let hidden = json!([{ "other": "#[doc(hidden)]" }]);
        let mut value = json!({ "root": 0, "index": {
            "0": { "id": 0, "name": "a", "attrs": [], "inner": { "module": { "items": [1] } } },
            "1": { "id": 1, "name": null, "attrs": [], "inner": { "use": { "name": "f", "source": "b::f", "id": 2 } } },
            "2": { "id": 2, "name": "f", "attrs": hidden, "inner": { "function": {} } },
            "3": { "id": 3, "name": "T", "attrs": [], "inner": { "trait": { "items": [4, 5] } } },
            "4": { "id": 4, "name": "g", "attrs": hidden, "inner": { "function": {} } },
            "5": { "id": 5, "name": "h", "attrs": [], "inner": { "function": {} } },
            "6": { "id": 6, "name": null, "attrs": [], "inner": { "impl": { "trait": { "id": 3 }, "items": [7, 8] } } },
            "7": { "id": 7, "name": "g", "attrs": [], "inner": { "function": {} } },
            "8": { "id": 8, "name": "h", "attrs": [], "inner": { "function": {} } },
        } });
        remove_hidden(&mut value);
        assert_eq!(value["index"]["0"]["inner"]["module"]["items"], json!([]));
        assert_eq!(value["index"]["6"]["inner"]["impl"]["items"], json!([8]));
    }

    #[test]
    fn lines_are_about_their_subjects() {
        for line in [
            "#[non_exhaustive] pub enum b::C",
            "pub b::C::D(u32)",
            "impl b::C",
            "impl core::convert::From<u32> for b::C",
            "pub fn b::C::new(b::C) -> Self",
            "pub use b::C",
        ] {
            assert!(is_about(line, "b::C"), "{line}");
        }
        for line in [
            "pub struct b::Cd",
            "pub fn b::d(b::C)",
            "impl core::convert::From<b::C> for u32",
        ] {
            assert!(!is_about(line, "b::C"), "{line}");
        }
        assert_eq!(
            renamed("pub fn b::C::new(b::C, b::Cd)", "b::C", "a::E"),
            "pub fn a::E::new(a::E, b::Cd)"
        );
    }

    #[test]
    fn items_of_internal_crates_are_listed_in_place_of_reexports() {
        let listing = |lines: &[&str], sources: &[(&str, &str)]| Listing {
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            sources: sources
                .iter()
                .map(|(path, source)| ((*path).to_owned(), (*source).to_owned()))
                .collect(),
        };
        let listings = Listings(BTreeMap::from([
            (
                "a".to_owned(),
                listing(
                    &["pub mod a", "pub use a::C", "pub use a::P", "pub use a::b"],
                    &[("a::C", "b::C"), ("a::P", "p::P"), ("a::b", "b")],
                ),
            ),
            (
                "b".to_owned(),
                listing(&["pub mod b", "pub use b::C"], &[("b::C", "c::m::C")]),
            ),
            (
                "c".to_owned(),
                listing(&["pub struct c::m::C", "pub c::m::C::x: u32"], &[]),
            ),
            ("p".to_owned(), listing(&["pub struct p::P"], &[])),
        ]));
        let internal = BTreeSet::from(["b".to_owned(), "c".to_owned()]);
        assert_eq!(
            listings.items("a", &internal),
            "pub mod a\npub struct a::C\npub a::C::x: u32\npub use a::P\npub use a::b\n"
        );
    }
}
