//! The `.awbc` file format: serialization of programs.
//!
//! In: bytes, or a program. Out: a program that [`verify`](super::verify()) has accepted, or bytes.
//! Reading never panics and allocates at most a small multiple of the file size.
//!
//! All numbers are 32-bit words, little-endian. A file is `AWBC`, the version, the CRC-32 of
//! everything after it, the number of sections, and a section table (kind, offset, size in bytes);
//! then the sections. Each kind occurs exactly once, in order, without gaps. Lists begin with their
//! length; text and bytes are padded with zeros to whole words.

use super::verify::{VerifyError, verify};
use super::{Bytecode, Debug, Export, Function, FunctionType, Limits, Position, Type};

/// The first four bytes of a file.
pub const MAGIC: [u8; 4] = *b"AWBC";
/// The version that is written, and the only one that is read.
pub const VERSION: u32 = 1;

/// Bytes in front of the section table.
const HEADER: usize = 16;
/// Bytes of an entry of the section table.
const ENTRY: usize = 12;

/// Why bytes are not a valid program file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset:#x}: {kind}")]
pub struct FileError {
    /// Byte offset in the file.
    pub offset: usize,
    /// What is wrong there.
    pub kind: FileErrorKind,
}

/// The kinds of error in a program file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileErrorKind {
    /// The magic number is missing.
    #[error("this is not a bytecode file")]
    Magic,
    /// The format version is not supported.
    #[error("unsupported version {0}: only version {VERSION} is supported")]
    Version(u32),
    /// The checksum does not match.
    #[error("the checksum is wrong: the file is damaged")]
    Checksum,
    /// The file ends too early.
    #[error("the file ends in the middle of {0}")]
    Truncated(&'static str),
    /// A section is missing, duplicated or at the wrong offset.
    #[error("the section table is invalid")]
    Sections,
    /// A section has bytes after its contents.
    #[error("there are trailing bytes in {0}")]
    LeftOver(&'static str),
    /// Text that is not UTF-8.
    #[error("invalid UTF-8")]
    Text,
    /// An unknown type number.
    #[error("{0} is not a type")]
    Type(u32),
    /// The verifier rejects the program. The offset is that of the word or section.
    #[error("{0}")]
    Verify(#[from] VerifyError),
}

/// Declares the sections: name and field of [`Bytecode`].
macro_rules! sections {
    ($($name:literal $field:ident;)*) => {
        const SECTIONS: &[&str] = &[$($name,)*];

        fn write_sections(program: &Bytecode) -> Vec<Vec<u8>> {
            vec![$({
                let mut bytes = Writer::default();
                program.$field.write(&mut bytes);
                bytes.0
            },)*]
        }

        fn read_sections(readers: &mut [Reader<'_>]) -> Result<Bytecode, FileError> {
            let mut readers = readers.iter_mut();
            $(let $field = match readers.next() {
                Some(reader) => reader.whole()?,
                None => return Err(FileError { offset: HEADER, kind: FileErrorKind::Sections }),
            };)*
            Ok(Bytecode { $($field,)* })
        }
    };
}

sections! {
    "code" code;
    "functions" functions;
    "types" types;
    "memories" memories;
    "tables" tables;
    "globals" globals;
    "data" data;
    "elements" elements;
    "exports" exports;
    "inits" inits;
    "stack pointer" stack_pointer;
    "statics" statics;
    "debug" debug;
}

impl Bytecode {
    /// Serializes the program.
    pub fn to_bytes(&self) -> Vec<u8> {
        let sections = write_sections(self);
        let mut body = Writer::default();
        body.word(sections.len() as u32);
        let mut offset = HEADER + ENTRY * sections.len();
        for (kind, section) in sections.iter().enumerate() {
            for number in [kind, offset, section.len()] {
                body.word(number as u32);
            }
            offset += section.len();
        }
        for section in &sections {
            body.0.extend(section);
        }
        let mut file = Writer::default();
        file.0.extend(MAGIC);
        file.word(VERSION);
        file.word(crc32fast::hash(&body.0));
        file.0.extend(body.0);
        file.0
    }

    /// Reads and verifies a program file.
    ///
    /// # Errors
    ///
    /// With its offset, if the bytes are not a file of this version or the program is invalid.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let mut header = Reader::new(bytes, 0..bytes.len(), "the header");
        if header.bytes(4).ok() != Some(&MAGIC) {
            return Err(FileError {
                offset: 0,
                kind: FileErrorKind::Magic,
            });
        }
        let version = header.word()?;
        if version != VERSION {
            return Err(FileError {
                offset: 4,
                kind: FileErrorKind::Version(version),
            });
        }
        let checksum = header.word()?;
        if checksum != crc32fast::hash(bytes.get(12..).unwrap_or_default()) {
            return Err(FileError {
                offset: 8,
                kind: FileErrorKind::Checksum,
            });
        }
        let mut readers = table(&mut header)?;
        let starts: Vec<usize> = readers.iter().map(|reader| reader.at).collect();
        let program = read_sections(&mut readers)?;
        verify(&program).map_err(|error| FileError {
            offset: place_in_file(&error, &starts),
            kind: error.into(),
        })?;
        Ok(program)
    }
}

/// Byte offset of a verification error: that of its code word, or else of its section.
fn place_in_file(error: &VerifyError, starts: &[usize]) -> usize {
    use super::verify::ErrorLocation;
    let section = |name| {
        let number = SECTIONS.iter().position(|&section| section == name);
        number
            .and_then(|number| starts.get(number))
            .copied()
            .unwrap_or(0)
    };
    match error.location {
        // After the length of the code.
        ErrorLocation::Word(word) => section("code") + 4 + 4 * word as usize,
        ErrorLocation::Part(part) => section(part),
        ErrorLocation::Element(what, _) => section(match what {
            "function" => "functions",
            "type" => "types",
            "memory" => "memories",
            "table" => "tables",
            "element segment" => "elements",
            "init" => "inits",
            "export" => "exports",
            _ => "debug",
        }),
    }
}

/// Reads the section table: one reader for each section. The sections must fill the file in order.
fn table<'a>(header: &mut Reader<'a>) -> Result<Vec<Reader<'a>>, FileError> {
    let wrong = |offset| FileError {
        offset,
        kind: FileErrorKind::Sections,
    };
    let at = header.at;
    if header.word()? as usize != SECTIONS.len() {
        return Err(wrong(at));
    }
    let mut expected = HEADER + ENTRY * SECTIONS.len();
    let mut readers = Vec::new();
    for (kind, name) in SECTIONS.iter().enumerate() {
        let at = header.at;
        let [found, offset, len] = [header.word()?, header.word()?, header.word()?];
        let end = (offset as usize)
            .checked_add(len as usize)
            .filter(|&end| end <= header.all.len());
        let (true, true, Some(end)) = (found as usize == kind, offset as usize == expected, end)
        else {
            return Err(wrong(at));
        };
        readers.push(Reader::new(header.all, expected..end, name));
        expected = end;
    }
    if expected == header.all.len() {
        Ok(readers)
    } else {
        Err(FileError {
            offset: expected,
            kind: FileErrorKind::LeftOver("the file"),
        })
    }
}

