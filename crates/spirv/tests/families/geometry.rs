//! Geometric and matrix functions of GLSL.std.450.

use crate::families::assembly::Case;
use crate::families::glsl::{TOLERANCE, is_close};
use crate::families::machine::everywhere;

/// Geometric functions on 3-component vectors and on scalars, which count as vectors of length 1.
#[test]
fn geometry() {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let scaled = |a: &[f32], by: f32| a.iter().map(|a| a * by).collect::<Vec<_>>();
    let minus = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>();
    let (i3, n3, r3) = ([0.6f32, -0.8, 0.1], [0.0f32, 1.0, 0.0], [0.3f32, 0.9, -0.2]);
    let (i1, n1, r1) = ([-0.6f32], [1.0f32], [0.9f32]);
    for (i, n, r) in [
        (&i3[..], &n3[..], &r3[..]),
        (&i1, &n1, &r1),
        (&r1, &i1, &n1),
    ] {
        let ty = if i.len() == 3 { "v3f32" } else { "f32" };
        let check =
            |name: &str, operands: &[&[f32]], types: &[&str], result: &str, expected: &[f32]| {
                let arguments: String = (0..operands.len()).map(|at| format!(" ${at}")).collect();
                let text = format!("OpExtInst $T %glsl {name}{arguments}");
                let case = Case {
                    text: &text,
                    operands: types,
                    result,
                    ..Case::default()
                };
                let bits = operands
                    .iter()
                    .flat_map(|it| it.iter())
                    .map(|it| it.to_bits());
                everywhere(&case, &[bits.collect()], |device, results| {
                    for (is, expected) in results[0].iter().zip(expected) {
                        let shown = f32::from_bits(*is);
                        assert!(
                            is_close(*is, *expected, TOLERANCE),
                            "{name} of {ty} on {device}: {shown}, not {expected}"
                        );
                    }
                });
            };
        check("Length", &[i], &[ty], "f32", &[dot(i, i).sqrt()]);
        let way = minus(i, n);
        check(
            "Distance",
            &[i, n],
            &[ty, ty],
            "f32",
            &[dot(&way, &way).sqrt()],
        );
        let unit = scaled(i, dot(i, i).sqrt().recip());
        check("Normalize", &[i], &[ty], ty, &unit);
        let mirrored = minus(i, &scaled(n, 2.0 * dot(n, i)));
        check("Reflect", &[i, n], &[ty, ty], ty, &mirrored);
        let faced = if dot(r, i) < 0.0 {
            n.to_vec()
        } else {
            scaled(n, -1.0)
        };
        check("FaceForward", &[n, i, r], &[ty, ty, ty], ty, &faced);
        for eta in [0.5f32, 0.9, 5.0] {
            let k = 1.0 - eta * eta * (1.0 - dot(n, i) * dot(n, i));
            let bent = if k < 0.0 {
                vec![0.0; i.len()]
            } else {
                minus(&scaled(i, eta), &scaled(n, eta * dot(n, i) + k.sqrt()))
            };
            check("Refract", &[i, n, &[eta]], &[ty, ty, "f32"], ty, &bent);
        }
    }
    let case = Case {
        text: "OpExtInst $T %glsl Cross $0 $1",
        operands: &["v3f32", "v3f32"],
        result: "v3f32",
        ..Case::default()
    };
    let bits = [1.0f32, 2.0, 3.0, -4.0, 5.0, 0.5]
        .map(f32::to_bits)
        .to_vec();
    everywhere(&case, &[bits], |device, results| {
        assert_eq!(
            results[0],
            [-14.0f32, -12.5, 13.0].map(f32::to_bits),
            "on {device}"
        );
    });
}

/// A matrix times its inverse is the identity, and the product of their determinants is 1.
#[test]
fn inverses_and_determinants() {
    for size in 2..=4usize {
        let vector = format!("v{size}f32");
        let columns: String = (0..size).map(|at| format!(" ${at}")).collect();
        let items: String = (0..size).map(|at| format!(" %d{at}")).collect();
        let pick: String = (0..size)
            .map(|at| {
                format!(
                    "%d{at} = OpCompositeExtract %f32 %one {at} {}\n",
                    (at + 1) % size
                )
            })
            .collect();
        let diagonal: String = (0..size)
            .map(|at| format!("%e{at} = OpCompositeExtract %f32 %one {at} {at}\n"))
            .collect();
        let ones: String = (0..size).map(|at| format!(" %e{at}")).collect();
        let text = format!(
            "%m = OpCompositeConstruct %mat {columns}
            %inverse = OpExtInst %mat %glsl MatrixInverse %m
            %one = OpMatrixTimesMatrix %mat %m %inverse
            {pick}{diagonal}
            %zeros = OpCompositeConstruct %{vector}{items}
            %ones = OpCompositeConstruct %{vector}{ones}
            %dm = OpExtInst %f32 %glsl Determinant %m
            %di = OpExtInst %f32 %glsl Determinant %inverse
            %dd = OpFMul %f32 %dm %di
            %off = OpExtInst %f32 %glsl Length %zeros
            %on = OpDot %f32 %ones %ones
            %r = OpCompositeConstruct $T %off %on %dd"
        );
        let types = format!("%mat = OpTypeMatrix %{vector} {size}");
        let operands = vec![vector.as_str(); size];
        let case = Case {
            text: &text,
            operands: &operands,
            result: "v3f32",
            types: &types,
            ..Case::default()
        };
        let inputs: Vec<f32> = (0..size * size)
            .map(|at| {
                ((at * at * 7 + at * 3) % 11) as f32 - 4.0 + (at % (size + 1) == 0) as u8 as f32
            })
            .collect();
        let bits = inputs.iter().map(|it| it.to_bits()).collect();
        everywhere(&case, &[bits], |device, results| {
            for (is, expected) in results[0].iter().zip([0.0, size as f32, 1.0]) {
                let shown = f32::from_bits(*is);
                assert!(
                    is_close(*is, expected, 1e-3),
                    "{size} by {size}: {shown}, {expected} on {device}"
                );
            }
        });
    }
}
