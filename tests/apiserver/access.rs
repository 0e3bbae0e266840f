//! Who asks, as whom, and what the server lets them do.

use serde_json::{Value, json};

use crate::apiserver::client;
use crate::support::apiserver::{ApiServer, Kubeconfig, Options, User};
use crate::support::https::{Answer, Client};

const JOBS: &str = "/apis/batch/v1/namespaces/shop/jobs";

fn message(answer: &Answer) -> String {
    answer.json()["message"].as_str().unwrap().to_owned()
}

#[test]
fn nobody_in_particular() {
    let server = ApiServer::start(Options::default());
    let anonymous = Client::new(&server.url(), server.authority(), None);
    assert_eq!(anonymous.get("/version").status, 200);
    let answer = anonymous.get("/apis");
    assert_eq!(answer.status, 403);
    assert_eq!(
        message(&answer),
        "forbidden: User \"system:anonymous\" cannot get path \"/apis\""
    );
}

#[test]
fn client_certificates() {
    let server = ApiServer::start(Options::default());
    let get = |expired: bool| {
        let pair = server.client_certificate("viewer", expired);
        let pair = Some((pair.certificate.as_str(), pair.key.as_str()));
        Client::new(&server.url(), server.authority(), pair).get(JOBS)
    };
    assert_eq!(get(false).status, 200);
    // TLS takes it; the server behind does not.
    assert_eq!(get(true).status, 401);
}

#[test]
fn the_words_of_a_refusal() {
    let options = Options::default().user(User::new("carol", |attempt| {
        attempt.namespace == "shop" && attempt.resource != "pods"
    }));
    let server = ApiServer::start(options);
    let carol = client(&server, "carol");
    assert_eq!(carol.get(JOBS).status, 200);
    assert_eq!(
        message(&carol.get("/api/v1/namespaces/shop/pods/a")),
        "pods \"a\" is forbidden: User \"carol\" cannot get resource \"pods\" in API group \"\" \
         in the namespace \"shop\""
    );
    assert_eq!(
        message(&carol.get("/apis/batch/v1/cronjobs?watch=1")),
        "cronjobs.batch is forbidden: User \"carol\" cannot watch resource \"cronjobs\" in API \
         group \"batch\" at the cluster scope"
    );
    let patch = [("Content-Type", "application/merge-patch+json")];
    let path = "/apis/batch/v1/namespaces/ops/cronjobs/a/status";
    assert_eq!(
        message(&carol.ask("PATCH", path, "{}", &patch)),
        "cronjobs.batch \"a\" is forbidden: User \"carol\" cannot patch resource \
         \"cronjobs/status\" in API group \"batch\" in the namespace \"ops\""
    );
}

#[test]
fn what_is_denied_is_denied_to_all() {
    let server = ApiServer::start(Options::default());
    server.deny(|attempt| attempt.resource == "events" && attempt.verb == "list");
    let admin = client(&server, "admin");
    assert_eq!(admin.get("/api/v1/events").status, 403);
    assert_eq!(admin.get(JOBS).status, 200);
}

#[test]
fn acting_as_somebody_else() {
    let server = ApiServer::start(Options::default());
    let acting =
        |user: &str, headers: &[(&str, &str)]| client(&server, user).ask("GET", JOBS, "", headers);
    let as_nobody = [("Impersonate-User", "nobody")];
    let refused = message(&acting("admin", &as_nobody));
    assert!(refused.contains("User \"nobody\" cannot list"), "{refused}");
    let as_masters = [
        ("Impersonate-User", "dave"),
        ("Impersonate-Group", "system:masters"),
        ("Impersonate-Group", "others"),
        ("Impersonate-Uid", "1234"),
    ];
    assert_eq!(acting("admin", &as_masters).status, 200);
    let recorded = server.requests().pop().unwrap();
    assert_eq!(
        recorded.headers("impersonate-group"),
        ["system:masters", "others"]
    );
    assert_eq!(recorded.header("impersonate-uid"), Some("1234"));
    assert_eq!(
        message(&acting("viewer", &as_nobody)),
        "users \"nobody\" is forbidden: User \"viewer\" cannot impersonate resource \"users\" in \
         API group \"\" at the cluster scope"
    );
}

#[test]
fn what_may_i() {
    let server = ApiServer::start(Options::default());
    let path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    let question = json!({"spec": {"namespace": "shop"}}).to_string();
    let rules = |user: &str| -> Value {
        let answer = client(&server, user).ask("POST", path, &question, &[]);
        assert_eq!(answer.status, 201);
        answer.json()["status"]["resourceRules"].clone()
    };
    let jobs = |rules: &Value| {
        let rules = rules.as_array().unwrap().clone();
        rules
            .into_iter()
            .find(|rule| rule["resources"] == json!(["jobs"]))
    };
    assert_eq!(
        jobs(&rules("viewer")).unwrap()["verbs"],
        json!(["get", "list", "watch"])
    );
    assert_eq!(jobs(&rules("nobody")), None);
}

#[test]
fn kubeconfigs() {
    let server = ApiServer::start(Options::default());
    let written = |config: &Kubeconfig| -> Value {
        let path = server.kubeconfig(config);
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let user = |config: &Value| config["users"][0]["user"].clone();
    let config = written(&Kubeconfig::user("viewer").namespace("shop").context("lab"));
    assert_eq!(config["current-context"], "lab");
    assert_eq!(config["contexts"][0]["context"]["namespace"], "shop");
    assert_eq!(config["clusters"][0]["cluster"]["server"], server.url());
    assert_eq!(user(&config), json!({"token": "viewer-token"}));
    let config = user(&written(&Kubeconfig::certificate("viewer")));
    assert!(config["client-key-data"].is_string());
    let config = user(&written(&Kubeconfig::exec("sh", &["-c", "true"])));
    assert_eq!(config["exec"]["args"], json!(["-c", "true"]));
    let right = written(&Kubeconfig::anonymous())["clusters"][0]["cluster"].clone();
    let wrong =
        written(&Kubeconfig::anonymous().wrong_authority())["clusters"][0]["cluster"].clone();
    let field = "certificate-authority-data";
    assert!(wrong[field].is_string() && wrong[field] != right[field]);
    let path = server.kubeconfig(&Kubeconfig::anonymous());
    drop(server);
    assert!(!path.exists());
}
