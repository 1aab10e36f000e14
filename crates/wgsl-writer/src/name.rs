//! Identifiers: makes names legal and unique.
//!
//! In: the names of a program. Out: WGSL identifiers, changed as little as possible. What always holds: the same names
//! in the same order give the same identifiers.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use anywarp_program::naga::keywords::wgsl::{BUILTIN_IDENTIFIERS, RESERVED};
use anywarp_program::naga::{FastHashMap, FastHashSet};

/// An identifier in the text.
pub(super) type Name = Arc<str>;

/// A set of words, fast for words that are not in it.
struct WordSet {
    words: FastHashSet<&'static str>,
    /// For each first letter, the lengths that occur, as a bit set.
    lengths: [u32; 128],
}

impl WordSet {
    fn new(words: impl Iterator<Item = &'static str>) -> Self {
        let words: FastHashSet<_> = words.collect();
        let mut lengths = [0; 128];
        for word in &words {
            if let Some(lengths) = lengths.get_mut(usize::from(word.as_bytes()[0])) {
                *lengths |= 1 << word.len().min(31);
            }
        }
        Self { words, lengths }
    }

    fn contains(&self, word: &str) -> bool {
        let first = word.as_bytes().first().map_or(0, |first| *first);
        let lengths = self.lengths.get(usize::from(first)).copied();
        lengths.is_some_and(|lengths| lengths >> word.len().min(31) & 1 != 0)
            && self.words.contains(word)
    }
}

static KEYWORDS: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(RESERVED.iter().copied()));

/// Predeclared identifiers that naga's list lacks.
const MORE_PREDECLARED: &[&str] = &[
    "vec2f",
    "vec3f",
    "vec4f",
    "vec2i",
    "vec3i",
    "vec4i",
    "vec2u",
    "vec3u",
    "vec4u",
    "vec2h",
    "vec3h",
    "vec4h",
    "i16",
    "u16",
    "binding_array",
    "immediate",
    "atomic",
    "subgroupBarrier",
    "textureAtomicAdd",
    "textureAtomicMin",
    "textureAtomicMax",
    "textureAtomicAnd",
    "textureAtomicOr",
    "textureAtomicXor",
    "ray_query",
    "acceleration_structure",
    "RayDesc",
    "RayIntersection",
    "rayQueryInitialize",
    "rayQueryProceed",
    "rayQueryGenerateIntersection",
    "rayQueryConfirmIntersection",
    "rayQueryTerminate",
    "rayQueryGetCommittedIntersection",
    "rayQueryGetCandidateIntersection",
    "getCommittedHitVertexPositions",
    "getCandidateHitVertexPositions",
    "vertex_return",
    "coopLoad",
    "coopLoadT",
    "coopStore",
    "coopStoreT",
    "coopMultiplyAdd",
    "traceRay",
    "task_payload",
    "ray_payload",
    "incoming_ray_payload",
];

static PREDECLARED: LazyLock<WordSet> = LazyLock::new(|| {
    let words = BUILTIN_IDENTIFIERS.iter().chain(MORE_PREDECLARED);
    WordSet::new(words.copied())
});

/// The predeclared identifiers that declarations must not shadow, because the text uses them.
#[derive(Clone, Debug, Default)]
pub(super) enum Predeclared {
    /// All: the identifiers that the text uses are not known yet.
    #[default]
    All,
    /// Only these.
    Used(HashSet<Box<str>>),
}

impl Predeclared {
    fn forbids(&self, name: &str) -> bool {
        match self {
            Self::All => PREDECLARED.contains(name),
            Self::Used(used) => used.contains(name),
        }
    }
}

/// Whether a name is predeclared in WGSL.
pub(super) fn is_predeclared(name: &str) -> bool {
    PREDECLARED.contains(name)
}

/// The mathematical builtin functions, of which a module's uses are known before writing.
const MATHEMATICAL: &[&str] = &[
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "ceil",
    "clamp",
    "cos",
    "cosh",
    "cross",
    "degrees",
    "determinant",
    "distance",
    "dot",
    "exp",
    "exp2",
    "floor",
    "fma",
    "fract",
    "length",
    "log",
    "log2",
    "max",
    "min",
    "mix",
    "normalize",
    "pow",
    "radians",
    "reflect",
    "refract",
    "round",
    "saturate",
    "sign",
    "sin",
    "sinh",
    "smoothstep",
    "sqrt",
    "step",
    "tan",
    "tanh",
    "transpose",
    "trunc",
];

/// Whether a name is a mathematical builtin function.
pub(super) fn is_mathematical(name: &str) -> bool {
    MATHEMATICAL.binary_search(&name).is_ok()
}

/// The names in scope, and how often each was requested.
#[derive(Clone, Debug, Default)]
pub(super) struct UsedNames {
    names: FastHashMap<Name, u32>,
}

impl UsedNames {
    /// Reserves a name as it is.
    pub(super) fn insert(&mut self, name: &Name) {
        // Cloning an `Arc` that threads share causes contention.
        if !self.names.contains_key(&**name) {
            self.names.insert(name.clone(), 0);
        }
    }

