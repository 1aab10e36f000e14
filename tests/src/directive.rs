//! Parses the header of a case: comment lines with its inputs and expected outputs.
//!
//! Parsing is strict: an unknown directive is an error with its line, so that a typo cannot weaken a case. The format
//! is described in `conformance/README.md`.

use std::collections::BTreeMap;

use anywarp_interpret::SubgroupSize;

use crate::executor::{ExecutorName, Memory, Slot};
use crate::expectation::{Expectation, places, word_count};
use crate::feature::Feature;
use crate::texture::{Bindings, TextureSpec};
use crate::values::{expectations, parse_slot, words};

/// A known deviation of an executor from the rule that the case tests.
#[derive(Clone, Debug)]
pub struct Deviation {
    /// The executor that deviates.
    pub executor: ExecutorName,
    /// The reason in words.
    pub reason: String,
    /// The values it gives instead for a buffer; `None` if the case is not run at all.
    pub instead: Option<(Slot, Vec<Expectation>)>,
}

/// The directives of a case.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) needs: Vec<&'static Feature>,
    pub(crate) subgroup_size: Option<SubgroupSize>,
    pub(crate) workgroups: [u32; 3],
    pub(crate) entry: Option<String>,
    pub(crate) constants: Vec<(String, f64)>,
    pub(crate) immediates: Vec<u32>,
    pub(crate) bindings: Bindings,
    pub(crate) inputs: Memory,
    pub(crate) outputs: BTreeMap<Slot, Vec<Expectation>>,
    pub(crate) deviations: Vec<Deviation>,
    pub(crate) fails: Option<String>,
}

/// An error in a line of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeaderError {
    pub(crate) line: usize,
    pub(crate) message: String,
}

/// Reads the directives of a program text.
pub(crate) fn parse(text: &str) -> Result<Header, HeaderError> {
    let mut header = Header {
        needs: Vec::new(),
        subgroup_size: None,
        workgroups: [1, 1, 1],
        entry: None,
        constants: Vec::new(),
        immediates: Vec::new(),
        bindings: Bindings::default(),
        inputs: Memory::new(),
        outputs: BTreeMap::new(),
        deviations: Vec::new(),
        fails: None,
    };
    for (line, directive) in directives(text)? {
        tokens(&directive)
            .and_then(|tokens| header.apply(&tokens))
            .map_err(|message| HeaderError { line, message })?;
    }
    header
        .check()
        .map_err(|message| HeaderError { line: 1, message })?;
    Ok(header)
}

/// Collects `//:` lines with their `//::` continuations, each with the number of its first line.
fn directives(text: &str) -> Result<Vec<(usize, String)>, HeaderError> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut in_header = true;
    for (index, line) in text.lines().enumerate() {
        let fail = |message: &str| {
            Err(HeaderError {
                line: index + 1,
                message: message.to_owned(),
            })
        };
        if index == 0 && !(line.starts_with("// ") && line.ends_with('.')) {
            return fail("the first line is one sentence that states the rule: `// ... .`");
        }
        in_header &= line.starts_with("//");
        let Some(directive) = line.strip_prefix("//:") else {
            continue;
        };
        if !in_header {
            return fail("directives come before the program");
        }
        match (directive.strip_prefix(':'), found.last_mut()) {
            (Some(rest), Some((_, last))) => last.push_str(rest),
            (Some(_), None) => return fail("nothing to continue"),
            (None, _) => found.push((index + 1, directive.to_owned())),
        }
    }
    Ok(found)
}

/// Splits at white space; a quoted token keeps its opening quote as a marker.
fn tokens(text: &str) -> Result<Vec<String>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = match rest.strip_prefix('"') {
            Some(quoted) => 1 + quoted.find('"').ok_or("a quote is not closed")?,
            None => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        };
        tokens.push(rest[..end].to_owned());
        rest = rest[end..].trim_start_matches('"').trim_start();
    }
    Ok(tokens)
}

