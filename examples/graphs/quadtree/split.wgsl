// One invocation for each cell: either four smaller cells or a leaf.
fn split() {
    let corner = load_input_corner();
    let size = load_input_size();
    let side = side_of(corner, size);
    if side == 0 && is_valid_quarter() {
        let half = size / 2u;
        let quarters = alloc_thread_quarter(4u);
        for (var i = 0u; i < 4u; i++) {
            store_quarter_corner(quarters, i, corner + half * vec2<u32>(i % 2u, i / 2u));
            store_quarter_size(quarters, i, half);
        }
        complete_quarter(quarters);
        return;
    }
    let leaf = alloc_thread_leaf(1u);
    store_leaf_corner(leaf, 0u, corner);
    store_leaf_side(leaf, 0u, side);
    store_leaf_grid(leaf, 0u, vec2<u32>(size / 8u));
    complete_leaf(leaf);
}
