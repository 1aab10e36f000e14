//! What a kernel can ask its host for: the imports of module `gpu`, or `env`.
//!
//! In: nothing. Out: [`Host`], one for each function that instructions of their own do not cover, and
//! [`import`], which finds what an import means. Arguments lie in consecutive slots; the result takes
//! the place of the first.

use super::Op;

/// The type of an argument or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A 32-bit integer.
    I32,
    /// A 64-bit integer.
    I64,
    /// A 32-bit float.
    F32,
    /// A 64-bit float.
    F64,
    /// A function, or null.
    FuncRef,
    /// Something of the host's, or null.
    ExternRef,
}

impl Type {
    /// How many slots a value of it takes.
    pub const fn slots(self) -> u32 {
        match self {
            Self::I64 | Self::F64 => 2,
            Self::I32 | Self::F32 | Self::FuncRef | Self::ExternRef => 1,
        }
    }

    /// What WebAssembly calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::FuncRef => "funcref",
            Self::ExternRef => "externref",
        }
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What an import is translated to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// An instruction on the argument slots in their order, its result first.
    Op(Op),
    /// [`Host::PixelIndex`] on the first two slots, then [`Op::StOut`] with the four behind them.
    SetPixel,
    /// A call of the host.
    Host(Host),
}

/// An import that kernels may have.
#[derive(Clone, Copy, Debug)]
pub struct Import {
    /// Its name; the module is `gpu` or `env`.
    pub name: &'static str,
    /// What it takes.
    pub params: &'static [Type],
    /// What it gives, if anything.
    pub result: Option<Type>,
    /// What it is translated to.
    pub meaning: Meaning,
}

/// The modules that imports may name.
pub const MODULES: [&str; 2] = ["gpu", "env"];

/// The import of a name, if there is one with these parameters. `read_file` and `write_file` come in
/// two forms, with the path's length and with a path that ends in a zero byte.
pub fn import(name: &str, parameters: usize) -> Option<&'static Import> {
    let mut named = imports().filter(|import| import.name == name);
    let first = named.next()?;
    let fits = |import: &&Import| import.params.len() == parameters;
    Some(named.find(fits).unwrap_or(first))
}

/// Declares [`Host`] and the imports that call it.
macro_rules! host {
    ($($number:literal $host:ident $(= $import:literal ($($param:ident),*) $(-> $result:ident)?)? : $doc:literal;)*) => {
        /// A call of the host, by number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum Host { $(#[doc = $doc] $host = $number,)* }

        impl Host {
            /// Every one of them.
            pub const ALL: &[Self] = &[$(Self::$host,)*];

            /// The one of a number.
            pub const fn from_number(number: u16) -> Option<Self> {
                match number { $($number => Some(Self::$host),)* _ => None }
            }
        }

        const HOST_IMPORTS: &[Import] = &[$($(Import {
            name: $import,
            params: &[$(Type::$param),*],
            result: host!(@result $($result)?),
            meaning: Meaning::Host(Host::$host),
        },)?)*];
    };
    (@result) => { None };
    (@result $result:ident) => { Some(Type::$result) };
}

