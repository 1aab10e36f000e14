#![allow(clippy::print_stdout, missing_docs, reason = "scratch")]
use anywarp_spirv::*;
fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let show = std::env::var_os("SHOW").is_some();
    let dir = std::env::var("WGSL_DIR").ok();
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let p = path.clone();
        let dir = dir.clone();
        let r = std::panic::catch_unwind(move || {
            let reading = match read(&bytes, &ReadOptions::default()) {
                Ok(r) => r,
                Err(e) => return format!("REFUSED {e}"),
            };
            let text = match write_wgsl(&reading.program, &WgslOptions::new(Dialect::Naga)) {
                Ok(t) => t,
                Err(e) => return format!("NOWGSL {e}"),
            };
            if show {
                println!("{text}");
            }
            if let Err(e) = anywarp_program::Program::from_wgsl(&text) {
                return format!("REPARSE {}", e.to_string().replace('\n', " | "));
            }
            match write_wgsl(&reading.program, &WgslOptions::new(Dialect::WebGpu)) {
                Ok(t) => {
                    if let Some(d) = dir {
                        let n = std::path::Path::new(&p)
                            .file_stem()
                            .unwrap()
                            .to_string_lossy()
                            .into_owned();
                        std::fs::write(format!("{d}/{n}.wgsl"), t).unwrap();
                    }
                }
                Err(e) => return format!("OK-NAGA-ONLY {e}"),
            }
            let words = write_spirv(&reading.program, &SpirvOptions::default());
            match words {
                Ok(_) => "OK".into(),
                Err(e) => format!("OK-NOSPV {e}"),
            }
        });
        println!(
            "{path}: {}",
            r.unwrap_or_else(|e| format!(
                "PANIC {}",
                e.downcast_ref::<String>()
                    .cloned()
                    .or(e.downcast_ref::<&str>().map(|s| s.to_string()))
                    .unwrap_or_default()
            ))
        );
    }
}
