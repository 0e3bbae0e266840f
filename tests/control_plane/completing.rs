//! kubectl completes the arguments of the plugin as the plugin does.

use std::env;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use test_requirements::KUBECTL;

use crate::control_plane::prelude::*;

#[test]
fn kubectl_completion_offers_what_the_plugin_offers() {
    let Some(plane) = shared_plane() else { return };
    let kubectl = assets().unwrap().join("kubectl");
    if !kubectl.is_file() {
        return KUBECTL.skip();
    }
    let ns = Namespace::new(plane, "completed");
    for name in ["nightly", "hourly"] {
        ns.create(name, &json!({"schedule": "0 0 1 1 *"}));
    }
    let kubeconfig = plane.kubeconfig("admin");
    let folder = kubeconfig.parent().unwrap().join("plugins");
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("kubectl-cronjob_doctor");
    symlink(crate::support::run::binary(), program).unwrap();
    let script = folder.join("kubectl_complete-cronjob_doctor");
    fs::write(&script, doctor(["completion", "kubectl"]).fine()).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();

    let offered = |words: &[&str]| {
        let path = format!("{}:{}", folder.display(), env::var("PATH").unwrap());
        let output = Command::new(&kubectl)
            .args(["__complete", "cronjob-doctor"])
            .args(words)
            .env("PATH", path)
            .env("HOME", &folder)
            .env("KUBECONFIG", &kubeconfig)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.trim_end().to_owned()
    };
    let expected = "explain\tExplain what the controller will do with a CronJob, and why\n:4";
    assert_eq!(offered(&["expl"]), expected);
    let names = offered(&["explain", "-n", &ns.name, ""]);
    assert_eq!(names, "hourly\nnightly\n:4");
    assert_eq!(offered(&["-n", "complet"]), "completed\n:4");
}
