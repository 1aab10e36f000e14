//! Subgroup instructions with all lanes active and with some.

use wgpu::Features;

use crate::families::assembly::{Case, words};
use crate::families::machine::{Gpu, gpu};

const LANES: usize = 64;

/// The operands of each lane.
type Make = fn(usize) -> Vec<u32>;

/// A binary reduction operator.
type Combine = fn(u32, u32) -> u32;

struct Subgroups {
    gpu: &'static Gpu,
    size: usize,
}

/// The operands of the lanes of one subgroup.
struct Lanes<'a> {
    values: &'a [Vec<u32>],
    active: &'a [bool],
}

impl Lanes<'_> {
    fn first(&self) -> usize {
        self.active.iter().position(|is| *is).unwrap()
    }

    fn ballot(&self, is: impl Fn(&[u32]) -> bool) -> [u32; 4] {
        let mut ballot = [0; 4];
        for (lane, value) in self.values.iter().enumerate() {
            if self.active[lane] && is(value) {
                ballot[lane / 32] |= 1 << (lane % 32);
            }
        }
        ballot
    }

    /// Reduces the selected active lanes.
    fn fold(
        &self,
        start: u32,
        taken: impl Fn(usize) -> bool,
        with: impl Fn(u32, u32) -> u32,
    ) -> u32 {
        let lanes = (0..self.values.len()).filter(|lane| self.active[*lane] && taken(*lane));
        lanes.fold(start, |so_far, lane| with(so_far, self.values[lane][0]))
    }
}

fn subgroups(what: &str) -> Option<Subgroups> {
    let gpu = gpu(Features::SUBGROUP, what)?;
    let case = Case {
        text: "OpGroupNonUniformIAdd $T %c3 Reduce $0",
        operands: &["u32"],
        result: "u32",
        workgroup: LANES as u32,
        ..Case::default()
    };
    let results = gpu.run(&case, &vec![vec![1]; LANES])?;
    let size = results[0][0] as usize;
    assert!(
        size.is_power_of_two() && size >= 4,
        "subgroups have {size} lanes"
    );
    Some(Subgroups { gpu, size })
}

fn value(lane: usize) -> u32 {
    (lane as u32).wrapping_mul(0x9e37_79b9) >> 3 ^ (lane as u32 % 5)
}