impl Header {
    fn apply(&mut self, tokens: &[String]) -> Result<(), String> {
        let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
        match tokens.as_slice() {
            ["needs", names @ ..] if !names.is_empty() => {
                for name in names {
                    let feature = Feature::named(name);
                    let unknown = || format!("no feature is called `{name}`");
                    self.needs.push(feature.ok_or_else(unknown)?);
                }
            }
            ["subgroup-size", lanes] => {
                let size = lanes.parse().ok().and_then(SubgroupSize::new);
                let size = size.ok_or_else(|| format!("`{lanes}` is no size of subgroups"))?;
                self.subgroup_size = Some(size);
            }
            ["workgroups", counts] => self.workgroups = parse_counts(counts)?,
            ["entry", name] => self.entry = Some((*name).to_owned()),
            ["constant", name, "=", value] => {
                let value = value
                    .parse()
                    .map_err(|_| format!("`{value}` is no number"))?;
                self.constants.push(((*name).to_owned(), value));
            }
            ["immediates", values @ ..] => self.immediates = words(values)?,
            ["texture", slot, spec @ ..] => {
                let spec = TextureSpec::parse(spec)?;
                unique(&mut self.bindings.textures, parse_slot(slot)?, spec)?;
            }
            ["array", slot, count] => {
                let count = count.parse().ok().filter(|count| (1..=64).contains(count));
                let count = count.ok_or("an array has 1 to 64 elements")?;
                unique(&mut self.bindings.arrays, parse_slot(slot)?, count)?;
            }
            ["in", slot, values @ ..] => {
                unique(&mut self.inputs, parse_slot(slot)?, words(values)?)?;
            }
            ["out", slot, values @ ..] => {
                unique(
                    &mut self.outputs,
                    parse_slot(slot)?,
                    expectations(values, &[])?,
                )?;
            }
            ["deviates", executor, reason, instead @ ..] => self.deviations.push(Deviation {
                executor: ExecutorName::named(executor)
                    .ok_or_else(|| format!("no executor is called `{executor}`"))?,
                reason: quoted(reason)?,
                instead: self.parse_instead(instead)?,
            }),
            ["fails", message] => self.fails = Some(quoted(message)?),
            _ => return Err(format!("not a directive: `{}`", tokens.join(" "))),
        }
        Ok(())
    }

    fn parse_instead(&self, tokens: &[&str]) -> Result<Option<(Slot, Vec<Expectation>)>, String> {
        match tokens {
            ["skip"] => Ok(None),
            [slot, values @ ..] if !values.is_empty() => {
                let slot = parse_slot(slot)?;
                let usual = self.outputs.get(&slot).map_or(&[][..], Vec::as_slice);
                Ok(Some((slot, expectations(values, usual)?)))
            }
            _ => Err("a deviation ends in `skip`, or in a binding and its values".to_owned()),
        }
    }

    /// Checks consistency between directives. Buffers that are only written are initialised with zeros.
    fn check(&mut self) -> Result<(), String> {
        if self.outputs.is_empty() == self.fails.is_none() {
            return Err("a case has outputs, or it fails: one of the two".to_owned());
        }
        for slot in self.bindings.textures.keys() {
            let count = self.bindings.words(*slot).unwrap_or(0);
            let words = self.inputs.entry(*slot).or_insert_with(|| vec![0; count]);
            same_length(*slot, words.len(), count)?;
        }
        for (slot, count) in &self.bindings.arrays {
            let words = self.inputs.get(slot);
            if words.is_some_and(|words| words.len() % count != 0) {
                return Err(format!("binding {slot} has {count} elements of one size"));
            }
        }
        for (slot, expectations) in &self.outputs {
            let words = self
                .inputs
                .entry(*slot)
                .or_insert_with(|| vec![0; word_count(expectations)]);
            same_length(*slot, words.len(), word_count(expectations))?;
        }
        let replaced = self.deviations.iter().filter_map(|d| d.instead.as_ref());
        for (slot, expectations) in replaced {
            let usual = self.outputs.get(slot).map_or(0, |usual| word_count(usual));
            same_length(*slot, usual, word_count(expectations))?;
        }
        self.check_arguments()
    }

    fn check_arguments(&self) -> Result<(), String> {
        for (bit, value) in self.outputs.values().flat_map(|values| places(values)) {
            let end = (bit + value.scalar.width() as usize).div_ceil(32);
            let slots = value.within.iter().flat_map(|within| &within.arguments);
            for slot in slots {
                if self.inputs.get(slot).is_none_or(|words| words.len() < end) {
                    let word = bit / 32;
                    return Err(format!("binding {slot} has no argument for word {word}"));
                }
            }
        }
        Ok(())
    }
}

