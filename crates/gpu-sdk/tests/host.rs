//! The functions of module `gpu` under a native host, on many threads and across barriers.

use std::fs;
use std::sync::{Arc, Mutex};

use gpu_sdk::host::{Host, Launch, ReadError, Resources, ShareableResources};
use gpu_sdk::{Binding, Vec3f, queue_pop, queue_push, vec3f};
use gpu_sdk::{
    DispatchOptions, FileError, Schedule, atomic_add, print, read_file, read_input, read_state,
    set_pixel, thread_id, time, vec4f, workgroup_barrier, write_file, write_state,
};

#[gpu_sdk::kernel]
fn gradient(width: i32) -> i32 {
    let (x, y) = (thread_id() % width, thread_id() / width);
    set_pixel(x, y, x as f32, y as f32, time(), 1.0);
    0
}

#[test]
fn pixels_go_to_the_picture() {
    let host = Host::builder().pixels(7, 5).clock(2.5).build();
    host.dispatch(35, || {
        gradient(7);
    });
    for (i, pixel) in host.pixels().into_iter().enumerate() {
        assert_eq!(pixel, vec4f((i % 7) as f32, (i / 7) as f32, 2.5, 1.0));
    }
    assert_eq!(host.pixel(7, 0), None);
}

#[test]
fn pixels_outside_are_ignored() {
    let host = Host::builder().pixels(2, 2).build();
    host.run(|| {
        for (x, y) in [(2, 0), (-1, 1), (0, 2), (0, -1), (i32::MIN, i32::MAX)] {
            set_pixel(x, y, 1.0, 1.0, 1.0, 1.0);
        }
        set_pixel(1, 0, 1.0, 0.5, 0.0, 2.0);
    });
    let bytes = [0, 0, 0, 0, 255, 128, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(host.rgba8(), bytes);
}

#[test]
fn state_is_shared_and_bounded() {
    let host = Host::builder().state(&[0, 10]).input(&[3, 4]).build();
    host.dispatch(1000, || {
        atomic_add(0, read_input(1));
        atomic_add(2, 1);
        write_state(-1, 1);
    });
    host.run(|| {
        assert_eq!((read_state(0), read_state(2), read_state(-1)), (4000, 0, 0));
        assert_eq!((read_input(0), read_input(2), read_input(-1)), (3, 0, 0));
        assert_eq!(atomic_add(1, i32::MAX), 10);
        assert_eq!(thread_id(), 0);
    });
    assert_eq!(host.state(), [4000, i32::MIN + 9]);
}

#[test]
fn thread_ids_count_x_first() {
    let (count, size) = ((2, 3, 2), (3, 2, 4));
    let host = Host::builder().state(&[0; 6 * 6 * 8]).build();
    host.dispatch_workgroups(count, size, |builtins| {
        let id = builtins.global_invocation_id;
        assert_eq!(thread_id() as u32, id.x + 6 * (id.y + 6 * id.z));
        atomic_add(thread_id(), 1);
    });
    assert_eq!(host.state(), [1; 6 * 6 * 8]);
}

#[test]
fn the_innermost_dispatch_counts_its_own_grid() {
    let outer = Host::builder().state(&[0; 64]).build();
    outer.dispatch(64, || {
        let outer_id = thread_id();
        // Without a host of its own: state is the outer host's, numbers are the inner grid's.
        gpu_sdk::dispatch_workgroups((1, 2, 1), (3, 1, 1), |builtins| {
            let id = builtins.global_invocation_id;
            workgroup_barrier();
            assert_eq!(thread_id() as u32, id.x + 3 * id.y);
            atomic_add(outer_id, 1);
        });
        assert_eq!(thread_id(), outer_id);
    });
    assert_eq!(outer.state(), [6; 64]);
}

#[test]
fn thread_ids_need_no_host_inside_of_a_dispatch() {
    gpu_sdk::dispatch_workgroups((2, 1, 1), (4, 2, 1), |builtins| {
        let id = builtins.global_invocation_id;
        assert_eq!(thread_id() as u32, id.x + 8 * id.y);
    });
}

#[test]
#[should_panic(expected = "a fragment has no thread_id")]
fn a_fragment_has_no_thread_id() {
    let host = Host::builder().build();
    host.dispatch_fragments(2, 2, |_, _| (), |_, ()| thread_id());
}

#[test]
fn a_single_call_inside_of_an_invocation_is_no_part_of_its_dispatch() {
    let outer = Host::builder().state(&[0; 1]).clock(1.0).build();
    let inner = Host::builder().state(&[0; 1]).clock(2.0).build();
    outer.dispatch_workgroups((4, 1, 1), (8, 1, 1), |_| {
        inner.run(|| {
            // No invocation waits here, so none finds this host instead of its own.
            workgroup_barrier();
            assert_eq!((time(), thread_id()), (2.0, 0));
            atomic_add(0, 1);
        });
        assert_eq!(time(), 1.0);
        atomic_add(0, 1);
        workgroup_barrier();
        assert_eq!(time(), 1.0);
    });
    assert_eq!((outer.state(), inner.state()), (vec![32], vec![32]));
}

#[test]
fn the_host_stays_across_barriers() {
    let outer = Host::builder().state(&[0; 2]).clock(1.0).build();
    let inner = Host::builder().state(&[0; 2]).clock(2.0).build();
    for seed in 0..20 {
        let options = DispatchOptions::default().schedule(Schedule::Random(seed));
        let result = outer.workgroups(&options, (8, 1, 1), (16, 1, 1), |builtins| {
            atomic_add(0, 1);
            workgroup_barrier();
            if builtins.local_invocation_index.is_multiple_of(5) {
                // A nested dispatch, with another host and its own barriers.
                inner.dispatch_workgroups((1, 1, 1), (4, 1, 1), |_| {
                    atomic_add(0, 1);
                    workgroup_barrier();
                    assert_eq!(time(), 2.0);
                    atomic_add(1, 1);
                });
            }
            assert_eq!(time(), 1.0);
            workgroup_barrier();
            assert_eq!(time(), 1.0);
            atomic_add(1, 1);
        });
        result.unwrap();
    }
    assert_eq!(outer.state(), [20 * 128; 2]);
    assert_eq!(inner.state(), [20 * 8 * 4 * 4; 2]);
}

#[test]
#[should_panic(expected = "`time` was called outside of a host")]
fn without_a_host_there_is_a_message() {
    let host = Host::builder().build();
    host.dispatch(64, || {
        let _ = time();
    });
    let _ = time();
}

#[test]
fn a_panic_leaves_no_host_behind() {
    let host = Host::builder().build();
    let run = || host.run(|| panic!("by the kernel"));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
    assert!(std::panic::catch_unwind(|| read_state(0)).is_err());
}

#[test]
fn printed_text_goes_to_the_action() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let target = Arc::clone(&lines);
    let host = Host::builder()
        .on_print(move |line| target.lock().unwrap().push(line.to_owned()))
        .build();
    host.dispatch(3, || {
        gpu_sdk::print_args(format_args!("thread {}", thread_id()));
    });
    print("outside of a host");
    let mut lines = lines.lock().unwrap();
    lines.sort();
    assert_eq!(*lines, ["thread 0", "thread 1", "thread 2"]);
}

