//! Values by member name: `count=3,lights[1].radius=2.5,colour=[1,0,0]`.
//!
//! A path consists of names, separated by dots, and of indices in brackets. A value is a number, or an array or
//! object of JSON. Whether the members exist is checked elsewhere.

use std::collections::HashSet;
use std::fmt;

use serde_json::Value as Json;

use super::SpecError;
use super::target::is_identifier;

/// A value for a member.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MemberValue {
    pub(crate) path: Vec<Step>,
    /// Numbers are kept as strings in their original spelling.
    pub(crate) value: Json,
}

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Name(String),
    Index(u64),
}

/// Whether text begins with a path and `=`, and is therefore a list of members.
pub(super) fn are_members(text: &str) -> bool {
    text.split_once('=')
        .is_some_and(|(before, _)| path(before.trim()).is_some())
}

/// Parses a list of members.
pub(super) fn members(text: &str) -> Result<Vec<MemberValue>, SpecError> {
    items(text).into_iter().map(member).collect()
}

fn member(item: &str) -> Result<MemberValue, SpecError> {
    let wrong = || SpecError::Member(item.trim().to_owned());
    let (before, value) = item.split_once('=').ok_or_else(wrong)?;
    let value = value.trim();
    if value.is_empty() {
        return Err(wrong());
    }
    Ok(MemberValue {
        path: path(before.trim()).ok_or_else(wrong)?,
        value: if value.starts_with(['[', '{']) {
            serde_json::from_str(value)
                .map_err(|error| SpecError::MemberJson(value.to_owned(), error.to_string()))?
        } else {
            Json::String(value.to_owned())
        },
    })
}

/// Splits at commas outside brackets and strings.
fn items(text: &str) -> Vec<&str> {
    let (mut items, mut start, mut depth, mut is_string) = (Vec::new(), 0, 0_usize, false);
    for (place, letter) in text.char_indices() {
        match letter {
            '"' => is_string = !is_string,
            _ if is_string => {}
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(&text[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    items.push(&text[start..]);
    items
}

/// Parses `lights[1].radius`; a leading dot is accepted, since `inspect` prints members that way.
fn path(text: &str) -> Option<Vec<Step>> {
    let mut rest = text.strip_prefix('.').unwrap_or(text);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix('[') {
            let (index, after) = behind.split_once(']')?;
            let is_plain = index.bytes().all(|digit| digit.is_ascii_digit());
            let index = index.parse().ok().filter(|_| is_plain)?;
            steps.push(Step::Index(index));
            rest = after;
            continue;
        }
        if !steps.is_empty() {
            rest = rest.strip_prefix('.')?;
        }
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if !is_identifier(name) {
            return None;
        }
        steps.push(Step::Name(name.to_owned()));
        rest = after;
    }
    (!steps.is_empty()).then_some(steps)
}

impl MemberValue {
    /// The path as text.
    fn path_text(&self) -> String {
        let step = |(index, step): (usize, &Step)| match step {
            Step::Name(name) if index == 0 => name.clone(),
            Step::Name(name) => format!(".{name}"),
            Step::Index(place) => format!("[{place}]"),
        };
        self.path.iter().enumerate().map(step).collect()
    }
}

/// The path of the first member that has two values.
pub(crate) fn given_twice(members: &[MemberValue]) -> Option<String> {
    let mut seen = HashSet::new();
    let mut paths = members.iter().map(MemberValue::path_text);
    paths.find(|path| !seen.insert(path.clone()))
}

impl fmt::Display for MemberValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path_text())?;
        match &self.value {
            Json::String(number) => write!(f, "={number}"),
            other => write!(f, "={other}"),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    pub(in crate::specs) fn member_values() -> impl Strategy<Value = Vec<MemberValue>> {
        let name = "[a-z_][a-z0-9_]{0,5}".prop_map(Step::Name);
        let step = prop_oneof![name.clone(), any::<u64>().prop_map(Step::Index)];
        let path = proptest::collection::vec(step, 1..4);
        let value = prop_oneof![
            "-?[0-9]{1,5}(\\.[0-9]{1,3})?".prop_map(Json::String),
            proptest::collection::vec(any::<i32>(), 0..4).prop_map(|list| json!(list)),
            any::<u64>().prop_map(|number| json!({ "a, b": [number, "x]"] })),
        ];
        let member = (path, value).prop_map(|(path, value)| MemberValue { path, value });
        proptest::collection::vec(member, 1..4)
    }

    #[test]
    fn paths_and_values() {
        let read = |text: &str| members(text).unwrap();
        let all = read("count=3, .lights[1].radius=2.5,[2]=0xff,colour=[1, 0,0],it={\"a\":[1,2]}");
        let texts: Vec<_> = all.iter().map(ToString::to_string).collect();
        let expected = [
            "count=3",
            "lights[1].radius=2.5",
            "[2]=0xff",
            "colour=[1,0,0]",
        ];
        assert_eq!(texts[..4], expected);
        assert_eq!(all[4].value, json!({ "a": [1, 2] }));
    }

    #[test]
    fn the_part_at_fault_is_named() {
        let message = |text: &str| members(text).unwrap_err().to_string();
        assert!(message("a=1,b").contains("`b` does not set a member"));
        assert!(message("a=").contains("`a=` does not set a member"));
        assert!(message("a=1,b..c=2").contains("`b..c=2`"));
        assert!(message("a[-1]=1").contains("`a[-1]=1`"));
        assert!(message("a=[1,2").contains("`[1,2` is not JSON"));
        assert!(!are_members("u32:1"));
        assert!(!are_members("texture:4x4:levels=3"));
        assert!(!are_members("folder/a=b.png"));
    }
}