/// A cursor over a part of a file.
struct Reader<'a> {
    all: &'a [u8],
    at: usize,
    end: usize,
    part: &'static str,
}

impl<'a> Reader<'a> {
    fn new(all: &'a [u8], range: std::ops::Range<usize>, part: &'static str) -> Self {
        Self {
            all,
            at: range.start,
            end: range.end,
            part,
        }
    }

    fn bytes(&mut self, count: usize) -> Result<&'a [u8], FileError> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.end);
        let bytes = end
            .and_then(|end| self.all.get(self.at..end))
            .ok_or(FileError {
                offset: self.at,
                kind: FileErrorKind::Truncated(self.part),
            })?;
        self.at += count;
        Ok(bytes)
    }

    fn word(&mut self) -> Result<u32, FileError> {
        let bytes = self.bytes(4)?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u32::from(byte)))
    }

    /// Decodes this part as one value; trailing bytes are an error.
    fn whole<T: Serialize>(&mut self) -> Result<T, FileError> {
        let value = T::read(self)?;
        if self.at == self.end {
            Ok(value)
        } else {
            Err(FileError {
                offset: self.at,
                kind: FileErrorKind::LeftOver(self.part),
            })
        }
    }
}

#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn word(&mut self, word: u32) {
        self.0.extend(word.to_le_bytes());
    }
}

