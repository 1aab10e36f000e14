//! Fragment dispatches: quads, derivatives, helpers.

use std::sync::Mutex;

use anywarp_dispatch::{
    DispatchError, DispatchOptions, Schedule, discard, dispatch_fragments, dispatch_image,
    dispatch_workgroups, dpdx, dpdx_coarse, dpdx_fine, dpdy, dpdy_coarse, dpdy_fine, fwidth,
    fwidth_coarse, fwidth_fine, is_helper, quad_broadcast, quad_swap_diagonal, quad_swap_x,
    quad_swap_y, workgroup_barrier,
};
use glam::{IVec3, UVec3, Vec2, Vec3, Vec4};

fn ways() -> impl Iterator<Item = DispatchOptions> {
    let schedules = std::iter::once(Schedule::InOrder).chain((0..100).map(Schedule::Random));
    schedules.enumerate().map(|(i, schedule)| {
        DispatchOptions::default()
            .threads(1 + i % 3)
            .schedule(schedule)
    })
}

#[test]
fn dpdx_linear_ramp() {
    let results = dispatch_fragments(4, 4, |x, _| x as f32, |_, v| (dpdx(v), dpdy(v)));
    assert!(results.iter().flatten().all(|r| *r == Some((1.0, 0.0))));
}

#[test]
fn dpdy_linear_ramp() {
    let results = dispatch_fragments(4, 4, |_, y| y as f32, |_, v| (dpdx(v), dpdy(v)));
    assert!(results.iter().flatten().all(|r| *r == Some((0.0, 1.0))));
}

#[test]
fn fwidth_diagonal() {
    let results = dispatch_fragments(4, 4, |x, y| (x + y) as f32, |_, v| fwidth(v));
    assert!(results.iter().flatten().all(|r| *r == Some(2.0)));
}

#[test]
fn coarse_and_fine_differ_where_rows_do() {
    for options in ways() {
        // x * y: the horizontal difference is y, the vertical one x.
        let results = options
            .fragments(
                6,
                4,
                |x, y| (x * y) as f32,
                |_, v| {
                    let fine = [dpdx_fine(v), dpdy_fine(v), fwidth_fine(v)];
                    let coarse = [dpdx_coarse(v), dpdy_coarse(v), fwidth_coarse(v)];
                    let plain = [dpdx(v), dpdy(v), fwidth(v)];
                    (fine, coarse, plain)
                },
            )
            .unwrap();
        for (y, row) in results.iter().enumerate() {
            for (x, result) in row.iter().enumerate() {
                let (fine, coarse, plain) = result.unwrap();
                let (x, y) = (x as f32, y as f32);
                assert_eq!(fine, [y, x, x + y]);
                let (cx, cy) = ((x / 2.0).floor() * 2.0, (y / 2.0).floor() * 2.0);
                assert_eq!(coarse, [cy, cx, cx + cy]);
                assert_eq!(plain, fine);
            }
        }
    }
}

#[test]
fn vectors_have_derivatives_by_component() {
    let results = dispatch_fragments(
        2,
        2,
        |x, y| Vec2::new(x as f32, y as f32),
        |_, v| {
            let three = Vec3::new(v.x, 3.0 * v.y, 5.0);
            let four = Vec4::new(v.x, v.y, 2.0 * v.x, -v.y);
            (dpdx(v), dpdy(three), fwidth(four))
        },
    );
    for result in results.iter().flatten() {
        let (two, three, four) = result.unwrap();
        assert_eq!(two, Vec2::new(1.0, 0.0));
        assert_eq!(three, Vec3::new(0.0, 3.0, 0.0));
        assert_eq!(four, Vec4::new(1.0, 1.0, 2.0, 1.0));
    }
}

