//! What the server speaks, and whom it speaks it to.

use serde_json::{Value, json};

use super::{client, cron_job, names, recorded_server};
use crate::support::apiserver::{ApiServer, Options, protobuf};

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const CRON_JOBS: &str = "/apis/batch/v1/cronjobs";

fn content_type(server: &ApiServer, path: &str, accept: &str) -> (u16, String) {
    let answer = client(server, "admin").with("Accept", accept).get(path);
    let content_type = answer.header("content-type").unwrap().to_owned();
    (answer.status, content_type)
}

#[test]
fn the_client_decides_on_the_language() {
    let server = recorded_server();
    for (accept, language) in [
        ("*/*", "application/json"),
        ("application/json", "application/json"),
        (&format!("{PROTOBUF},application/json"), PROTOBUF),
        (&format!("application/json,{PROTOBUF}"), "application/json"),
        (&format!("application/json;q=0.5,{PROTOBUF}"), PROTOBUF),
        (&format!("*/*,{PROTOBUF}"), PROTOBUF),
        (
            "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
            "application/json",
        ),
    ] {
        let expected = (200, language.to_owned());
        assert_eq!(
            content_type(&server, CRON_JOBS, accept),
            expected,
            "{accept}"
        );
    }
}

/// Custom resources have no protobuf: a client that takes nothing else gets nothing.
#[test]
fn custom_resources_speak_json() {
    let tutorial = "batch.tutorial.kubebuilder.io/v1";
    let options = Options::default().custom_resource(tutorial, "cronjobs", "CronJob");
    let server = ApiServer::start(options);
    let mut object = cron_job("shop", "hello");
    object["apiVersion"] = json!(tutorial);
    server.add(object);
    let path = format!("/apis/{tutorial}/cronjobs");
    let both = format!("{PROTOBUF},application/json");
    assert_eq!(
        content_type(&server, &path, &both),
        (200, "application/json".to_owned())
    );
    // The refusal itself can be said in protobuf.
    assert_eq!(
        content_type(&server, &path, PROTOBUF),
        (406, PROTOBUF.to_owned())
    );
    let answer = client(&server, "admin").get(&path);
    let list = answer.json();
    assert_eq!(names(&list), ["shop/hello"]);
    assert_eq!(list["items"][0]["kind"], "CronJob");
    assert!(
        answer.text().starts_with("{\"apiVersion\":"),
        "{}",
        answer.text()
    );
}

#[test]
fn json_is_indented_for_people_only() {
    let server = recorded_server();
    let path = "/apis/batch/v1/namespaces/shop/cronjobs/nope";
    let lines = |path: &str, agent: &str| {
        let client = client(&server, "admin").with("User-Agent", agent);
        client.get(path).text().lines().count()
    };
    assert_eq!(lines(path, "kube-rs/5"), 1);
    assert_eq!(lines(path, "curl/8"), 14);
    assert_eq!(lines(&format!("{path}?pretty=1"), "kube-rs/5"), 14);
    assert_eq!(lines(&format!("{path}?pretty=0"), "curl/8"), 1);
}

#[test]
fn go_escapes_some_signs_in_json() {
    let server = ApiServer::start(Options::default());
    let mut object = cron_job("shop", "hello");
    object["metadata"]["annotations"] = json!({"note": "a < b && c > d"});
    server.add(object);
    let text = client(&server, "admin").get(CRON_JOBS);
    let expected = r"a \u003c b \u0026\u0026 c \u003e d";
    assert!(text.text().contains(expected), "{}", text.text());
}

/// Long answers are compressed for those who like it; this server only wraps them.
#[test]
fn long_answers_are_in_gzip() {
    let server = ApiServer::start(Options::default());
    for number in 0..500 {
        server.add(cron_job("shop", &format!("job-{number:04}")));
    }
    let plain = client(&server, "admin").get(CRON_JOBS);
    assert_eq!(plain.header("content-encoding"), None);
    let wrapped = client(&server, "admin")
        .with("Accept-Encoding", "br, gzip")
        .get(CRON_JOBS);
    assert_eq!(wrapped.header("content-encoding"), Some("gzip"));
    assert_eq!(unwrapped(&wrapped.body), plain.body);
    let short = client(&server, "admin")
        .with("Accept-Encoding", "gzip")
        .get("/version");
    assert_eq!(short.header("content-encoding"), None);
}