#[test]
fn files_stay_in_their_folder() {
    let root = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("files");
    let folder = root.join("allowed");
    fs::create_dir_all(folder.join("sub")).unwrap();
    fs::write(root.join("secret"), "secret").unwrap();
    fs::write(folder.join("from"), "some text").unwrap();
    let _ = fs::remove_file(folder.join("sub/to"));
    let mut buffer = [0; 4];

    Host::builder().files(&folder).build().run(|| {
        assert_eq!(read_file("from", &mut buffer), Ok(4));
        assert_eq!(&buffer, b"some");
        assert_eq!(write_file("sub/to", b"new"), Ok(3));
        assert_eq!(read_file("sub/to", &mut buffer), Ok(3));
        assert_eq!(&buffer, b"newe");
        assert_eq!(read_file("none", &mut buffer), Err(FileError::NotFound));
        let absolute = root.join("secret");
        for path in [
            "../secret",
            "sub/../../secret",
            "",
            "..",
            absolute.to_str().unwrap(),
        ] {
            assert_eq!(
                read_file(path, &mut buffer),
                Err(FileError::NotAllowed),
                "{path}"
            );
            assert_eq!(write_file(path, b"x"), Err(FileError::NotAllowed), "{path}");
        }
    });
    Host::builder().build().run(|| {
        assert_eq!(read_file("from", &mut buffer), Err(FileError::NotAllowed));
    });
    assert_eq!(fs::read(root.join("secret")).unwrap(), b"secret");
}