#[test]
fn odd_sizes_are_filled_up_with_helpers() {
    for (width, height) in [(1, 1), (1, 7), (5, 3), (2, 2), (7, 1)] {
        for options in ways() {
            let helpers = Mutex::new(Vec::new());
            let results = options
                .fragments(
                    width,
                    height,
                    |x, y| (x, y),
                    |builtins, (x, y)| {
                        assert_eq!(builtins.position.x, x as f32 + 0.5);
                        assert_eq!(builtins.position.y, y as f32 + 0.5);
                        if is_helper() {
                            helpers.lock().unwrap().push((x, y));
                        }
                        (x, y, dpdx(builtins.position.x), dpdy(builtins.position.y))
                    },
                )
                .unwrap();
            assert_eq!(results.len(), height as usize);
            for (y, row) in results.iter().enumerate() {
                assert_eq!(row.len(), width as usize);
                for (x, result) in row.iter().enumerate() {
                    assert_eq!(*result, Some((x as u32, y as u32, 1.0, 1.0)));
                }
            }
            let mut helpers = helpers.into_inner().unwrap();
            helpers.sort_unstable();
            let padded = |n: u32| n.next_multiple_of(2);
            let mut expected = Vec::new();
            for x in 0..padded(width) {
                for y in 0..padded(height) {
                    if x >= width || y >= height {
                        expected.push((x, y));
                    }
                }
            }
            assert_eq!(helpers, expected);
        }
    }
}

#[test]
fn fragment_builtins() {
    let results = dispatch_fragments(3, 2, |x, y| (x, y), |builtins, at| (builtins, at));
    for (builtins, (x, y)) in results.iter().flatten().flatten() {
        let position = Vec4::new(*x as f32 + 0.5, *y as f32 + 0.5, 0.0, 1.0);
        assert_eq!(builtins.position, position);
        assert!(builtins.front_facing);
        assert_eq!((builtins.sample_index, builtins.sample_mask), (0, 1));
    }
}

#[test]
fn a_fragment_that_panics_ends_the_dispatch() {
    for options in ways() {
        let result = options.fragments(
            6,
            6,
            |x, y| (x, y),
            |_, at| {
                let width = fwidth(1.0);
                if at == (3, 4) {
                    std::panic::resume_unwind(Box::new("the fragment's own words"));
                }
                width + fwidth(2.0)
            },
        );
        let error = result.unwrap_err();
        let DispatchError::Panicked { invocation, panic } = &error else {
            panic!("{error}");
        };
        assert_eq!(*invocation, UVec3::new(3, 4, 0));
        assert_eq!(panic.message(), "the fragment's own words");
    }
}

#[test]
fn a_discarded_fragment_goes_on_helping() {
    for options in ways() {
        let results = options
            .fragments(
                4,
                4,
                |x, y| (x, y),
                |_, (x, y)| {
                    if (x + y) % 2 == 0 {
                        discard();
                        assert!(is_helper());
                    }
                    dpdx(x as f32 * 3.0)
                },
            )
            .unwrap();
        for (y, row) in results.iter().enumerate() {
            for (x, result) in row.iter().enumerate() {
                let expected = ((x + y) % 2 == 1).then_some(3.0);
                assert_eq!(*result, expected);
            }
        }
    }
}

#[test]
fn a_fragment_that_returns_early_holds_nobody_up() {
    for options in ways() {
        let results = options
            .fragments(
                4,
                2,
                |x, y| (x, y),
                |_, (x, y)| {
                    let first = dpdx(x as f32);
                    if (x, y) == (1, 0) {
                        return (first, 100.0);
                    }
                    // Its neighbour now differs from the last value it published, which is 1.
                    (first, dpdx(x as f32 * 10.0))
                },
            )
            .unwrap();
        assert_eq!(results[0][0], Some((1.0, 1.0 - 0.0)));
        assert_eq!(results[0][1], Some((1.0, 100.0)));
        assert_eq!(results[1][0], Some((1.0, 10.0)));
        assert_eq!(results[0][2], Some((1.0, 10.0)));
    }
}

