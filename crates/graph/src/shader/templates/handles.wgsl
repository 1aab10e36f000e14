var<private> aw_opened_so_far: u32;
var<private> aw_open: array<u32, $WORDS>;
fn aw_opened() -> u32 {
    let id = aw_opened_so_far;
    aw_opened_so_far = id + 1u;
    if id < $WORDSu * 32u { aw_open[id / 32u] |= 1u << (id % 32u); }
    return id;
}
fn aw_is_open(id: u32) -> bool {
    if id >= $WORDSu * 32u { return false; }
    return ((aw_open[id / 32u] >> (id % 32u)) & 1u) == 1u;
}
// Whether it was open.
fn aw_closed(id: u32) -> bool {
    let was_open = aw_is_open(id);
    if was_open { aw_open[id / 32u] &= ~(1u << (id % 32u)); }
    return was_open;
}
fn aw_still_open() -> u32 {
    var open = 0u;
    for (var i = 0u; i < $WORDSu; i++) { open += countOneBits(aw_open[i]); }
    return open;
}