host! {
    0 PixelIndex : "The number of pixel (x, y), or `u32::MAX` where that lies outside of the picture.";
    1 ReadState = "read_state" (I32) -> I32 : "A word of the state; 0 outside.";
    2 WriteState = "write_state" (I32, I32) : "Writes a word of the state.";
    3 ReadFile = "read_file" (I32, I32, I32, I32) -> I32 : "Path, its length, buffer, its length: bytes read or an error's code.";
    4 WriteFile = "write_file" (I32, I32, I32, I32) -> I32 : "The same for writing.";
    5 ReadFileZ = "read_file" (I32, I32, I32) -> I32 : "Path that ends in a zero byte, buffer, its length.";
    6 WriteFileZ = "write_file" (I32, I32, I32) -> I32 : "The same for writing.";
    7 Print = "print" (I32, I32) : "Shows text.";
    8 Panic = "panic" (I32, I32) : "Ends the thread with a message.";
    9 GlobalId = "global_invocation_id" (I32) -> I32 : "A component of the thread's place in the grid.";
    10 LocalId = "local_invocation_id" (I32) -> I32 : "A component of its place in the workgroup.";
    11 WorkgroupId = "workgroup_id" (I32) -> I32 : "A component of the workgroup's place in the grid.";
    12 NumWorkgroups = "num_workgroups" (I32) -> I32 : "A component of the number of workgroups.";
    13 WorkgroupSize = "workgroup_size" (I32) -> I32 : "A component of the workgroup's size.";
    14 LocalIndex = "local_invocation_index" () -> I32 : "The thread's number in the workgroup.";
    15 WorkgroupBarrier = "workgroup_barrier" () : "Waits for the workgroup.";
    16 StorageBarrier = "storage_barrier" () : "Waits for the workgroup.";
    17 WorkgroupLoad = "workgroup_load" (I32) -> I32 : "A word of workgroup memory, by the address of the static that stands for it.";
    18 WorkgroupStore = "workgroup_store" (I32, I32) : "Writes a word of workgroup memory.";
    19 WorkgroupAtomic = "workgroup_atomic" (I32, I32, I32) -> I32 : "Operation, address, value: the old value.";
    20 WorkgroupCompareExchange = "workgroup_compare_exchange" (I32, I32, I32) -> I32 : "Address, expected, new: the old value.";
    21 BufferLen = "buffer_len" (I32) -> I32 : "Words of the buffer at a binding, `group << 16 | binding`; 0 where there is none.";
    22 BufferLoad = "buffer_load" (I32, I32) -> I32 : "Binding, word: 0 outside.";
    23 BufferStore = "buffer_store" (I32, I32, I32) : "Binding, word, value.";
    24 BufferAtomic = "buffer_atomic" (I32, I32, I32, I32) -> I32 : "Operation, binding, word, value: the old value.";
    25 BufferCompareExchange = "buffer_compare_exchange" (I32, I32, I32, I32) -> I32 : "Binding, word, expected, new: the old value.";
    26 QueuePop = "queue_pop" () -> I32 : "Takes a work item; waits for one; -1 when the queue is closed and empty.";
    27 QueuePush = "queue_push" (I32) -> I32 : "Adds a work item, which is not negative: 1, or 0 if there is no room.";
    28 MemoryAtomic = "memory_atomic" (I32, I32, I32) -> I32 : "Operation, address in memory 0 of a whole word, value: the old value.";
    29 MemoryCompareExchange = "memory_compare_exchange" (I32, I32, I32) -> I32 : "Address, expected, new: the old value.";
}

/// The operations of `workgroup_atomic`, `buffer_atomic` and `memory_atomic`, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[expect(missing_docs, reason = "WGSL's names")]
pub enum AtomicOp {
    Add = 0,
    Sub = 1,
    MinS = 2,
    MinU = 3,
    MaxS = 4,
    MaxU = 5,
    And = 6,
    Or = 7,
    Xor = 8,
    Exchange = 9,
}

const OWN_IMPORTS: &[Import] = &[
    Import {
        name: "set_pixel",
        params: &[
            Type::I32,
            Type::I32,
            Type::F32,
            Type::F32,
            Type::F32,
            Type::F32,
        ],
        result: None,
        meaning: Meaning::SetPixel,
    },
    Import {
        name: "get_thread_id",
        params: &[],
        result: Some(Type::I32),
        meaning: Meaning::Op(Op::Gid),
    },
    Import {
        name: "get_time",
        params: &[],
        result: Some(Type::F32),
        meaning: Meaning::Op(Op::Time),
    },
    Import {
        name: "read_input",
        params: &[Type::I32],
        result: Some(Type::I32),
        meaning: Meaning::Op(Op::LdIn),
    },
    Import {
        name: "atomic_add",
        params: &[Type::I32, Type::I32],
        result: Some(Type::I32),
        meaning: Meaning::Op(Op::AtomicAdd),
    },
];

/// Every import that kernels may have.
pub fn imports() -> impl Iterator<Item = &'static Import> {
    OWN_IMPORTS.iter().chain(HOST_IMPORTS)
}
