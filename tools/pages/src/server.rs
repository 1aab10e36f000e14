//! An HTTP server of one folder for this machine only.
//!
//! What always holds: it listens on 127.0.0.1, which browsers treat as a secure context, as WebGPU requires; it
//! answers GET and HEAD with files of the folder and changes nothing; it stops when it is dropped.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tiny_http::{Header, Method, Request, Response, StatusCode};

use crate::request;

/// Browsers open several connections at once; each worker serves one request at a time.
const WORKERS: usize = 4;

/// The server cannot listen.
#[derive(Debug, thiserror::Error)]
#[error("port {port} of this machine cannot be listened on: {message}")]
pub struct ServerError {
    port: u16,
    message: String,
}

/// Serves a folder until it is dropped.
pub struct Server {
    http: Arc<tiny_http::Server>,
    workers: Vec<JoinHandle<()>>,
    port: u16,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

impl Server {
    /// Starts to serve. Port 0 selects a free port.
    pub fn start(folder: &Path, port: u16) -> Result<Self, ServerError> {
        let failed = |message: String| ServerError { port, message };
        let http = tiny_http::Server::http(("127.0.0.1", port));
        let http = Arc::new(http.map_err(|error| failed(error.to_string()))?);
        let address = http.server_addr().to_ip();
        let port = address.ok_or_else(|| failed("it has no number".to_owned()))?;
        let workers = (0..WORKERS).map(|_| {
            let (http, folder) = (Arc::clone(&http), folder.to_owned());
            thread::spawn(move || serve(&http, &folder))
        });
        Ok(Self {
            workers: workers.collect(),
            http,
            port: port.port(),
        })
    }

    /// The address of the folder, with a trailing slash.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Serves until the process ends.
    pub fn join(mut self) {
        for worker in self.workers.drain(..) {
            // A worker that panicked has printed its message.
            let _ = worker.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One call ends one worker.
        for _ in &self.workers {
            self.http.unblock();
        }
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

fn serve(http: &tiny_http::Server, folder: &Path) {
    while let Ok(request) = http.recv() {
        let is_read = matches!(request.method(), Method::Get | Method::Head);
        // A browser that closed the connection is not an error.
        let _ = match request::file(folder, request.url()).filter(|_| is_read) {
            Some(path) => answer(request, path),
            None => {
                let code = if is_read { 404 } else { 405 };
                request.respond(Response::empty(StatusCode(code)))
            }
        };
    }
}

fn answer(request: Request, path: PathBuf) -> std::io::Result<()> {
    let Ok(file) = File::open(&path) else {
        return request.respond(Response::empty(StatusCode(404)));
    };
    let mut response = Response::from_file(file);
    let headers = [
        ("Content-Type", request::media_type(&path)),
        // A rebuilt page must be loaded again.
        ("Cache-Control", "no-cache"),
        ("X-Content-Type-Options", "nosniff"),
    ];
    for (name, value) in headers {
        if let Ok(header) = Header::from_bytes(name, value) {
            response.add_header(header);
        }
    }
    request.respond(response)
}

#[cfg(test)]
mod tests {
    use super::Server;
    use std::fs;
    use std::io::{Read, Write};
    use std::net::TcpStream;

    fn ask(server: &Server, first_line: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        let request = format!("{first_line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn files_have_their_type_and_the_rest_is_refused() {
        let folder = format!("anywarp-pages-server-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(folder.join("root")).unwrap();
        fs::write(folder.join("root/a.wasm"), "bytes").unwrap();
        fs::write(folder.join("secret.js"), "secret").unwrap();
        let server = Server::start(&folder.join("root"), 0).unwrap();

        let answer = ask(&server, "GET /a.wasm?x=1");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(
            answer.contains("Content-Type: application/wasm\r\n"),
            "{answer}"
        );
        assert!(answer.ends_with("\r\n\r\nbytes"), "{answer}");
        for (request, code) in [
            ("GET /../secret.js", "404"),
            ("GET /%2e%2e/secret.js", "404"),
            ("GET /b.wasm", "404"),
            ("PUT /a.wasm", "405"),
        ] {
            let answer = ask(&server, request);
            assert!(
                answer.starts_with(&format!("HTTP/1.1 {code}")),
                "{request}: {answer}"
            );
            assert!(!answer.contains("secret"), "{answer}");
        }
        let error = Server::start(&folder, server.port).err().unwrap();
        assert!(
            error.to_string().contains(&server.port.to_string()),
            "{error}"
        );
        drop(server);
        fs::remove_dir_all(folder).unwrap();
    }
}
