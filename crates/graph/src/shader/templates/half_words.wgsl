//: if atomic
fn aw_store(at: u32, value: u32) { atomicStore(&aw_arena[at], value); }
fn aw_load_half(at: u32, byte: u32) -> u32 {
    return (atomicLoad(&aw_arena[at + byte / 4u]) >> (8u * (byte % 4u))) & 0xffffu;
}
fn aw_store_half(at: u32, byte: u32, value: u32) {
    let shift = 8u * (byte % 4u);
    atomicAnd(&aw_arena[at + byte / 4u], ~(0xffffu << shift));
    atomicOr(&aw_arena[at + byte / 4u], (value & 0xffffu) << shift);
}
//: else
fn aw_store(at: u32, value: u32) { aw_arena[at] = value; }
fn aw_load_half(at: u32, byte: u32) -> u32 {
    return (aw_arena[at + byte / 4u] >> (8u * (byte % 4u))) & 0xffffu;
}
fn aw_store_half(at: u32, byte: u32, value: u32) {
    let shift = 8u * (byte % 4u);
    let other = aw_arena[at + byte / 4u] & ~(0xffffu << shift);
    aw_arena[at + byte / 4u] = other | ((value & 0xffffu) << shift);
}
//: end
