//! Multiplies two matrices tile by tile: a workgroup loads a tile of each into workgroup memory,
//! where every number is then used sixteen times.
//!
//! `cargo run --release -p gpu-sdk --example tiled_product`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use gpu_sdk::{ComputeBuiltins, HostBuffer, dispatch_workgroups, workgroup, workgroup_barrier};

/// Rows and columns of the matrices.
const SIDE: usize = 256;
/// Rows and columns of a tile: one invocation for each of its numbers.
const TILE: usize = 16;

workgroup! {
    static A_TILE: [f32; TILE * TILE];
    static B_TILE: [f32; TILE * TILE];
}

/// The kernel: one number of the product for each invocation.
fn multiply(
    builtins: ComputeBuiltins,
    a: &HostBuffer<f32>,
    b: &HostBuffer<f32>,
    product: &HostBuffer<f32>,
) {
    let [column, row, _] = builtins.global_invocation_id.to_array().map(|n| n as usize);
    let [x, y, _] = builtins.local_invocation_id.to_array().map(|n| n as usize);
    let mut sum = 0.0;
    for first in (0..SIDE).step_by(TILE) {
        A_TILE.store(y * TILE + x, a.load(row * SIDE + first + x));
        B_TILE.store(y * TILE + x, b.load((first + y) * SIDE + column));
        // Nobody reads the tiles before they are full ..
        workgroup_barrier();
        for k in 0..TILE {
            sum += A_TILE.load(y * TILE + k) * B_TILE.load(k * TILE + x);
        }
        // .. and nobody fills them again before all have read.
        workgroup_barrier();
    }
    product.store(row * SIDE + column, sum);
}

/// The same without tiles, for comparison.
fn plain_product(a: &[f32], b: &[f32]) -> Vec<f32> {
    let at = |row: usize, column: usize| {
        (0..SIDE).map(move |k| a[row * SIDE + k] * b[k * SIDE + column])
    };
    let places = (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (row, column)));
    places.map(|(row, column)| at(row, column).sum()).collect()
}

fn main() {
    // Small whole numbers, so that every sum is exact in any order.
    let numbers = |step: usize| (0..SIDE * SIDE).map(move |i| (i * step % 11) as f32 - 5.0);
    let (a, b): (Vec<_>, Vec<_>) = (numbers(7).collect(), numbers(5).collect());
    let product = HostBuffer::new(SIDE * SIDE);
    let (a_buffer, b_buffer) = (HostBuffer::from_slice(&a), HostBuffer::from_slice(&b));
    let tiles = (SIDE / TILE) as u32;
    dispatch_workgroups(
        (tiles, tiles, 1),
        (TILE as u32, TILE as u32, 1),
        |builtins| {
            multiply(builtins, &a_buffer, &b_buffer, &product);
        },
    );
    let product = product.to_vec();
    println!("{SIDE}x{SIDE} product begins with {:?}", &product[..6]);
    assert_eq!(product, plain_product(&a, &b));
    println!("a plain loop agrees");
}

#[test]
fn the_product_is_right() {
    main();
}