#[test]
fn the_first_folder_that_has_a_file_wins() {
    let root = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("two folders");
    let _ = fs::remove_dir_all(&root);
    let folders = [root.join("first"), root.join("second")];
    for folder in &folders {
        fs::create_dir_all(folder).unwrap();
        fs::write(
            folder.join("both"),
            folder.file_name().unwrap().as_encoded_bytes(),
        )
        .unwrap();
    }
    fs::create_dir(folders[1].join("sub")).unwrap();
    fs::write(folders[1].join("one"), "old").unwrap();
    let host = Host::builder()
        .files(&folders[0])
        .files(&folders[1])
        .build();
    let mut buffer = [0; 8];
    host.run(|| {
        assert_eq!(read_file("both", &mut buffer), Ok(5));
        assert_eq!(read_file("one", &mut buffer), Ok(3));
        assert_eq!(read_file("none", &mut buffer), Err(FileError::NotFound));
        assert_eq!(write_file("one", b"new"), Ok(3));
        assert_eq!(write_file("two", b"new"), Ok(3));
        assert_eq!(write_file("sub/three", b"new"), Ok(3));
        assert_eq!(write_file("../four", b"new"), Err(FileError::NotAllowed));
    });
    for (folder, path) in [(1, "one"), (0, "two"), (1, "sub/three")] {
        assert_eq!(
            fs::read(folders[folder].join(path)).unwrap(),
            b"new",
            "{path}"
        );
        assert!(!folders[1 - folder].join(path).exists(), "{path}");
    }
}

/// Everything that a kernel can read and write comes back from a launch.
#[test]
fn a_launch_leaves_what_its_kernel_has_written() {
    static POINTS: Binding<Vec3f> = Binding::new(2, 3);
    let mut data = Resources::new()
        .shareable(2, 3, &[Vec3f::ZERO; 12])
        .state(&[1_u32, 2])
        .input(&[30_i32, -40])
        .picture(4, 3)
        .clock(0.5)
        .queue(&[5, 6]);
    data.folders.push("nowhere".into());
    let launch = Launch::new()
        .workgroups([3, 2, 1])
        .workgroup_size([2, 1, 1]);
    launch
        .run(&mut data, || {
            let id = thread_id();
            POINTS.store(id as u32, vec3f(id as f32, time(), read_input(1) as f32));
            set_pixel(id % 4, id / 4, 1.0, 0.5, 0.0, 1.0);
            atomic_add(1, 1);
            if id == 0 {
                queue_push(queue_pop().map_or(0, |item| item * 10));
            }
        })
        .unwrap();
    let points = data.read_shareable::<Vec3f>(2, 3).unwrap();
    assert_eq!(points[11], vec3f(11.0, 0.5, -40.0));
    assert_eq!(data.read::<f32>(2, 3).unwrap().len(), 12 * 4);
    assert!(data.read_shareable::<Vec3f>(0, 0).is_err());
    assert_eq!(data.state, [1, 14]);
    assert_eq!(data.input, [30, -40_i32 as u32]);
    assert_eq!(data.queue, [6, 50]);
    assert_eq!((data.clock, data.folders.len()), (0.5, 1));
    assert_eq!(
        data.picture.as_ref().unwrap().pixels,
        [[1.0, 0.5, 0.0, 1.0]; 12]
    );
    // A launch can run again, with other options, and its resources stay after an error.
    let launch = launch.options(
        DispatchOptions::default()
            .threads(1)
            .schedule(Schedule::Random(3)),
    );
    let error = launch.run(&mut data, || assert!(atomic_add(0, 1) < 3, "too many"));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("panicked: too many"), "{error}");
    assert!(data.state[0] >= 4, "{:?}", data.state);
    assert_eq!(data.read_shareable::<Vec3f>(2, 3).unwrap(), points);
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_the_folder() {
    use std::os::unix::fs::symlink;

    let root = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("links");
    let folder = root.join("allowed");
    fs::create_dir_all(&folder).unwrap();
    fs::write(root.join("secret"), "secret").unwrap();
    for (target, link) in [
        ("../secret", "file"),
        ("..", "folder"),
        ("../new", "dangling"),
    ] {
        let _ = fs::remove_file(folder.join(link));
        symlink(target, folder.join(link)).unwrap();
    }
    let mut buffer = [0; 8];
    Host::builder().files(&folder).build().run(|| {
        for path in ["file", "folder/secret", "dangling"] {
            assert_eq!(
                read_file(path, &mut buffer),
                Err(FileError::NotAllowed),
                "{path}"
            );
            assert_eq!(write_file(path, b"x"), Err(FileError::NotAllowed), "{path}");
        }
    });
    assert!(!root.join("new").exists());
}

