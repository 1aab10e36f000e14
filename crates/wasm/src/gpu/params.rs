//! What the kernel is told in a uniform buffer: where everything lies, and the launch's sizes.
//!
//! One list makes both the Rust structure and the WGSL one, so they cannot part.

macro_rules! params {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// All of it, words.
        #[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
        #[repr(C)]
        pub(super) struct Params { $($(#[$doc])* pub(super) $name: u32,)* }

        /// The same in WGSL.
        pub(super) const WGSL: &str = concat!("struct Params {\n", $("    ", stringify!($name), ": u32,\n",)* "}\n");
    };
}

params! {
    /// Threads of the wave.
    count,
    /// Rounds of loops that an invocation may make at most, roughly.
    slice,
    // Where things lie in a thread's words.
    sizes,
    dropped,
    globals,
    tables,
    stack,
    stack_slots,
    // Where things lie in the program's words.
    functions,
    segments,
    data_segments,
    table_places,
    // Memories.
    memories,
    /// Pages of one thread that there is room for in all memories together.
    room,
    /// Pages of one thread that the device can have room for.
    most_room,
    // The grid.
    groups_x,
    groups_y,
    groups_z,
    size_x,
    size_y,
    size_z,
    group_threads,
    first_group,
    threads,
    // Where things lie in the world.
    memory_rows,
    shared_sizes,
    set_up,
    set_up_words,
    arguments,
    argument_words,
    clock,
    state,
    state_words,
    input,
    input_words,
    picture,
    picture_pixels,
    picture_width,
    picture_height,
    buffers,
    buffer_count,
    group_memory,
    group_words,
    statics,
    queue,
    queue_room,
    ring,
    // How threads begin.
    entry,
    fuel_low,
    fuel_high,
    has_fuel,
    stack_bytes,
    stack_pointer,
    stacks,
}
