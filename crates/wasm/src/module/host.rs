//! The host interface: the functions that kernels can import from module `gpu` or `env`.
//!
//! [`Host`] numbers the host functions that have no opcode of their own; [`import`] resolves an
//! import by name. Arguments lie in consecutive slots; the result replaces the first.

use super::Type;

/// What an import names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HostFunction {
    /// The linear index of the thread.
    ThreadId,
    /// The time of the launch.
    Time,
    /// A word of the input.
    ReadInput,
    /// An atomic addition to a word of the state.
    AtomicAdd,
    /// Position and colour of a pixel: [`Host::PixelIndex`] is its first half.
    SetPixel,
    /// A host function that has a number.
    Numbered(Host),
}

/// A host function that kernels can import.
#[derive(Clone, Copy, Debug)]
pub struct Import {
    /// Field name of the import; the module is `gpu` or `env`.
    pub name: &'static str,
    /// Parameter types.
    pub params: &'static [Type],
    /// Result type, if there is one.
    pub result: Option<Type>,
    /// The function.
    pub function: HostFunction,
}

/// The module names that kernels import from.
pub const IMPORT_MODULES: [&str; 2] = ["gpu", "env"];

/// The import with this name and number of parameters. `read_file` and `write_file` have two
/// variants: with the length of the path, and with a null-terminated path.
pub fn import(name: &str, parameters: usize) -> Option<&'static Import> {
    let mut named = imports().filter(|import| import.name == name);
    let first = named.next()?;
    let fits = |import: &&Import| import.params.len() == parameters;
    Some(named.find(fits).unwrap_or(first))
}

/// Declares [`Host`] and the imports that call it.
macro_rules! host {
    ($($number:literal $host:ident $(= $import:literal ($($param:ident),*) $(-> $result:ident)?)? : $doc:literal;)*) => {
        /// A host function, by number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum Host { $(#[doc = $doc] $host = $number,)* }

        impl Host {
            /// All host functions.
            pub const ALL: &[Self] = &[$(Self::$host,)*];

            /// The host function with a number.
            pub const fn from_number(number: u16) -> Option<Self> {
                match number { $($number => Some(Self::$host),)* _ => None }
            }
        }

        const HOST_IMPORTS: &[Import] = &[$($(Import {
            name: $import,
            params: &[$(Type::$param),*],
            result: host!(@result $($result)?),
            function: HostFunction::Numbered(Host::$host),
        },)?)*];
    };
    (@result) => { None };
    (@result $result:ident) => { Some(Type::$result) };
}

host! {
    0 PixelIndex : "Index of pixel (x, y), or `u32::MAX` outside the picture.";
    1 ReadState = "read_state" (I32) -> I32 : "Reads a word of the state; 0 out of bounds.";
    2 WriteState = "write_state" (I32, I32) : "Writes a word of the state.";
    3 ReadFile = "read_file" (I32, I32, I32, I32) -> I32 : "Reads a file: path, its length, buffer, its length. Returns the bytes read or an error code.";
    4 WriteFile = "write_file" (I32, I32, I32, I32) -> I32 : "Writes a file, with the same parameters.";
    5 ReadFileZ = "read_file" (I32, I32, I32) -> I32 : "Reads a file: null-terminated path, buffer, its length.";
    6 WriteFileZ = "write_file" (I32, I32, I32) -> I32 : "Writes a file, with the same parameters.";
    7 Print = "print" (I32, I32) : "Prints text.";
    8 Panic = "panic" (I32, I32) : "Traps with a message.";
    9 GlobalId = "global_invocation_id" (I32) -> I32 : "A component of the thread's position in the grid.";
    10 LocalId = "local_invocation_id" (I32) -> I32 : "A component of its position in the workgroup.";
    11 WorkgroupId = "workgroup_id" (I32) -> I32 : "A component of the workgroup's position in the grid.";
    12 NumWorkgroups = "num_workgroups" (I32) -> I32 : "A component of the number of workgroups.";
    13 WorkgroupSize = "workgroup_size" (I32) -> I32 : "A component of the workgroup's size.";
    14 LocalIndex = "local_invocation_index" () -> I32 : "The thread's index in the workgroup.";
    15 WorkgroupBarrier = "workgroup_barrier" () : "Waits for all threads of the workgroup.";
    16 StorageBarrier = "storage_barrier" () : "The same.";
    17 WorkgroupLoad = "workgroup_load" (I32) -> I32 : "Reads a word of workgroup memory, at the address of the static variable that names it.";
    18 WorkgroupStore = "workgroup_store" (I32, I32) : "Writes a word of workgroup memory.";
    19 WorkgroupAtomic = "workgroup_atomic" (I32, I32, I32) -> I32 : "Operation, address, value. Returns the old value.";
    20 WorkgroupCompareExchange = "workgroup_compare_exchange" (I32, I32, I32) -> I32 : "Address, expected, new. Returns the old value.";
    21 BufferLen = "buffer_len" (I32) -> I32 : "Words of the buffer at a binding, `group << 16 | binding`; 0 if there is none.";
    22 BufferLoad = "buffer_load" (I32, I32) -> I32 : "Binding, word. Returns 0 out of bounds.";
    23 BufferStore = "buffer_store" (I32, I32, I32) : "Binding, word, value.";
    24 BufferAtomic = "buffer_atomic" (I32, I32, I32, I32) -> I32 : "Operation, binding, word, value. Returns the old value.";
    25 BufferCompareExchange = "buffer_compare_exchange" (I32, I32, I32, I32) -> I32 : "Binding, word, expected, new. Returns the old value.";
    26 QueuePop = "queue_pop" () -> I32 : "Takes a work item, waiting for one; -1 when the queue is closed and empty.";
    27 QueuePush = "queue_push" (I32) -> I32 : "Adds a work item, which must not be negative. Returns 1, or 0 if the queue is full.";
    28 MemoryAtomic = "memory_atomic" (I32, I32, I32) -> I32 : "Operation, aligned address in memory 0, value. Returns the old value.";
    29 MemoryCompareExchange = "memory_compare_exchange" (I32, I32, I32) -> I32 : "Address, expected, new. Returns the old value.";
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
        function: HostFunction::SetPixel,
    },
    Import {
        name: "get_thread_id",
        params: &[],
        result: Some(Type::I32),
        function: HostFunction::ThreadId,
    },
    Import {
        name: "get_time",
        params: &[],
        result: Some(Type::F32),
        function: HostFunction::Time,
    },
    Import {
        name: "read_input",
        params: &[Type::I32],
        result: Some(Type::I32),
        function: HostFunction::ReadInput,
    },
    Import {
        name: "atomic_add",
        params: &[Type::I32, Type::I32],
        result: Some(Type::I32),
        function: HostFunction::AtomicAdd,
    },
];

/// All imports that kernels may have.
pub fn imports() -> impl Iterator<Item = &'static Import> {
    OWN_IMPORTS.iter().chain(HOST_IMPORTS)
}
