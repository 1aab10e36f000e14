//! The Chromium process: finds it, starts it with a new profile, and ends it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{BrowserError, PATIENCE};

/// The environment variable that names the browser to use.
pub const EXECUTABLE: &str = "ANYWARP_CHROMIUM";

const USUAL_PLACES: &[&str] = &[
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/local/bin/chromium",
    "/usr/bin/google-chrome",
    "/usr/bin/google-chrome-stable",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

const FLAGS: &[&str] = &[
    "--headless",
    "--remote-debugging-port=0",
    // WebGPU on SwiftShader, whatever the machine.
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--enable-features=Vulkan",
    "--use-vulkan=swiftshader",
    "--use-angle=swiftshader",
    // There is no sandbox in containers and for root; all pages are part of this repository.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    // No network access except by the page.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--password-store=basic",
    // Background tabs are not throttled.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    // Pictures do not depend on the machine.
    "--force-color-profile=srgb",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
];

/// A browser process that ends when this value is dropped.
pub(super) struct Chromium {
    child: Child,
    profile: PathBuf,
    address: String,
}

impl Chromium {
    pub(super) fn start() -> Result<Self, BrowserError> {
        let executable = find().ok_or(BrowserError::NotInstalled)?;
        let profile = new_profile().map_err(|error| BrowserError::Start(error.to_string()))?;
        let mut this = match spawn(&executable, &profile) {
            Ok(child) => Self {
                child,
                profile,
                address: String::new(),
            },
            Err(error) => {
                let _ = fs::remove_dir_all(profile);
                let message = format!("{}: {error}", executable.display());
                return Err(BrowserError::Start(message));
            }
        };
        this.address = this.wait_for_address()?;
        Ok(this)
    }

    /// The address of the DevTools protocol.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// The folder of its profile.
    pub(super) fn profile(&self) -> &Path {
        &self.profile
    }

    fn wait_for_address(&mut self) -> Result<String, BrowserError> {
        let begin = Instant::now();
        let path = self.profile.join("DevToolsActivePort");
        loop {
            let text = fs::read_to_string(&path).unwrap_or_default();
            if let Some((port, path)) = text.trim().split_once('\n') {
                return Ok(format!("ws://127.0.0.1:{port}{path}"));
            }
            let ended = self.child.try_wait().ok().flatten();
            if ended.is_some() || begin.elapsed() > PATIENCE {
                let said = fs::read_to_string(log(&self.profile)).unwrap_or_default();
                let how = ended.map_or("it told no port".to_owned(), |status| status.to_string());
                return Err(BrowserError::Start(format!("{how}\n{said}")));
            }
            sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // Its child processes end with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
        for _ in 0..50 {
            if fs::remove_dir_all(&self.profile).is_ok() {
                return;
            }
            sleep(Duration::from_millis(20));
        }
    }
}

fn find() -> Option<PathBuf> {
    match std::env::var_os(EXECUTABLE) {
        Some(path) => Some(path.into()).filter(|path: &PathBuf| path.exists()),
        None => {
            let mut places = USUAL_PLACES.iter().map(PathBuf::from);
            places.find(|path| path.exists())
        }
    }
}

/// A folder that no other browser uses.
fn new_profile() -> std::io::Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("anywarp-browser-{}-{count}", std::process::id());
    let profile = std::env::temp_dir().join(name);
    let _ = fs::remove_dir_all(&profile);
    fs::create_dir_all(&profile)?;
    Ok(profile)
}

fn log(profile: &Path) -> PathBuf {
    profile.join("stderr.txt")
}

fn spawn(executable: &Path, profile: &Path) -> std::io::Result<Child> {
    let mut folder = std::ffi::OsString::from("--user-data-dir=");
    folder.push(profile);
    Command::new(executable)
        .args(FLAGS)
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(log(profile))?)
        .spawn()
}
