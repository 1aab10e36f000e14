//! Errors of the oracle. Its results are compared with devices in other tests.

use super::*;
use crate::model::{FieldType, Node, Output, Scalar, Target};

/// A thread node that sends to two members of an array, and a broadcasting one that does not.
fn graph() -> Graph {
    Graph::builder("oracle")
        .record(
            RecordType::new("Cell")
                .field("value", FieldType::U32)
                .grid("grid", FieldType::of(Scalar::U16, 2))
                .field("list", FieldType::U16.array(3)),
        )
        .node(
            Node::thread("one")
                .input_type("Cell")
                .entry()
                .output(Output::of_type("tile", "Cell", 2).array(Target::Sparse {
                    name: "tile".into(),
                    size: 3,
                }))
                .output(
                    Output::of_type("tile", "Cell", 1)
                        .named("other")
                        .share_budget("tile"),
                ),
        )
        .node(
            Node::broadcasting("tile", Grid::Dynamic { max: [4, 2, 1] }, [2, 1, 1])
                .input_type_with("Cell", InputAccess::Tracked),
        )
        .build()
        .unwrap()
}

/// A record with a grid.
fn cell(x: u16, y: u16) -> Vec<u8> {
    let mut bytes = 5_u32.to_le_bytes().to_vec();
    bytes.extend([x, y].map(u16::to_le_bytes).concat());
    bytes.extend([0; 8]);
    bytes
}

/// Runs the graph with a body for each node.
fn run(
    one: impl FnMut(&mut OracleLaunch<'_>) -> Result<(), OracleFault>,
    tile: impl FnMut(&mut OracleLaunch<'_>) -> Result<(), OracleFault>,
) -> Result<u64, OracleError> {
    let graph = graph();
    let mut oracle = Oracle::new(&graph);
    oracle.local_arguments(LocalArguments {
        bytes: vec![1; 8],
        stride: 4,
    });
    oracle.body("one", one)?;
    oracle.body("tile", tile)?;
    oracle.run(&[CpuRecords::new("one", 1, &cell(4, 2))])
}

/// The message of what ends a run.
fn message(one: impl FnMut(&mut OracleLaunch<'_>) -> Result<(), OracleFault>) -> String {
    run(one, |_| Ok(())).unwrap_err().to_string()
}

#[test]
fn every_group_runs_and_one_is_last() {
    let mut groups = Vec::new();
    let mut last = 0;
    let send = |launch: &mut OracleLaunch<'_>| {
        let record = launch.record(0)?.clone();
        launch.send("tile", 0, [record.clone()])?;
        launch.send("other", 7, [record])
    };
    let launches = run(send, |launch| {
        groups.push(launch.group_id());
        let record = launch.record_mut(0)?;
        let value = record.get("value", 0, 0)? + 1;
        record.set("value", 0, 0, value)?;
        if launch.finished_cross_group_sharing()? {
            assert_eq!(value, 5 + 8);
            last += 1;
        }
        Ok(())
    });
    assert_eq!(launches, Ok(1 + 2 * 8));
    assert_eq!((groups.len(), last), (16, 2));
}

#[test]
fn broken_rules_are_named() {
    let sent = |output: &'static str, index, count| {
        message(move |launch| {
            let record = launch.new_record(output)?;
            launch.send(output, index, vec![record; count])
        })
    };
    assert_eq!(
        sent("tile", 0, 3),
        "node `one`: `tile`: sent more records than its budget (found 3, allowed 2)"
    );
    assert_eq!(
        sent("tile", 1, 1),
        "node `one`: `tile`: sent records to a missing node (check with `is_valid`) (found 1, allowed 3)"
    );
    assert_eq!(
        message(|launch| launch.record(1).map(|_| ())),
        "node `one`: used an input record beyond those it received (found 1, allowed 1)"
    );
    assert_eq!(
        message(|launch| launch.record(0)?.get("list", 3, 0).map(|_| ())),
        "`list`: used an element beyond the end of an array field (found 3, allowed 3)"
    );
    assert_eq!(
        message(|launch| launch.local_argument(1).map(|_| ())),
        "node `one`: read a local argument beyond its row (found 1, allowed 1)"
    );
    let grid = message(|launch| {
        let mut record = launch.new_record("tile")?;
        record.set("grid", 0, 1, 3)?;
        launch.send("tile", 0, [record])
    });
    assert_eq!(
        grid,
        "node `tile`: has a grid larger than the maximum (found 3, allowed 2)"
    );
    let twice = run(
        |launch| launch.send("tile", 0, [launch.record(0)?.clone()]),
        |launch| {
            launch.finished_cross_group_sharing()?;
            launch.finished_cross_group_sharing().map(|_| ())
        },
    );
    assert_eq!(
        twice.unwrap_err().to_string(),
        "node `tile`: called finished_cross_group_sharing more than once (found 2, allowed 1)"
    );
}

#[test]
fn what_was_shared_is_spent() {
    let message = message(|launch| {
        let record = launch.new_record("tile")?;
        launch.send("tile", 0, [record.clone(), record.clone()])?;
        launch.send("other", 0, [record])
    });
    assert_eq!(
        message,
        "node `one`: `other`: sent more records than its budget (found 3, allowed 2)"
    );
}

#[test]
fn runs_that_cannot_be() {
    let graph = graph();
    let mut oracle = Oracle::new(&graph);
    let unknown = oracle.body("none", |_| Ok(())).unwrap_err();
    assert_eq!(unknown.to_string(), "there is no node `none`");
    let cell = cell(1, 1);
    let mut run = |node: &str, count, bytes| {
        let result = oracle.run(&[CpuRecords::new(node, count, bytes)]);
        result.unwrap_err().to_string()
    };
    assert_eq!(run("one", 1, &cell), "node `one` has no body");
    assert_eq!(run("tile", 1, &cell), "node `tile` is not an entry");
    assert_eq!(
        run("one", 2, &cell),
        "the input of node `one` is shorter than its records"
    );
    oracle.max_launches(1);
    oracle.body("one", |_| Ok(())).unwrap();
    let mut twice = CpuRecords::new("one", 2, &cell);
    twice.stride = Some(0);
    let error = oracle.run(&[twice]).unwrap_err();
    assert_eq!(error.to_string(), "there are more than 1 launches");
}