impl Subgroups {
    /// Runs an instruction in all lanes, and in divergent control flow.
    fn check(
        &self,
        text: &str,
        operand: &str,
        result: &str,
        make: impl Fn(usize) -> Vec<u32>,
        expected: impl Fn(&Lanes<'_>, usize) -> Option<Vec<u32>>,
    ) {
        let branch = format!(
            "OpSelectionMerge %end None
            OpBranchConditional $1 %then %end
            %then = OpLabel
            {}
            OpBranch %end
            %end = OpLabel
            %r = OpPhi $T %null %start %x %then",
            if text.contains("%x =") {
                text.to_owned()
            } else {
                format!("%x = {text}")
            }
        );
        let types = format!("%null = OpConstantNull %{result}\n%true = OpConstantTrue %bool");
        let case = Case {
            text: &branch,
            operands: &[operand, "bool"],
            result,
            types: &types,
            workgroup: LANES as u32,
            ..Case::default()
        };
        for pattern in [|_| true, |lane| lane % 3 != 1, |lane| lane % 4 == 2] {
            let active: Vec<bool> = (0..LANES).map(pattern).collect();
            let values: Vec<_> = (0..LANES).map(&make).collect();
            let inputs: Vec<Vec<u32>> = values
                .iter()
                .zip(&active)
                .map(|(value, active)| [&value[..], &[u32::from(*active)]].concat())
                .collect();
            let Some(results) = self.gpu.run(&case, &inputs) else {
                return;
            };
            for lane in 0..LANES {
                let start = lane / self.size * self.size;
                let lanes = Lanes {
                    values: &values[start..start + self.size],
                    active: &active[start..start + self.size],
                };
                let expected = if active[lane] {
                    expected(&lanes, lane - start)
                } else {
                    Some(vec![0; words(result)])
                };
                if let Some(expected) = expected {
                    assert_eq!(results[lane], expected, "{text} {operand} in lane {lane}");
                }
            }
        }
    }

    fn bools(&self, text: &str, expected: impl Fn(&Lanes<'_>, usize) -> Option<bool>) {
        let make = |lane: usize| vec![u32::from(lane % 7 != 2)];
        self.check(text, "bool", "bool", make, |lanes, lane| {
            expected(lanes, lane).map(|it| vec![u32::from(it)])
        });
    }
}

#[test]
fn votes() {
    let Some(it) = subgroups("votes") else {
        return;
    };
    let is_true = |value: &[u32]| value[0] != 0;
    let all = |lanes: &Lanes<'_>| lanes.ballot(|value| !is_true(value)) == [0; 4];
    let any = |lanes: &Lanes<'_>| lanes.ballot(is_true) != [0; 4];
    it.bools("OpGroupNonUniformAll $T %c3 $0", |lanes, _| {
        Some(all(lanes))
    });
    it.bools("OpSubgroupAllKHR $T $0", |lanes, _| Some(all(lanes)));
    it.bools("OpGroupNonUniformAny $T %c3 $0", |lanes, _| {
        Some(any(lanes))
    });
    it.bools("OpSubgroupAnyKHR $T $0", |lanes, _| Some(any(lanes)));
    it.bools("OpGroupNonUniformElect $T %c3", |lanes, lane| {
        Some(lane == lanes.first())
    });
    let is_equal = |lanes: &Lanes<'_>| {
        let first = &lanes.values[lanes.first()];
        lanes.ballot(|value| value != first) == [0; 4]
    };
    it.bools("OpGroupNonUniformAllEqual $T %c3 $0", |lanes, _| {
        Some(is_equal(lanes))
    });
    it.bools("OpSubgroupAllEqualKHR $T $0", |lanes, _| {
        Some(is_equal(lanes))
    });
    for ty in ["v2f32", "v3i32", "v2bool"] {
        let count = words(ty);
        for spread in [1, 1000] {
            let make = |lane: usize| vec![u32::from(lane / spread == 0); count];
            let text = "OpGroupNonUniformAllEqual $T %c3 $0";
            it.check(text, ty, "bool", make, |lanes, _| {
                Some(vec![u32::from(is_equal(lanes))])
            });
        }
    }
}

#[test]
fn broadcasts_and_shuffles() {
    let Some(it) = subgroups("shuffles") else {
        return;
    };
    let from = |lanes: &Lanes<'_>, lane: usize| {
        let is_there = lanes.active.get(lane).copied().unwrap_or(false);
        is_there.then(|| lanes.values[lane].clone())
    };
    let makes: [(&str, Make); 4] = [
        ("u32", |lane| vec![value(lane)]),
        ("bool", |lane| vec![u32::from(lane % 3 == 0)]),
        ("v3bool", |lane| {
            vec![u32::from(lane % 3 == 0), 1, u32::from(lane % 2 == 0)]
        }),
        ("v2f32", |lane| {
            vec![(lane as f32).to_bits(), 0.5f32.to_bits()]
        }),
    ];
    for (ty, make) in makes {
        let check = |text: &str, expected: &dyn Fn(&Lanes<'_>, usize) -> Option<Vec<u32>>| {
            it.check(text, ty, ty, make, expected);
        };
        check("OpGroupNonUniformBroadcast $T %c3 $0 %c2", &|lanes, _| {
            from(lanes, 2)
        });
        check("OpSubgroupReadInvocationKHR $T $0 %c3", &|lanes, _| {
            from(lanes, 3)
        });
        check("OpGroupNonUniformBroadcastFirst $T %c3 $0", &|lanes, _| {
            from(lanes, lanes.first())
        });
        check("OpSubgroupFirstInvocationKHR $T $0", &|lanes, _| {
            from(lanes, lanes.first())
        });
        let moved = "%to = OpBitwiseXor %u32 %lane %c1\n%x = OpGroupNonUniformShuffle $T %c3 $0 ";
        let size = it.size;
        check(
            &format!(
                "%low = OpUMod %u32 %lane %c{size}\n{}",
                moved.replace("%lane", "%low")
            )
            .replace("$0 ", "$0 %to"),
            &|lanes, lane| from(lanes, lane ^ 1),
        );
        check(
            "OpGroupNonUniformShuffleXor $T %c3 $0 %c3",
            &|lanes, lane| from(lanes, lane ^ 3),
        );
        check(
            "OpGroupNonUniformShuffleUp $T %c3 $0 %c1",
            &|lanes, lane| from(lanes, lane.checked_sub(1)?),
        );
        check(
            "OpGroupNonUniformShuffleDown $T %c3 $0 %c2",
            &|lanes, lane| from(lanes, lane + 2),
        );
        check(
            "OpGroupNonUniformRotateKHR $T %c3 $0 %c1",
            &|lanes, lane| from(lanes, (lane + 1) % lanes.values.len()),
        );
        check(
            "OpGroupNonUniformRotateKHR $T %c3 $0 %c3 %c4",
            &|lanes, lane| from(lanes, lane / 4 * 4 + (lane + 3) % 4),
        );
        check(
            "OpGroupNonUniformQuadBroadcast $T %c3 $0 %c2",
            &|lanes, lane| from(lanes, lane / 4 * 4 + 2),
        );
        check("OpGroupNonUniformQuadSwap $T %c3 $0 %c0", &|lanes, lane| {
            from(lanes, lane ^ 1)
        });
        check("OpGroupNonUniformQuadSwap $T %c3 $0 %c1", &|lanes, lane| {
            from(lanes, lane ^ 2)
        });
        check("OpGroupNonUniformQuadSwap $T %c3 $0 %c2", &|lanes, lane| {
            from(lanes, lane ^ 3)
        });
    }
}

