//! What `anywarp doctor --json` says of this machine.

use serde_json::Value;

fn of<'a>(findings: &'a Value, capability: &str) -> Vec<&'a Value> {
    let findings = findings.as_array().into_iter().flatten();
    findings
        .filter(|finding| finding["capability"] == capability)
        .collect()
}

/// The name of the CPU, as devices and errors show it.
pub(super) fn cpu_name(findings: &Value) -> String {
    let found = of(findings, "CPU")
        .first()
        .and_then(|cpu| cpu["found"].as_str());
    let name = found.and_then(|found| found.rsplit_once(", "));
    name.expect("the name of the CPU and its threads")
        .0
        .to_owned()
}

/// What this machine lacks of the one in the documents: both vector extensions, one driver, which is lavapipe, the
/// target wasm32 and a browser.
pub(super) fn lacks(findings: &Value) -> Option<String> {
    let all = findings.as_array().into_iter().flatten();
    let missing = all.clone().find(|finding| finding["works"] != true);
    if let Some(missing) = missing {
        return Some(format!("{} does not work", missing["capability"]));
    }
    let found = |capability: &str, text: &str| {
        let mut all = of(findings, capability).into_iter();
        let only = all.next().and_then(|finding| finding["found"].as_str());
        all.next().is_none() && only.is_some_and(|found| found.contains(text))
    };
    if !found("machine code", "avx512 (16 lanes), avx2 (8 lanes)") {
        return Some("no machine code for AVX-512".to_owned());
    }
    (!found("GPU", "llvmpipe")).then(|| "another driver than lavapipe".to_owned())
}
