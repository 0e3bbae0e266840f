//! Direct access to etcd, for what the API server does not allow: objects of older releases, and compacted histories.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use serde_json::{Value, json};

use super::free_port;
use super::process::{Folder, Process, eventually};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

/// An etcd, accessed through its own gateway from JSON to gRPC.
pub(crate) struct Etcd {
    process: Process,
    port: u16,
}

impl Etcd {
    pub(super) fn start(assets: &Path, folder: &Folder) -> Etcd {
        let port = free_port();
        let clients = format!("http://127.0.0.1:{port}");
        let peers = format!("http://127.0.0.1:{}", free_port());
        let arguments = [
            "--data-dir=etcd".to_owned(),
            // Nothing needs to survive a crash.
            "--unsafe-no-fsync".to_owned(),
            format!("--listen-client-urls={clients}"),
            format!("--advertise-client-urls={clients}"),
            format!("--listen-peer-urls={peers}"),
            format!("--initial-advertise-peer-urls={peers}"),
            format!("--initial-cluster=default={peers}"),
        ];
        let process = Process::start(folder, "etcd", &assets.join("etcd"), &[], &arguments);
        let etcd = Etcd { process, port };
        eventually("etcd is ready", || {
            etcd.process.check();
            etcd.try_post("/v3/maintenance/status", &json!({}))
        });
        etcd
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Writes an object without the API server and its validation. The API server reads objects that are stored as
    /// JSON, too.
    pub(crate) fn put(&self, resource: &str, object: &Value) {
        let text = |field: &str| object["metadata"][field].as_str().unwrap();
        let key = format!(
            "/registry/{resource}/{}/{}",
            text("namespace"),
            text("name")
        );
        let value = object.to_string();
        self.post(
            "/v3/kv/put",
            &json!({
                "key": BASE64.encode(key),
                "value": BASE64.encode(value),
            }),
        );
    }

    /// Compacts the history: lists that began earlier cannot continue.
    pub(crate) fn compact(&self) {
        let nothing = BASE64.encode("nothing");
        let answer = self.post("/v3/kv/put", &json!({"key": nothing, "value": nothing}));
        let revision = &answer["header"]["revision"];
        self.post(
            "/v3/kv/compaction",
            &json!({"revision": revision, "physical": true}),
        );
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.try_post(path, body).unwrap()
    }

    fn try_post(&self, path: &str, body: &Value) -> Option<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let body = body.to_string();
        let length = body.len();
        // In HTTP/1.0, an answer ends with its connection.
        let request = format!("POST {path} HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        assert!(head.contains(" 200 "), "{path}: {answer}");
        serde_json::from_str(body).ok()
    }
}