#[test]
fn ballots() {
    let Some(it) = subgroups("ballots") else {
        return;
    };
    let is_odd = |value: &[u32]| value[0] & 1 == 1;
    let make = |lane: usize| vec![u32::from(lane % 5 < 2)];
    for text in [
        "OpGroupNonUniformBallot $T %c3 $0",
        "OpSubgroupBallotKHR $T $0",
    ] {
        it.check(text, "bool", "v4u32", make, |lanes, _| {
            Some(lanes.ballot(is_odd).to_vec())
        });
    }
    // Ballot bits beyond the subgroup size are ignored.
    let dirty = "%b = OpGroupNonUniformBallot %v4u32 %c3 %true
        %ones = OpCompositeConstruct %v4u32 $0 $0 $0 $0
        %m = OpBitwiseOr %v4u32 %b %ones\n";
    let check = |text: &str, expected: &dyn Fn(&[bool], usize) -> Option<u32>| {
        it.check(
            &format!("{dirty}{text}"),
            "u32",
            "u32",
            |_| vec![0xa5a5_a5a5],
            |lanes, lane| {
                let ballot =
                    |lane: usize| lanes.active[lane] || 0xa5a5_a5a5u32 >> (lane % 32) & 1 == 1;
                let bits: Vec<bool> = (0..lanes.values.len()).map(ballot).collect();
                expected(&bits, lane).map(|it| vec![it])
            },
        );
    };
    let count = |bits: &[bool]| bits.iter().filter(|bit| **bit).count() as u32;
    check(
        "%x = OpGroupNonUniformBallotBitCount $T %c3 Reduce %m",
        &|bits, _| Some(count(bits)),
    );
    check(
        "%x = OpGroupNonUniformBallotBitCount $T %c3 InclusiveScan %m",
        &|bits, lane| Some(count(&bits[..=lane])),
    );
    check(
        "%x = OpGroupNonUniformBallotBitCount $T %c3 ExclusiveScan %m",
        &|bits, lane| Some(count(&bits[..lane])),
    );
    let first = |bits: &[bool]| bits.iter().position(|bit| *bit).map(|it| it as u32);
    let last = |bits: &[bool]| bits.iter().rposition(|bit| *bit).map(|it| it as u32);
    check(
        "%x = OpGroupNonUniformBallotFindLSB $T %c3 %m",
        &|bits, _| first(bits),
    );
    check(
        "%x = OpGroupNonUniformBallotFindMSB $T %c3 %m",
        &|bits, _| last(bits),
    );
    let as_number = "\n%x = OpSelect $T %i %c1 %c0";
    let inverse = format!("%i = OpGroupNonUniformInverseBallot %bool %c3 %m{as_number}");
    check(&inverse, &|bits, lane| Some(u32::from(bits[lane])));
    let bit = format!("%i = OpGroupNonUniformBallotBitExtract %bool %c3 %m %c3{as_number}");
    check(&bit, &|bits, _| Some(u32::from(bits[3])));
}

#[test]
fn sums_and_scans() {
    let Some(it) = subgroups("scans") else {
        return;
    };
    let ways: [(&str, u32, Combine); 11] = [
        ("IAdd", 0, u32::wrapping_add),
        ("IMul", 1, u32::wrapping_mul),
        ("UMin", u32::MAX, Ord::min),
        ("UMax", 0, Ord::max),
        ("SMin", i32::MAX.cast_unsigned(), |a, b| {
            a.cast_signed().min(b.cast_signed()) as u32
        }),
        ("SMax", i32::MIN.cast_unsigned(), |a, b| {
            a.cast_signed().max(b.cast_signed()) as u32
        }),
        ("BitwiseAnd", u32::MAX, |a, b| a & b),
        ("BitwiseOr", 0, |a, b| a | b),
        ("BitwiseXor", 0, |a, b| a ^ b),
        ("FMin", f32::INFINITY.to_bits(), |a, b| {
            f32::from_bits(a).min(f32::from_bits(b)).to_bits()
        }),
        ("FMax", f32::NEG_INFINITY.to_bits(), |a, b| {
            f32::from_bits(a).max(f32::from_bits(b)).to_bits()
        }),
    ];
    for (name, start, with) in ways {
        let is_float = name.starts_with('F');
        let make = |lane: usize| {
            if is_float {
                vec![(value(lane) as f32 - 1e8).to_bits()]
            } else {
                vec![value(lane) << (lane % 2)]
            }
        };
        for ty in if is_float {
            &["f32"][..]
        } else {
            &["u32", "i32"]
        } {
            let check = |operation: &str, taken: &dyn Fn(usize, usize) -> bool| {
                let text = format!("OpGroupNonUniform{name} $T %c3 {operation}");
                it.check(&text, ty, ty, make, |lanes, lane| {
                    Some(vec![lanes.fold(start, |other| taken(other, lane), with)])
                });
            };
            check("Reduce $0", &|_, _| true);
            check("InclusiveScan $0", &|other, lane| other <= lane);
            check("ExclusiveScan $0", &|other, lane| other < lane);
            check("ClusteredReduce $0 %c4", &|other, lane| {
                other / 4 == lane / 4
            });
            check("ClusteredReduce $0 %c2", &|other, lane| {
                other / 2 == lane / 2
            });
        }
    }
}

