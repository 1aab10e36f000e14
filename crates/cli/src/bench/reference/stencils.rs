//! References of the rows that compute cells from their neighbours.

/// The state after a number of steps; `step` computes a cell from the state before and its place.
fn steps<T: Copy>(
    start: &[T],
    n: usize,
    count: usize,
    step: impl Fn(&[T], [usize; 2]) -> T,
) -> Vec<T> {
    let mut now = start.to_vec();
    for _ in 0..count {
        let next = (0..n * n).map(|i| step(&now, [i % n, i / n]));
        now = next.collect();
    }
    now
}

fn diffused(now: &[f32], i: usize, n: usize) -> f32 {
    let around = now[i - 1] + now[i + 1] + now[i - n] + now[i + n];
    now[i] + 0.2 * (around - 4.0 * now[i])
}

fn is_inside([x, y]: [usize; 2], n: usize) -> bool {
    (1..n - 1).contains(&x) && (1..n - 1).contains(&y)
}

/// Heat that spreads on a plate whose border keeps its temperature.
pub(in crate::bench) fn heat(plate: &[f32], n: usize, count: usize) -> Vec<f32> {
    steps(plate, n, count, |now, [x, y]| {
        let i = y * n + x;
        if is_inside([x, y], n) {
            diffused(now, i, n)
        } else {
            now[i]
        }
    })
}

/// The same with a hot plate, a cold bar and a wall with a gap.
pub(in crate::bench) fn heat_mask(plate: &[f32], n: usize, count: usize) -> Vec<f32> {
    let eighth = n / 8;
    let between = |place: usize, low: usize, high: usize| place > low && place < high;
    steps(plate, n, count, |now, [x, y]| {
        let i = y * n + x;
        let hot = between(x, eighth, 2 * eighth) && between(y, eighth, 2 * eighth);
        let cold = between(x, 4 * eighth, 5 * eighth) && between(y, 6 * eighth, 7 * eighth);
        let gap = between(y, 3 * eighth, 4 * eighth);
        let wall = (3 * eighth..3 * eighth + 4).contains(&x) && !gap;
        match () {
            () if hot => 1.0,
            () if cold || wall => 0.0,
            () if is_inside([x, y], n) => diffused(now, i, n),
            () => now[i],
        }
    })
}

/// The indices of a cell's neighbours on a torus: left, right, above, below.
fn sides([x, y]: [usize; 2], n: usize) -> [usize; 4] {
    let [before, after] = [n - 1, 1];
    [
        y * n + (x + before) % n,
        y * n + (x + after) % n,
        (y + before) % n * n + x,
        (y + after) % n * n + x,
    ]
}

/// Conway's game of life on a torus.
pub(in crate::bench) fn life(cells: &[u32], n: usize, count: usize) -> Vec<u32> {
    steps(cells, n, count, |now, [x, y]| {
        let cell = |dx: usize, dy: usize| now[(y + dy) % n * n + (x + dx) % n];
        let places = [0, 1, n - 1];
        let all: u32 = places
            .map(|dy| places.map(|dx| cell(dx, dy)).iter().sum::<u32>())
            .iter()
            .sum();
        let neighbours = all - cell(0, 0);
        u32::from(neighbours == 3 || neighbours == 2 && cell(0, 0) == 1)
    })
}

/// The fields of the Gray-Scott model on a torus.
pub(in crate::bench) fn gray_scott(
    u: &[f32],
    v: &[f32],
    n: usize,
    count: usize,
) -> (Vec<f32>, Vec<f32>) {
    const FEED: f32 = 0.055;
    const KILL: f32 = 0.062;
    let start: Vec<[f32; 2]> = u.iter().zip(v).map(|(u, v)| [*u, *v]).collect();
    let end = steps(&start, n, count, |now, [x, y]| {
        let [u, v] = now[y * n + x];
        let [left, right, up, down] = sides([x, y], n).map(|i| now[i]);
        let spread = |field: usize, own: f32| {
            left[field] + right[field] + up[field] + down[field] - 4.0 * own
        };
        let reaction = u * v * v;
        let next_u = u + 0.2 * spread(0, u) - reaction + FEED * (1.0 - u);
        let next_v = v + 0.1 * spread(1, v) + reaction - (FEED + KILL) * v;
        [next_u.clamp(0.0, 1.0), next_v.clamp(0.0, 1.0)]
    });
    end.into_iter().map(|[u, v]| (u, v)).unzip()
}