/// The content of stored blocks.
fn unwrapped(gzip: &[u8]) -> Vec<u8> {
    let (mut rest, mut bytes) = (&gzip[10..], Vec::new());
    loop {
        let length = usize::from(u16::from_le_bytes([rest[1], rest[2]]));
        bytes.extend_from_slice(&rest[5..5 + length]);
        let last = rest[0] == 1;
        rest = &rest[5 + length..];
        if last {
            assert_eq!(rest.len(), 8);
            return bytes;
        }
    }
}

/// Nothing is recorded for these; what a reader finds on the wire is what was put there.
#[test]
fn pods_and_events_in_protobuf() {
    let pod = json!({
        "metadata": {"name": "a", "creationTimestamp": "1970-01-01T00:02:10Z"},
        "spec": {
            "containers": [{
                "name": "c",
                "resources": {"requests": {"cpu": "1"}},
                "livenessProbe": {"httpGet": {"port": 8080}, "periodSeconds": 10},
            }],
            "volumes": [{"name": "v", "configMap": {"name": "m", "optional": true}}],
        },
        "status": {"phase": "Running"},
    });
    let bytes = protobuf::encode("Pod", &pod);
    let field = |path: &[u64]| {
        path.iter().fold(bytes.clone(), |bytes, number| {
            let mut fields = read(&bytes).into_iter();
            fields.find(|(found, _)| found == number).unwrap().1
        })
    };
    // metadata.name, metadata.creationTimestamp.seconds
    assert_eq!(field(&[1, 1]), b"a");
    assert_eq!(field(&[1, 8, 1]), [0x82, 0x01]);
    // spec.containers.resources.requests: cpu, "1"
    assert_eq!(field(&[2, 2, 8, 2, 1]), b"cpu");
    assert_eq!(field(&[2, 2, 8, 2, 2, 1]), b"1");
    // spec.containers.livenessProbe: handler.httpGet.port.intVal, periodSeconds
    assert_eq!(field(&[2, 2, 10, 1, 2, 2, 2]), [0x90, 0x3f]);
    assert_eq!(field(&[2, 2, 10, 4]), [10]);
    // spec.volumes.volumeSource.configMap: localObjectReference.name, optional
    assert_eq!(field(&[2, 1, 2, 19, 1, 1]), b"m");
    assert_eq!(field(&[2, 1, 2, 19, 4]), [1]);
    assert_eq!(field(&[3, 1]), b"Running");
}

/// The fields of a message: their numbers and bytes.
fn read(mut bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    fn varint(bytes: &mut &[u8]) -> (u64, Vec<u8>) {
        let length = bytes.iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
        let (raw, rest) = bytes.split_at(length);
        *bytes = rest;
        let groups = raw.iter().rev();
        let value = groups.fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f));
        (value, raw.to_vec())
    }
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let (key, _) = varint(&mut bytes);
        let (value, raw) = varint(&mut bytes);
        if key % 8 == 0 {
            fields.push((key >> 3, raw));
        } else {
            assert_eq!(key % 8, 2);
            let (content, rest) = bytes.split_at(usize::try_from(value).unwrap());
            fields.push((key >> 3, content.to_vec()));
            bytes = rest;
        }
    }
    fields
}

#[test]
#[should_panic(expected = "the table of messages does not know CronJob.spec.shedule")]
fn no_field_is_lost_in_silence() {
    protobuf::encode("CronJob", &json!({"spec": {"shedule": "* * * * *"}}));
}