#[test]
fn booleans() {
    let Some(it) = subgroups("booleans") else {
        return;
    };
    for (name, start, with) in [
        ("LogicalAnd", 1, (|a, b| a & b) as Combine),
        ("LogicalOr", 0, |a, b| a | b),
        ("LogicalXor", 0, |a, b| a ^ b),
    ] {
        let check = |operation: &str, taken: &dyn Fn(usize, usize) -> bool| {
            let text = format!("OpGroupNonUniform{name} $T %c3 {operation}");
            it.bools(&text, |lanes, lane| {
                Some(lanes.fold(start, |other| taken(other, lane), with) != 0)
            });
        };
        check("Reduce $0", &|_, _| true);
        check("InclusiveScan $0", &|other, lane| other <= lane);
        check("ExclusiveScan $0", &|other, lane| other < lane);
        check("ClusteredReduce $0 %c4", &|other, lane| {
            other / 4 == lane / 4
        });
    }
}

/// Partitions: lanes with equal values form a partition, with reductions and scans in it.
#[test]
fn partitions() {
    let Some(it) = subgroups("partitions") else {
        return;
    };
    let make = |lane: usize| vec![lane as u32 % 3];
    it.check(
        "OpGroupNonUniformPartitionNV $T $0",
        "u32",
        "v4u32",
        make,
        |lanes, lane| Some(lanes.ballot(|value| *value == lanes.values[lane]).to_vec()),
    );
    for (operation, taken) in [
        (
            "PartitionedReduceNV",
            (|_, _| true) as fn(usize, usize) -> bool,
        ),
        ("PartitionedInclusiveScanNV", |other, lane| other <= lane),
        ("PartitionedExclusiveScanNV", |other, lane| other < lane),
    ] {
        let text = format!(
            "%p = OpGroupNonUniformPartitionNV %v4u32 $0
            %x = OpGroupNonUniformIAdd $T %c3 {operation} $0 %p"
        );
        it.check(&text, "u32", "u32", make, |lanes, lane| {
            let is_same = |other: usize| lanes.values[other] == lanes.values[lane];
            let sum = lanes.fold(0, |it| is_same(it) && taken(it, lane), u32::wrapping_add);
            Some(vec![sum])
        });
    }
}

/// Quad votes, and instructions of older extensions and of OpenCL.
#[test]
fn quads_and_older_forms() {
    let Some(it) = subgroups("quads") else {
        return;
    };
    // OpSubgroupAllKHR has the same operands as the quad votes.
    for (opcode, is_true) in [
        (5110, [false, false, false, false, true]),
        (5111, [false, true, true, true, true]),
    ] {
        let case = Case {
            text: "OpSubgroupAllKHR $T $0",
            operands: &["bool"],
            result: "bool",
            workgroup: LANES as u32,
            stands_for: Some((4428, opcode)),
            ..Case::default()
        };
        let values: Vec<_> = (0..LANES)
            .map(|lane| vec![u32::from(lane % 7 > 3)])
            .collect();
        let Some(results) = it.gpu.run(&case, &values) else {
            return;
        };
        for (lane, is) in results.iter().enumerate() {
            let quad = &values[lane / 4 * 4..][..4];
            let votes: u32 = quad.iter().map(|it| it[0]).sum();
            assert_eq!(
                is[0],
                u32::from(is_true[votes as usize]),
                "{opcode} in lane {lane}"
            );
        }
    }
    let make = |lane| vec![value(lane)];
    it.check(
        "OpGroupIAdd $T %c3 Reduce $0",
        "u32",
        "u32",
        make,
        |lanes, _| Some(vec![lanes.fold(0, |_| true, u32::wrapping_add)]),
    );
    it.check(
        "OpGroupUMax $T %c3 InclusiveScan $0",
        "u32",
        "u32",
        make,
        |lanes, lane| Some(vec![lanes.fold(0, |other| other <= lane, Ord::max)]),
    );
}
