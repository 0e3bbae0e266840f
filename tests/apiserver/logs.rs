//! What containers write, as a kube-apiserver shows it.

use serde_json::{Value, json};

use crate::apiserver::client;
use crate::support::apiserver::{ApiServer, Options};

const LOG: &str = "/api/v1/namespaces/shop/pods/a/log";

fn server() -> ApiServer {
    let server = ApiServer::start(Options::default());
    server.add(json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a", "namespace": "shop"},
        "spec": {"containers": [{"name": "main"}, {"name": "proxy"}]},
    }));
    server
}

fn refused(server: &ApiServer, path: &str) -> (u16, String) {
    let answer = client(server, "viewer").get(path);
    let status: Value = answer.json();
    let message = status["message"].as_str().unwrap();
    (answer.status, message.to_owned())
}

#[test]
fn as_it_is_written() {
    let server = server();
    server.log("shop", "a", "main", "one\n");
    let path = format!("{LOG}?container=main");
    assert_eq!(client(&server, "viewer").get(&path).text(), "one\n");
    let path = format!("{path}&follow=true");
    let mut log = client(&server, "viewer")
        .open("GET", &path, "", &[])
        .unwrap();
    assert_eq!(log.line().unwrap().as_deref(), Some("one\n"));
    server.log("shop", "a", "main", "two\n");
    assert_eq!(log.line().unwrap().as_deref(), Some("two\n"));
    server.end_log("shop", "a", "main");
    assert_eq!(log.line().unwrap(), None);
}

#[test]
fn what_cannot_be_read() {
    let server = server();
    let cases = [
        (
            "",
            400,
            "a container name must be specified for pod a, choose one of: [main proxy]",
        ),
        ("?container=x", 400, "container x is not valid for pod a"),
        (
            "?container=main",
            400,
            "container \"main\" in pod \"a\" is waiting to start: ContainerCreating",
        ),
    ];
    for (query, code, message) in cases {
        let said = refused(&server, &format!("{LOG}{query}"));
        assert_eq!(said, (code, message.to_owned()));
    }
    let said = refused(&server, "/api/v1/namespaces/shop/pods/b/log");
    assert_eq!(said, (404, "pods \"b\" not found".to_owned()));
    server.deny(|attempt| attempt.subresource == "log");
    assert_eq!(refused(&server, LOG).0, 403);
}
