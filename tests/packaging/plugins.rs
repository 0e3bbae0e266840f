//! The files in plugins/: they have only fields that their programs read, and every command works.

use std::process::{Command, Stdio};

use crate::docs_live::cluster;
use crate::support::apiserver::{ApiServer, Kubeconfig};
use crate::support::files::{text, yaml};
use crate::support::prelude::*;

const READING: [&str; 5] = ["explain", "history", "logs", "next-runs", "scan"];

/// Runs a shell in which this program is a plugin of kubectl and the pager shows everything. Returns whether it
/// succeeded, and what it printed.
fn shell(server: &ApiServer, arguments: &[&str]) -> (bool, String) {
    let binary = crate::support::run::binary();
    let folder = Folder::new("plugins", &[]);
    let kubectl = "#!/bin/sh\n[ \"$1\" = cronjob-doctor ] || exit 9\nshift\nexec BINARY \"$@\"\n";
    folder.program("kubectl", &kubectl.replace("BINARY", binary));
    folder.program("less", "#!/bin/sh\n[ \"$*\" = -R ] || exit 9\nexec cat\n");
    let path = format!("{}:{}", folder.path(), std::env::var("PATH").unwrap());
    let config = server.kubeconfig(&Kubeconfig::user("admin").namespace("default"));
    let mut command = Command::new("sh");
    command.args(arguments).env_clear().env("PATH", path);
    command.env("KUBECONFIG", config).stdin(Stdio::null());
    let output = command.output().unwrap();
    let printed = String::from_utf8([output.stdout, output.stderr].concat());
    (output.status.success(), printed.unwrap())
}

/// Asserts that a command line only reads, and that it works for a CronJob.
fn assert_reads(server: &ApiServer, line: &str) {
    let verb = line.split(' ').nth(2).unwrap();
    assert!(READING.contains(&verb), "{line}");
    let (succeeds, printed) = shell(server, &["-c", line]);
    assert!(succeeds && !printed.is_empty(), "{line}: {printed}");
}

fn only(file: &str) -> Value {
    yaml(&text(file)).remove(0)
}

fn string<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap()
}

fn assert_fields(value: &Value, known: &str) {
    let mut fields = value.as_object().unwrap().keys();
    let is_known = |field: &String| known.split(' ').any(|one| one == field);
    assert!(fields.all(is_known), "{value}");
}

/// What the schema of k9s 0.51 (internal/config/json/schemas/plugins.json) allows and requires in a plugin.
const K9S_FIELDS: &str = "shortCut override description confirm dangerous scopes command background overwriteOutput args inputs";
const K9S_REQUIRED: [&str; 4] = ["shortCut", "description", "scopes", "command"];

#[test]
fn k9s_plugins_have_known_fields_and_free_keys() {
    let file = only("deploy/plugins/k9s.yaml");
    // What k9s 0.50 and 0.51 use in the list of CronJobs.
    let mut keys = Vec::from(["A", "J", "L", "N", "O", "P", "S", "V"]);
    for plugin in file["plugins"].as_object().unwrap().values() {
        assert_fields(plugin, K9S_FIELDS);
        assert!(K9S_REQUIRED.iter().all(|field| !plugin[field].is_null()));
        let switches = ["confirm", "dangerous", "background"].map(|field| &plugin[field]);
        assert!(switches.iter().all(|one| one.is_null() || one.is_boolean()));
        assert!(plugin["args"].items().iter().all(Value::is_string));
        let key = string(plugin, "shortCut").strip_prefix("Shift-").unwrap();
        assert!(key.len() == 1 && !keys.contains(&key), "{key}");
        keys.push(key);
        assert_eq!(plugin["scopes"], json!(["cronjobs"]));
    }
}

#[test]
fn k9s_plugins_show_the_expected_output_and_change_nothing_without_confirmation() {
    let server = cluster();
    let plugins = &only("deploy/plugins/k9s.yaml")["plugins"];
    for line in [
        "cronjob-explain ops failing shows ops/failing",
        "cronjob-history ops failing shows Sat 2026-11-21 02:12",
        "cronjob-failed-logs ops failing shows connection refused",
        "cronjob-next-runs ops failing shows Sat 2026-11-21 02:14",
        "cronjob-trigger ops failing shows nothing was changed",
        "cronjob-resume shop nightly shows nothing was changed",
    ] {
        let (called, part) = line.split_once(" shows ").unwrap();
        let (name, called) = called.split_once(' ').unwrap();
        let (namespace, cron_job) = called.split_once(' ').unwrap();
        let value = |variable| match variable {
            "$NAME" => cron_job,
            "$NAMESPACE" => namespace,
            "$CONTEXT" => "test",
            other => other,
        };
        let arguments = plugins[name]["args"].as_array().unwrap().iter();
        let arguments: Vec<&str> = arguments.map(|one| value(one.as_str().unwrap())).collect();
        // `k9s --kubeconfig` does not change the environment of what it starts.
        assert_eq!(string(&plugins[name], "command"), "env");
        assert_eq!(arguments[..2], ["KUBECONFIG=$KUBECONFIG", "sh"]);
        let arguments = &arguments[2..];
        // k9s replaces other variables in the text of the script.
        assert_lacks!(arguments.concat().replace("\"$@\"", ""), '$');
        let (_, printed) = shell(&server, arguments);
        assert!(printed.contains(part), "{name}: {printed}");
        let is_dangerous = plugins[name]["dangerous"] == true;
        assert_eq!(is_dangerous, !READING.contains(&arguments[3]), "{name}");
    }
    for request in server.requests() {
        let is_creation = request.method == "POST" && request.path.ends_with("/jobs");
        assert!(!is_creation && request.method != "PATCH", "{request:?}");
    }
}

#[test]
fn kubectl_ai_tools_only_read_and_every_command_works() {
    let server = cluster();
    for tool in only("deploy/plugins/kubectl-ai.yaml").as_array().unwrap() {
        assert_fields(tool, "name description command command_desc");
        let usages = string(tool, "command_desc").split('`').skip(1).step_by(2);
        for usage in usages {
            assert!(usage.starts_with(string(tool, "command")), "{usage}");
            let usage = usage.replace("NAMESPACE", "ops");
            assert_reads(&server, &usage.replace("NAME", "failing"));
        }
    }
}

#[test]
fn holmesgpt_tools_only_read_and_every_command_works() {
    let server = cluster();
    let file = only("deploy/plugins/holmesgpt.yaml");
    let toolset = &file["toolsets"]["cronjob-doctor"];
    let known = "description docs_url tags prerequisites llm_instructions tools";
    assert_fields(toolset, known);
    assert_eq!(toolset["tags"], json!(["core"]));
    let ready = string(&toolset["prerequisites"][0], "command");
    assert!(shell(&server, &["-c", ready]).0);
    for tool in toolset["tools"].as_array().unwrap() {
        assert_fields(tool, "name description command");
        let line = string(tool, "command").replace("{{ namespace }}", "'ops'");
        assert_reads(&server, &line.replace("{{ name }}", "'failing'"));
        // `HolmesGPT` quotes what an assistant fills in; it must not be an option, either.
        let hostile = line.replace("{{ name }}", "'--version'");
        if hostile != line {
            let (_, printed) = shell(&server, &["-c", &hostile]);
            assert_contains!(printed, "\"--version\" not found");
        }
    }
}
