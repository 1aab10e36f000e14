//! The dispatch functions under this crate's names, together with its types.

use gpu_sdk::{
    HostBuffer, Vec3u, Vec4f, dispatch_fragments, dispatch_workgroups, fwidth, smoothstep, vec2f,
    workgroup, workgroup_barrier,
};

workgroup! {
    static TILE: [u32; 64];
}

#[test]
fn a_reduction() {
    let input: HostBuffer<u32> = (0..1024).collect();
    let sums = HostBuffer::<u32>::new(16);
    dispatch_workgroups((16, 1, 1), (64, 1, 1), |builtins| {
        let id: Vec3u = builtins.global_invocation_id;
        let i = builtins.local_invocation_index as usize;
        TILE.store(i, input.load(id.x));
        let mut half = 32;
        while half > 0 {
            workgroup_barrier();
            if i < half {
                TILE.store(i, TILE.load(i) + TILE.load(i + half));
            }
            half /= 2;
        }
        if i == 0 {
            sums.store(builtins.workgroup_id.x, TILE.load(0));
        }
    });
    assert_eq!(sums.to_vec().iter().sum::<u32>(), (0..1024).sum());
    assert_eq!(sums.load(1), (64..128).sum());
}

/// One trait has all derivatives, and a name for each of them.
#[test]
fn derivatives_are_methods_under_every_name_of_the_trait() {
    fn slope<T: gpu_sdk::DerivativeBuiltinDpdx>(value: T) -> T {
        value.dpdx()
    }
    fn width<T: gpu_sdk::Derivative + gpu_sdk::DerivativeBuiltinFwidth>(value: T) -> T {
        value.fwidth()
    }
    let rows = dispatch_fragments(2, 2, |x, y| (x + 4 * y) as f32, |_, x| (slope(x), width(x)));
    assert_eq!(rows, [[Some((1.0, 5.0)); 2]; 2]);
}

#[test]
#[expect(deprecated, reason = "the former name works on")]
fn the_former_name_of_a_host_buffer_works_on() {
    let numbers = gpu_sdk::StorageBuffer::from_slice(&[1, 2]);
    let _: &HostBuffer<i32> = &numbers;
    assert_eq!(numbers.to_vec(), [1, 2]);
}

#[test]
fn an_antialiased_edge() {
    let picture = dispatch_fragments(
        8,
        2,
        |x, _| x as f32,
        |builtins, x| {
            let position: Vec4f = builtins.position;
            let width = fwidth(vec2f(x, position.y));
            assert_eq!(width, vec2f(1.0, 1.0));
            smoothstep(4.0 - width.x, 4.0 + width.x, x)
        },
    );
    let row: Vec<_> = picture[0].iter().map(|pixel| pixel.unwrap()).collect();
    assert_eq!(row, [0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0]);
}
