//! The certificates, tokens and keys of the control plane and its users.

use std::path::PathBuf;

use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};
use serde_json::json;

use super::process::Folder;

/// Users, and the groups from which they get their permissions.
const USERS: [(&str, &str); 3] = [
    ("admin", "system:masters"),
    ("viewer", "viewers"),
    ("nobody", "strangers"),
];

/// Generates all of them, and writes the files that the programs read.
pub(super) fn write(folder: &Folder, url: &str) {
    let key = KeyPair::generate().unwrap();
    let mut params =
        CertificateParams::new(vec!["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
    params
        .distinguished_name
        .push(DnType::CommonName, "control-plane");
    params.not_before = date_time_ymd(2000, 1, 1);
    params.not_after = date_time_ymd(2200, 1, 1);
    let certificate = params.self_signed(&key).unwrap().pem();
    let put = |name: &str, text: &str| std::fs::write(folder.file(name), text).unwrap();
    put("server.crt", &certificate);
    put("server.key", &key.serialize_pem());
    // Programs that sign read the private key. Programs that verify cannot read this kind of private key.
    let accounts = KeyPair::generate().unwrap();
    put("accounts.key", &accounts.serialize_pem());
    put("accounts.pub", &accounts.public_key_pem());
    let token = |(user, group): &(&str, &str)| format!("{},{user},{user},{group}\n", token(user));
    put("tokens.csv", &USERS.iter().map(token).collect::<String>());
    for (user, _) in USERS {
        write_kubeconfig(folder, url, user);
    }
}

/// Writes the kubeconfig of a user. JSON is YAML.
fn write_kubeconfig(folder: &Folder, url: &str, user: &str) {
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "plane", "cluster": {
            "server": url,
            "certificate-authority": folder.file("server.crt"),
        }}],
        "users": [{"name": user, "user": {"token": token(user)}}],
        "contexts": [{"name": "plane", "context": {"cluster": "plane", "user": user}}],
        "current-context": "plane",
    });
    std::fs::write(kubeconfig(folder, user), config.to_string()).unwrap();
}

/// The path of a user's kubeconfig.
pub(super) fn kubeconfig(folder: &Folder, user: &str) -> PathBuf {
    folder.file(&format!("{user}.kubeconfig"))
}

fn token(user: &str) -> String {
    format!("{user}-token")
}
