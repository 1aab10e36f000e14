//! Validates the modules of the cases with Tint.

use crate::harness::modules;
use crate::{arrays, faults, grids, large, levels, limits, memory, modes, sharing};
use anywarp_test_support::tint::assert_accepted;

#[test]
fn tint_takes_the_modules() {
    let found = modules(&[
        arrays::empty_records_to_every_mode,
        arrays::dense_arrays,
        arrays::sparse_arrays,
        arrays::unbounded_arrays,
        faults::budget,
        faults::hole,
        faults::grid,
        faults::output_index,
        faults::input_index,
        faults::element,
        faults::incomplete,
        faults::completed_twice,
        faults::not_uniform,
        faults::finished_twice,
        faults::local_argument,
        grids::a_fixed_grid,
        grids::dynamic_grids_of_whole_words,
        grids::dynamic_grids_of_half_words,
        grids::a_grid_larger_than_a_side,
        large::thread_nodes,
        large::coalescing_nodes,
        large::broadcasting_nodes,
        large::broadcasting_nodes_with_dynamic_grids,
        levels::threads_allocate_for_a_named_target,
        levels::threads_allocate_for_an_array_target,
        levels::groups_allocate_for_a_named_target,
        levels::groups_allocate_for_an_array_target,
        levels::a_budget_of_256_is_shared,
        levels::recursion_is_stopped_by_is_valid,
        levels::one_node_is_reached_at_two_depths,
        limits::depth_32_runs_and_33_is_refused,
        limits::fed_records_of_64_kib,
        limits::records_of_32_kib,
        limits::thread_nodes_send_all_they_may,
        modes::own_records_are_written,
        memory::nodes_of_a_level_share_the_room,
        modes::halves_of_words_side_by_side,
        modes::local_arguments_per_node,
        modes::nothing_at_all,
        sharing::of_512_dynamic_groups_one_sees_the_total,
        sharing::of_256_fixed_groups_one_sees_the_total,
        sharing::tracked_records_from_inside,
        sharing::a_dynamic_owner_and_a_fixed_sharer,
    ]);
    assert!(found.len() > 100, "only {}", found.len());
    assert_accepted("Tint on the modules of the cases", &found);
}
