// Each invocation inserts into an array of its own, in order, and knows after the loop where.
//: in  0:0 u32 0 5 20 22 11 10 19 15 21 14 17 7 7 13 6 9 22 22 9 6 13 7 11 14 14 21 15 19 10 11 11 9 17 12 17 21
//::     21 6 1 6 10 12 1 0 21 17 0 5 5 14 10 5 21 1 3 3 13 22 6 12 12 22 19 15 9 2 16 6 17 4 12 19 19 7 17 2 9 14 18 20 21
//::     20 18 3 3 15 3 12 20 15 8 0 2 2 1 10 10 0 12 11 8 4 10 3 17 7 7 17 17 8 21 21 8 5 0 17 21 12 13 1 1 16 7 8 19 17 2
//::     20 2 17 19 8 8 13 5 7 19 18 4 0 6 22 2 15 15 21 14 17 7 7 17 14 21 15 19 22 22 6 0 4 18 19 19 17 2 20 2 6 6 14 9
//::     14 18 20 9 8 6 2 8 13 13 22 18 13 6 9 11 11 21 7 14 20 20 7 4 0 17 10 1 14 2 12 20 4 4 15 2 10 17 22 3 5 6 5 3 11
//::     11 0 11 20 5 0 16 8 10 10 9 18 18 8 20 19 16 12 18 11 2 15 15 2 2 16 6 6 16 13 8 2 6 20 21 9 9 1 15 16 4 2 10 5 10
//::     2 4 16 16 21 13 15 4 3 12 8 14 7 10 0 0 6 22 2 15 15 2 22 6 0 4 7
//: in  0:1 u32 0 1 2 3 4 5 6 7 8 9 10 11 12 0 1 2 3 4 5 6 7 8 9 10
//: out 0:2 u32 0 0 0 0 0 0 0 0 0 0 21 14 0 0 0 21 6 0 0 0 14 10 5 5 0 22 15 12 9 0 17 14 9 2 0 20 15 15 12 8 12
//::     11 10 10 8 21 21 21 17 17 20 17 17 16 8 22 18 8 6 5 22 21 21 17 17 0 0 0 0 0 6 0 0 0 0 22 0 0 0 0 20 4 0 0 0 15 10
//::     4 2 0 20 11 11 5 0 20 18 16 12 8 16 16 8 6 6 16 15 10 9 5 21 16 15 14 12 22 22 15 15 6
//: out 0:3 u32 9 9 0 1 3 3 1 4 3 2 2 0 0 9 0 0 1 1 3 3 2 4 3 1
@group(0) @binding(0) var<storage, read> scores: array<u32>;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> top: array<u32>;
@group(0) @binding(3) var<storage, read_write> places: array<u32>;

@compute @workgroup_size(24)
fn main(@builtin(local_invocation_index) i: u32) {
    var best: array<u32, 5>;
    var slot = 9u;
    for (var k = 0u; k < counts[i]; k++) {
        let score = scores[i * 12u + k];
        if score % 6u == 1u || score <= best[4] {
            continue;
        }
        var place = 4u;
        while place > 0u && best[place - 1u] < score {
            best[place] = best[place - 1u];
            place--;
        }
        best[place] = score;
        slot = place;
    }
    for (var k = 0u; k < 5u; k++) {
        top[i * 5u + k] = best[k];
    }
    places[i] = slot;
}
