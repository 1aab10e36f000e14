// Functions write through pointers to variables of their callers, one function through those of another.
//: out 0:0 u32 5 7 0 0 3 0 0 6 1 0 0 2 2 1 7 7 2 0 3 4 2 8 3 0 0 2 6 3 9 7 4 0 3 8 4 10 5 0 0 2 10 5 11 7 6 0 3 12 6 12 7 0 0 2 14 7 13 7 8 0 3 16 8 14 9 0 0 2 18 9 15 7 10 0 3 20 10 16 11 0 0 2 22 11 17 7 12 0 3 24 12 18 13 0 0 2 26 13 19 7 14 0 3 28 14 20 15 0 0 2 30 15 21 7 16 0 3 32 16
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

struct Stack {
    numbers: array<u32, 4>,
    count: u32,
}

fn push(stack: ptr<function, Stack>, number: u32) {
    let at = (*stack).count % 4u;
    (*stack).numbers[at] += number;
    (*stack).count++;
}

fn push_if(stack: ptr<function, Stack>, number: u32, condition: bool) {
    if !condition {
        return;
    }
    push(stack, number);
}

fn swap(x: ptr<function, u32>, y: ptr<private, u32>) {
    let both = vec2<u32>(*y, *x);
    *x = both.x;
    *y = both.y;
}

var<private> other: u32;

@compute @workgroup_size(17)
fn main(@builtin(local_invocation_index) i: u32) {
    var stack: Stack;
    stack.numbers[0] = i;
    push(&stack, 5u);
    push_if(&stack, 7u, i % 2u == 0u);
    push(&stack, i);
    var own = i;
    other = 2u * i;
    swap(&own, &other);
    for (var k = 0u; k < 4u; k++) {
        out[7u * i + k] = stack.numbers[k];
    }
    out[7u * i + 4u] = stack.count;
    out[7u * i + 5u] = own;
    out[7u * i + 6u] = other;
}
