struct Params {
    threads: u32,
    arg0_: u32,
}

@group(0) @binding(0) 
var<uniform> params: Params;
@group(0) @binding(1) 
var<storage, read_write> status: array<u32>;

@compute @workgroup_size(64, 1, 1) 
fn sum(@builtin(global_invocation_id) global_id: vec3<u32>, @builtin(num_workgroups) num_workgroups: vec3<u32>) {
    var v0_: u32;
    var v1_: u32;

    let thread = ((((global_id.z * (num_workgroups.y * 1u)) + global_id.y) * (num_workgroups.x * 64u)) + global_id.x);
    let _e18 = params.threads;
    if (thread >= _e18) {
        return;
    }
    let arg0_ = params.arg0_;
    v0_ = 0u;
    v1_ = 0u;
    loop {
        let _e25 = v0_;
        let _e26 = v1_;
        if !((_e25 < arg0_)) {
            break;
        }
        continuing {
            v0_ = (_e25 + 1u);
            v1_ = (_e26 + (_e25 * _e25));
        }
    }
    let _e32 = v1_;
    status[((thread * 2u) + 1u)] = _e32;
}