#[test]
fn a_fragment_that_left_no_value_does_not_differ() {
    for options in ways() {
        let results = options
            .fragments(
                2,
                2,
                |x, _| x,
                |_, x| if x == 1 { -1.0 } else { fwidth(7.5) },
            )
            .unwrap();
        assert_eq!(results[0], [Some(0.0), Some(-1.0)]);
        assert_eq!(results[1], [Some(0.0), Some(-1.0)]);
    }
}

#[test]
fn derivatives_that_diverge_are_named() {
    for options in ways() {
        let first_line = line!() + 3;
        let shader = |x: f32| {
            if x > 0.5 {
                return dpdx(x);
            }
            dpdx(2.0 * x)
        };
        let result = options.fragments(2, 2, |x, _| x as f32, |_, x| shader(x));
        let error = result.unwrap_err();
        let DispatchError::DifferentQuadOperations {
            first_location,
            second_location,
            ..
        } = &error
        else {
            panic!("{error}");
        };
        let mut lines = [first_location.line(), second_location.line()];
        lines.sort_unstable();
        assert_eq!(lines, [first_line, first_line + 2]);
    }
}

#[test]
fn quad_operations() {
    for options in ways() {
        let results = options
            .fragments(
                2,
                2,
                |x, y| x + 2 * y,
                |_, member| {
                    let value = UVec3::splat(member * 10);
                    (
                        quad_swap_x(member),
                        quad_swap_y(value).z,
                        quad_swap_diagonal(-(member as i32)),
                        quad_broadcast(IVec3::new(0, -(member as i32), 1), 2).y,
                        quad_broadcast(member == 1, 1),
                    )
                },
            )
            .unwrap();
        for (member, result) in (0u32..).zip(results.iter().flatten()) {
            let expected = (
                member ^ 1,
                (member ^ 2) * 10,
                -((member ^ 3) as i32),
                -2,
                true,
            );
            assert_eq!(*result, Some(expected));
        }
    }
}

#[test]
fn a_picture_is_filled_in_place() {
    for options in ways() {
        let mut pixels = vec![-1.0f32; 7 * 5];
        options
            .image(7, &mut pixels, |builtins| {
                if builtins.position.x < 1.0 {
                    discard();
                }
                fwidth(builtins.position.x * builtins.position.y)
            })
            .unwrap();
        for (i, &pixel) in pixels.iter().enumerate() {
            let (x, y) = ((i % 7) as f32 + 0.5, (i / 7) as f32 + 0.5);
            assert_eq!(pixel, if x < 1.0 { -1.0 } else { x + y });
        }
    }
    let mut none: [u8; 0] = [];
    dispatch_image(0, &mut none, |_| 1);
}

#[test]
fn outside_of_a_quad_derivatives_are_zero() {
    assert_eq!(dpdx(5.0) + dpdy(5.0) + fwidth(5.0), 0.0);
    assert_eq!(quad_swap_x(5), 5);
    assert!(!is_helper());
    discard();
    dispatch_workgroups((1, 1, 1), (4, 1, 1), |builtins| {
        assert_eq!(dpdx(builtins.local_invocation_index as f32), 0.0);
    });
}

#[test]
#[should_panic(expected = "a fragment has no workgroup")]
fn a_workgroup_barrier_in_a_fragment() {
    dispatch_fragments(2, 2, |_, _| (), |_, ()| workgroup_barrier());
}

#[test]
fn only_one_quad_can_run() {
    let options = DispatchOptions::default().only(UVec3::new(3, 2, 0));
    let results = options.fragments(5, 5, |x, y| (x, y), |_, at| at).unwrap();
    for (y, row) in results.iter().enumerate() {
        for (x, result) in row.iter().enumerate() {
            let inside = (2..4).contains(&x) && (2..4).contains(&y);
            assert_eq!(*result, inside.then_some((x as u32, y as u32)));
        }
    }
}