#[test]
fn events_have_two_shapes() {
    let server = recorded_server();
    let admin = client(&server, "admin");
    let name = "never.18e9ed736a5522da";
    let old = admin
        .get(&format!("/api/v1/namespaces/shop/events/{name}"))
        .json();
    let new = admin
        .get(&format!(
            "/apis/events.k8s.io/v1/namespaces/shop/events/{name}"
        ))
        .json();
    assert_eq!(new["apiVersion"], "events.k8s.io/v1");
    for (one, other) in [
        ("involvedObject", "regarding"),
        ("message", "note"),
        ("count", "deprecatedCount"),
        ("source", "deprecatedSource"),
        ("reason", "reason"),
    ] {
        assert!(!old[one].is_null());
        assert_eq!(old[one], new[other]);
    }
    let protobuf = admin
        .with("Accept", PROTOBUF)
        .get("/apis/events.k8s.io/v1/events");
    assert_eq!(protobuf.status, 200);
}

#[test]
fn discovery() {
    let options = Options::default()
        .git_version("v1.27.3-gke.1700")
        .custom_resource("batch.tutorial.kubebuilder.io/v1", "cronjobs", "CronJob");
    let server = ApiServer::start(options);
    let get = |path: &str| client(&server, "nobody").get(path);
    let version = get("/version").json();
    assert_eq!(
        (&version["minor"], &version["gitVersion"]),
        (&json!("27"), &json!("v1.27.3-gke.1700"))
    );
    assert_eq!(get("/healthz").text(), "ok");
    assert_eq!(get("/api").json()["versions"], json!(["v1"]));
    let list = get("/apis").json();
    let groups: Vec<&Value> = list["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| &group["name"])
        .collect();
    assert_eq!(
        groups,
        [
            "authorization.k8s.io",
            "batch",
            "events.k8s.io",
            "batch.tutorial.kubebuilder.io"
        ]
    );
    let batch = get("/apis/batch/v1").json();
    let resources = batch["resources"].as_array().unwrap().iter();
    let resources: Vec<&Value> = resources.map(|resource| &resource["name"]).collect();
    assert_eq!(
        resources,
        ["cronjobs", "cronjobs/status", "jobs", "jobs/status"]
    );
    assert_eq!(
        get("/apis/none.example.com/v1").text(),
        "404 page not found\n"
    );
    let unknown = client(&server, "admin").get("/apis/batch/v1/frobs");
    assert_eq!(unknown.status, 404);
    assert_eq!(
        unknown.json()["message"],
        "the server could not find the requested resource"
    );
}

/// What clients send in protobuf is read with the same table, which must lose nothing either.
#[test]
fn the_way_back_from_protobuf() {
    for (bytes, text) in [
        (
            &include_bytes!("../fixtures/apiserver/cronjobs.pb")[..],
            include_str!("../fixtures/cronjobs.json"),
        ),
        (
            include_bytes!("../fixtures/apiserver/jobs.pb"),
            include_str!("../fixtures/jobs.json"),
        ),
        (
            include_bytes!("../fixtures/apiserver/err-404.pb"),
            include_str!("../fixtures/apiserver/err-404.json"),
        ),
    ] {
        let value = protobuf::decode_envelope(bytes).unwrap();
        assert_eq!(value, serde_json::from_str::<Value>(text).unwrap());
    }
}

#[test]
fn objects_can_be_sent_in_protobuf() {
    let server = recorded_server();
    let admin = client(&server, "admin").with("Content-Type", PROTOBUF);
    let object = cron_job("shop", "sent");
    let message = protobuf::encode("CronJob", &object);
    let body = protobuf::envelope("batch/v1", "CronJob", &message);
    let path = "/apis/batch/v1/namespaces/shop/cronjobs";
    let answer = admin.ask("POST", path, &body, &[]);
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert_eq!(
        answer.json()["spec"]["schedule"],
        object["spec"]["schedule"]
    );
    assert_eq!(admin.ask("POST", path, "k8s", &[]).status, 400);
}