#[derive(Clone, Copy, Debug, PartialEq, gpu_sdk::HostShareable)]
struct Particle {
    position: Vec3f,
    mass: f32,
    charge: i32,
}

static PARTICLES: Binding<Particle> = Binding::new(0, 1);
static COUNTS: Binding<i32> = Binding::new(1, 0);
static ABSENT: Binding<u32> = Binding::new(9, 9);

#[test]
fn bindings_are_the_hosts_buffers() {
    let particle = |i: i32| Particle {
        position: vec3f(i as f32, 0.0, 0.0),
        mass: 1.0,
        charge: i,
    };
    let particles: Vec<_> = (0..64).map(particle).collect();
    let host = Host::builder()
        .buffer(0, 1, &particles)
        .buffer(1, 0, &[0, 5, -5, 0])
        .build();
    host.dispatch_workgroups((2, 1, 1), (32, 1, 1), |builtins| {
        let i = builtins.global_invocation_id.x;
        assert_eq!((PARTICLES.len(), ABSENT.len()), (64, 0));
        assert_eq!(ABSENT.load(i), 0);
        ABSENT.store(i, 1);
        let mut particle = PARTICLES.load(i);
        particle.position += 1.0;
        PARTICLES.store(i, particle);
        PARTICLES.store(i + 64, particle);
        assert_eq!(PARTICLES.load(i + 64).position, vec3f(0.0, 0.0, 0.0));
        COUNTS.atomic_add(0, 1);
        COUNTS.atomic_max(1, particle.charge);
        COUNTS.atomic_min(2, -particle.charge);
        while !COUNTS
            .atomic_compare_exchange_weak(3, COUNTS.load(3), COUNTS.load(3) + 2)
            .exchanged
        {}
        assert!(!COUNTS.atomic_compare_exchange_weak(4, 0, 1).exchanged);
    });
    assert_eq!(host.buffer::<i32>(1, 0)[..3], [64, 63, -63]);
    for (i, particle) in host.buffer::<Particle>(0, 1).into_iter().enumerate() {
        assert_eq!(particle.position, vec3f(i as f32 + 1.0, 1.0, 1.0));
        assert_eq!(particle.charge, i as i32);
    }
    assert_eq!(host.buffer_words(9, 9), []);
}

#[test]
fn work_is_done_once_and_work_may_make_work() {
    let host = Host::builder().queue(&[40, 2, 1, 0]).state(&[0]).build();
    host.dispatch(8, || {
        while let Some(item) = queue_pop() {
            atomic_add(0, 1);
            if item > 1 {
                assert!(queue_push(item / 2));
            }
        }
        assert!(!queue_push(u32::MAX), "too large to be told from the end");
    });
    // 40, 20, 10, 5, 2, 1 and 2, 1 and 1 and 0.
    assert_eq!(host.state(), [10]);
}

#[test]
fn handles_are_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<Host>();
    check::<Launch>();
    check::<Resources>();
    check::<ReadError>();
    check::<DispatchOptions>();
    check::<gpu_sdk::DispatchError>();
    check::<gpu_sdk::host::HostBuilder>();
    check::<gpu_sdk::HostBuffer<Vec3f>>();
    check::<Binding<Vec3f>>();
    check::<gpu_sdk::Atomic<u32>>();
}
