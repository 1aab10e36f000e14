//! tmp
#![allow(clippy::print_stdout, reason = "tmp")]
use mandelbrot::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let view = View::parse("-0.75", "0", "3").unwrap();
    let adapter = anywarp_adapter::adapter(Default::default());
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        required_limits: adapter.limits(),
        ..Default::default()
    }))
    .unwrap();
    let mut d = JobDescriptor::new(view, [640, 480], Board::Direct);
    d.limit = Limit::Iterations(a.get(1).map_or(200, |x| x.parse().unwrap()));
    let t = std::time::Instant::now();
    let mut job = pollster::block_on(Job::new(&device, &queue, d)).unwrap();
    while let Some(p) = job.wait() {
        let p = p.unwrap();
        if p.batches % 10 == 0 {
            println!("{:?} {p:?}", t.elapsed());
        }
    }
    println!(
        "{:?} {:?} {:08x}",
        t.elapsed(),
        job.progress(),
        job.image().checksum()
    );
}