/// A value that files contain.
trait Serialize: Sized {
    fn read(from: &mut Reader<'_>) -> Result<Self, FileError>;
    fn write(&self, to: &mut Writer);
}

impl Serialize for u32 {
    fn read(from: &mut Reader<'_>) -> Result<Self, FileError> {
        from.word()
    }

    fn write(&self, to: &mut Writer) {
        to.word(*self);
    }
}

impl<T: Serialize> Serialize for Vec<T> {
    fn read(from: &mut Reader<'_>) -> Result<Self, FileError> {
        let len = from.word()?;
        // Each element takes at least one word, so a corrupt length fails at the end of the bytes.
        (0..len).map(|_| T::read(from)).collect()
    }

    fn write(&self, to: &mut Writer) {
        to.word(self.len() as u32);
        for element in self {
            element.write(to);
        }
    }
}

/// A presence flag, then the number or 0.
impl Serialize for Option<u32> {
    fn read(from: &mut Reader<'_>) -> Result<Self, FileError> {
        let [is_there, number] = <[u32; 2]>::read(from)?;
        Ok((is_there != 0).then_some(number))
    }

    fn write(&self, to: &mut Writer) {
        [u32::from(self.is_some()), self.unwrap_or(0)].write(to);
    }
}

impl Serialize for [u32; 2] {
    fn read(from: &mut Reader<'_>) -> Result<Self, FileError> {
        Ok([from.word()?, from.word()?])
    }

    fn write(&self, to: &mut Writer) {
        self.iter().for_each(|&word| to.word(word));
    }
}

/// The length in bytes, the bytes, zeros up to a whole word.
impl Serialize for Vec<u8> {
    fn read(from: &mut Reader<'_>) -> Result<Self, FileError> {
        let len = from.word()? as usize;
        let bytes = from.bytes(len)?.to_vec();
        from.bytes(len.wrapping_neg() % 4)?;
        Ok(bytes)
    }

    fn write(&self, to: &mut Writer) {
        write_bytes(self, to);
    }
}

fn write_bytes(bytes: &[u8], to: &mut Writer) {
    to.word(bytes.len() as u32);
    to.0.extend(bytes);
    to.0.resize(to.0.len().next_multiple_of(4), 0);
}

impl Serialize for String {
    fn read(from: &mut Reader<'_>) -> Result<Self, FileError> {
        let offset = from.at + 4;
        let bytes = Vec::<u8>::read(from)?;
        Self::from_utf8(bytes).map_err(|error| FileError {
            offset: offset + error.utf8_error().valid_up_to(),
            kind: FileErrorKind::Text,
        })
    }

    fn write(&self, to: &mut Writer) {
        write_bytes(self.as_bytes(), to);
    }
}

/// Types by their number in files.
const TYPES: [Type; 6] = [
    Type::I32,
    Type::I64,
    Type::F32,
    Type::F64,
    Type::FuncRef,
    Type::ExternRef,
];

impl Serialize for Type {
    fn read(from: &mut Reader<'_>) -> Result<Self, FileError> {
        let offset = from.at;
        let number = from.word()?;
        let ty = TYPES.get(number as usize).copied();
        ty.ok_or(FileError {
            offset,
            kind: FileErrorKind::Type(number),
        })
    }

    fn write(&self, to: &mut Writer) {
        let number = TYPES.iter().position(|ty| ty == self);
        to.word(number.unwrap_or_default() as u32);
    }
}

/// Serialization of a struct: its fields in order.
macro_rules! stored {
    ($($ty:ident { $($member:ident),* })*) => { $(
        impl Serialize for $ty {
            fn read(from: &mut Reader<'_>) -> Result<Self, FileError> {
                Ok(Self { $($member: Serialize::read(from)?,)* })
            }

            fn write(&self, to: &mut Writer) {
                $(self.$member.write(to);)*
            }
        }
    )* };
}

stored! {
    Function { entry, end, frame, type_index }
    FunctionType { params, results }
    Limits { initial, maximum }
    Export { module, name, function, launch }
    Debug { names, positions }
    Position { word, name, offset }
}
