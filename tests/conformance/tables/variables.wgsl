// A variable that is a constant array gives its elements, wherever it lives; one that is changed gives what it was changed to.
//: in  0:0 u32 3 0 9 5
//: out 0:1 u32 103 203 303 413  100 200 300 410  109 209 309 419  105 205 305 415
@group(0) @binding(0) var<storage, read> at: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<u32>>;

const HUNDREDS = array(100u, 101u, 102u, 103u, 104u, 105u, 106u, 107u, 108u, 109u);
const THREES = array(300u, 301u, 302u, 303u, 304u, 305u, 306u, 307u, 308u, 309u);

var<private> kept = array(200u, 201u, 202u, 203u, 204u, 205u, 206u, 207u, 208u, 209u);
var<private> changed = array(400u, 401u, 402u, 403u, 404u, 405u, 406u, 407u, 408u, 409u);

fn change() {
    for (var k = 0u; k < 10u; k += 1u) {
        changed[k] += 10u;
    }
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    var first = HUNDREDS;
    var third: array<u32, 10>;
    third = THREES;
    change();
    out[i] = vec4(first[at[i]], kept[at[i]], third[at[i]], changed[at[i]]);
}