fn same_length(slot: Slot, left: usize, right: usize) -> Result<(), String> {
    if left == right {
        Ok(())
    } else {
        Err(format!(
            "binding {slot} has {left} words here and {right} there"
        ))
    }
}

fn unique<T>(map: &mut BTreeMap<Slot, T>, slot: Slot, value: T) -> Result<(), String> {
    match map.insert(slot, value) {
        None => Ok(()),
        Some(_) => Err(format!("binding {slot} is given twice")),
    }
}

fn quoted(token: &str) -> Result<String, String> {
    match token.strip_prefix('"') {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err(format!("`{token}` should be in quotes")),
    }
}

fn parse_counts(text: &str) -> Result<[u32; 3], String> {
    let counts: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
    match counts.as_deref() {
        Ok([x]) => Ok([*x, 1, 1]),
        Ok([x, y]) => Ok([*x, *y, 1]),
        Ok([x, y, z]) => Ok([*x, *y, *z]),
        _ => Err(format!("`{text}` is no count of workgroups, such as 4,2,1")),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::{Literal, Slot};

    const SLOT: Slot = Slot {
        group: 0,
        binding: 1,
    };

    fn message(header: &str) -> (usize, String) {
        let error = parse(header).expect_err(header);
        (error.line, error.message)
    }

    #[test]
    fn every_directive_is_read() {
        let header = parse(
            "// A rule.\n//: needs f16 int64\n//: subgroup-size 8\n//: workgroups 4,2\n//: entry other\n//: constant N = 4\n//: immediates u32 1 2\n\
             //: in 0:0 f32 1 u32 2*3\n//: out 0:1 i32 MIN _\n//:: u32 1|2\n\
             //: deviates lavapipe \"clamps the index\" 0:1 i32 0 =*2\n",
        )
        .unwrap();
        let needs: Vec<&str> = header.needs.iter().map(|feature| feature.name).collect();
        assert_eq!(needs, ["f16", "int64"]);
        assert_eq!(header.subgroup_size.map(|size| size.get()), Some(8));
        assert_eq!(header.workgroups, [4, 2, 1]);
        assert_eq!(header.entry.as_deref(), Some("other"));
        assert_eq!(header.constants, [("N".to_owned(), 4.0)]);
        assert_eq!(header.immediates, [1, 2]);
        assert_eq!(
            header.inputs[&Slot {
                group: 0,
                binding: 0
            }],
            [0x3f80_0000, 2, 2, 2]
        );
        assert_eq!(header.inputs[&SLOT], [0, 0, 0]);
        assert_eq!(header.outputs[&SLOT][2].accepted.len(), 2);
        assert_eq!(header.deviations[0].reason, "clamps the index");
        let (_, instead) = header.deviations[0].instead.as_ref().unwrap();
        assert_eq!(instead[0].accepted, [Literal::Bits(0)]);
        assert_eq!(instead[2].accepted, header.outputs[&SLOT][2].accepted);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        assert_eq!(message("fn main() {}").0, 1);
        assert_eq!(message("// R.\n//: out 0:1 u32 1\n//: bogus 3\n").0, 3);
        assert_eq!(
            message("// R.\n//: out 0:1 u32 -1\n").1,
            "`-1` is no value here"
        );
        assert_eq!(
            message("// R.\n//: out 0:1 1\n").1,
            "`1` has no type before it"
        );
        assert_eq!(message("// R.\n//: in 0:1 u32 1\n").0, 1);
        assert_eq!(
            message("// R.\n//: needs f61\n").1,
            "no feature is called `f61`"
        );
        assert_eq!(
            message("// R.\n//: subgroup-size 12\n").1,
            "`12` is no size of subgroups"
        );
        for halves in ["f16 1", "f16 1 u32 2", "i16 1 i64 2 i16 3"] {
            assert_eq!(
                message(&format!("// R.\n//: out 0:1 {halves}\n")).1,
                "half a word is left over: pad it with `_`"
            );
        }
        assert_eq!(
            message("// R.\n//: out 0:1 f32 within NICE 1\n").1,
            "no tolerance is called `NICE`"
        );
        assert_eq!(
            message("// R.\n//: out 0:1 u32 1\nfn f() {}\n//: entry f\n").0,
            4
        );
        assert_eq!(
            message("// R.\n//: out 0:1 u32 1\n//: in 0:1 u32 1 2\n").0,
            1
        );
    }
}
