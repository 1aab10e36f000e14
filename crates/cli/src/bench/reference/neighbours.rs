//! The reference of the row `neighbours`.

/// One step of a flock: positions and velocities.
pub(in crate::bench) fn step(birds: &[[f32; 4]]) -> Vec<f32> {
    let step = |(i, me): (usize, &[f32; 4])| {
        let near = birds.iter().enumerate().filter(|(j, other)| {
            let [dx, dy] = [other[0] - me[0], other[1] - me[1]];
            *j != i && dx * dx + dy * dy <= 64.0 * 64.0
        });
        let mut sums = [0.0_f32; 4];
        let mut count = 0.0;
        for (_, other) in near {
            for (sum, part) in sums.iter_mut().zip(other) {
                *sum += part;
            }
            count += 1.0;
        }
        let [mut vx, mut vy] = [me[2], me[3]];
        if count > 0.0 {
            let mean = sums.map(|sum| sum * (1.0 / count));
            vx += 0.01 * (mean[0] - me[0]) + 0.125 * (mean[2] - me[2]);
            vy += 0.01 * (mean[1] - me[1]) + 0.125 * (mean[3] - me[3]);
        }
        [me[0] + vx, me[1] + vy, vx, vy]
    };
    birds.iter().enumerate().flat_map(step).collect()
}