    /// Releases a name.
    pub(super) fn remove(&mut self, name: &Name) {
        self.names.remove(name);
    }

    /// Reserves the free identifier closest to `wanted`, or to `fallback` if `wanted` is empty.
    pub(super) fn pick(
        &mut self,
        wanted: Option<&str>,
        fallback: &str,
        predeclared: &Predeclared,
    ) -> Name {
        let legal = wanted.map_or(Cow::Borrowed(""), legal);
        let base: &str = if legal.is_empty() { fallback } else { &legal };
        self.pick_legal(base, predeclared)
    }

    /// Reserves the free identifier closest to a legal one.
    pub(super) fn pick_legal(&mut self, base: &str, predeclared: &Predeclared) -> Name {
        if !predeclared.forbids(base) {
            const NEW: u32 = u32::MAX;
            let name: Name = base.into();
            let count = self.names.entry(name.clone()).or_insert(NEW);
            if *count == NEW {
                *count = 0;
                return name;
            }
        }
        // The counter makes `n` variables of one name take `n` steps.
        let mut count = self.names.get(base).copied().unwrap_or(0);
        let name: Name = loop {
            count += 1;
            let name = format!("{base}_{count}");
            if !self.names.contains_key(name.as_str()) && !predeclared.forbids(&name) {
                break name.into();
            }
        };
        if let Some(last) = self.names.get_mut(base) {
            *last = count;
        }
        self.names.insert(name.clone(), 0);
        name
    }
}

/// Changes a name minimally to make it an identifier; empty if nothing is left.
pub(super) fn legal(name: &str) -> Cow<'_, str> {
    // Compilers to SPIR-V append a function's parameter types to its name.
    let name = match name.find('(') {
        Some(end) => &name[..end],
        None => name,
    };
    if is_identifier(name) {
        return if KEYWORDS.contains(name) {
            Cow::Owned(format!("{name}_"))
        } else {
            Cow::Borrowed(name)
        };
    }
    let mut legal = String::with_capacity(name.len());
    for character in name.chars() {
        if is_continue(character) {
            if legal.is_empty() && !is_start(character) {
                legal.push('_');
            }
            legal.push(character);
        } else if !legal.is_empty() && !legal.ends_with('_') {
            legal.push('_');
        }
    }
    if !name.ends_with('_') {
        legal.truncate(legal.trim_end_matches('_').len());
    }
    let doubled = legal.len() - legal.trim_start_matches('_').len();
    if doubled > 1 {
        legal.drain(..doubled - 1);
    }
    match legal.as_str() {
        "_" => Cow::Borrowed(""),
        keyword if KEYWORDS.contains(keyword) => Cow::Owned(format!("{keyword}_")),
        _ => Cow::Owned(legal),
    }
}

fn is_identifier(name: &str) -> bool {
    // Nearly all names consist of these characters.
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if name.as_bytes().iter().all(is_plain) {
        return !matches!(
            name.as_bytes(),
            [] | [b'0'..=b'9', ..] | [b'_'] | [b'_', b'_', ..]
        );
    }
    let mut characters = name.chars();
    characters.next().is_some_and(is_start)
        && characters.all(is_continue)
        && name != "_"
        && !name.starts_with("__")
}

fn is_start(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_' || unicode_ident::is_xid_start(character)
}

fn is_continue(character: char) -> bool {
    character.is_ascii_alphanumeric() || unicode_ident::is_xid_continue(character)
}

/// The predeclared identifiers among `asked` that the text uses as such.
pub(super) fn used_in(text: &str, asked: &HashSet<Box<str>>) -> HashSet<Box<str>> {
    let is_word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80;
    let bytes = text.as_bytes();
    let mut used = HashSet::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_word(bytes[at]) {
            at += 1;
            continue;
        }
        let length = bytes[at..]
            .iter()
            .take_while(|byte| is_word(**byte))
            .count();
        let member = at > 0 && bytes[at - 1] == b'.';
        if let Some(word) = text.get(at..at + length)
            && !member
            && let Some(word) = asked.get(word)
        {
            used.insert(word.clone());
        }
        at += length;
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_as_little_as_can_be() {
        for (given, expected) in [
            ("colour", "colour"),
            ("größe", "größe"),
            ("loop", "loop_"),
            ("main(vf4;f1;", "main"),
            ("__hidden", "_hidden"),
            ("a.b", "a_b"),
            ("v[0]", "v_0"),
            ("3d", "_3d"),
            ("x_", "x_"),
            ("_", ""),
            ("", ""),
            ("🌈", ""),
        ] {
            assert_eq!(legal(given), expected, "{given}");
        }
    }

    #[test]
    fn taken_names_are_counted_up() {
        let mut taken = UsedNames::default();
        let mut pick = |name| taken.pick(Some(name), "x", &Predeclared::All).to_string();
        assert_eq!(pick("a"), "a");
        assert_eq!(pick("a"), "a_1");
        assert_eq!(pick("a_1"), "a_1_1");
        assert_eq!(pick("a"), "a_2");
        assert_eq!(pick("max"), "max_1");
    }
}
