//! `plan` through the real binary: the effects of each kind of change, derived manually.

use crate::support::markdown::{HARM, assert_inert};
use crate::support::objects::Objects;
use crate::support::planned::{blocked, live, managed, manifest, owns, suspended_after};
use crate::support::prelude::*;

/// A Saturday.
const NOW: &str = "--now=2026-11-21T12:00:30Z";
const IN_1_36: &str = "--kubernetes-version=1.36";

/// Compares with objects by the flag `--from` or `--from-live`.
fn planned(flag: &str, old: &[Value], new: &[Value], more: impl CommandLine) -> Ran {
    let [old, new] = [list(old), list(new)];
    let folder = Folder::new("plan", &[("old.json", &old), ("new.json", &new)]);
    let arguments = ["plan", "-f", "new.json", flag, "old.json", NOW];
    doctor_in(&folder, (&arguments, more))
}

/// The changes of a plan by name, and its counts of those added, removed and not read.
fn changes(ran: &Ran) -> String {
    let document = ran.json();
    let items = document["items"].items().iter();
    let change = |item: &Value| format!("{} {}", item["name"].text(), item["change"].text());
    let mut items: Vec<String> = items.map(change).collect();
    items.sort();
    let counts = ["added", "removed", "notRead"].map(|count| &document["summary"][count]);
    let [added, removed, unread] = counts;
    format!("{}; {added} {removed} {unread}", items.join(", "))
}

/// An object that cannot be read may exist: it is neither removed nor added.
#[test]
fn unread_objects_are_neither_removed_nor_added() {
    let [a, b] = ["a", "b"].map(|name| manifest(name, "0 2 * * *").to_string());
    let quoted = manifest("b", "0 2 * * * suspend=\"false\"").to_string();
    let conflict = format!("<<<<<<< HEAD\n{b}");
    let template = "kind: CronJob\nmetadata:\n  name: {{ .Values.name }}\n{{- end }}\n";
    for unread in [quoted.as_str(), &conflict, template] {
        for [whole, other] in [["old", "new"], ["new", "old"]] {
            let folder = Folder::new("plan-unread", &[]);
            folder.write(&format!("{whole}/a.yaml"), &a);
            folder.write(&format!("{whole}/b.yaml"), &b);
            folder.write(&format!("{other}/a.yaml"), &a);
            folder.write(&format!("{other}/b.yaml"), unread);
            for flags in ["--from old", "--from-live old", "--from-live old --prune"] {
                let plan = |format| doctor_in(&folder, ("plan -f new", [NOW, "-o", format], flags));
                let ran = plan("json");
                assert_eq!(ran.code, 2, "{ran}");
                // Without --prune, nothing happens to live objects, even if an unread object without a
                // name may be one of them.
                let is_left = flags == "--from-live old" && changes(&ran) == "a unchanged; 0 0 0";
                let is_not_read = changes(&ran) == "a unchanged, b notRead; 0 0 1";
                assert!(is_not_read || is_left, "{unread} {}", changes(&ran));
                let file = format!("{other}/b.yaml");
                assert_eq!(ran.json()["unread"][0]["file"], file, "{ran}");
                for format in ["text", "markdown", "github"] {
                    let shown = plan(format).stdout;
                    let is_named = shown.contains("Not read") && shown.contains("b.yaml");
                    assert!(is_named && !shown.contains("removed"), "{shown}");
                }
            }
        }
    }
    // The error of a file says nothing about the objects of other files.
    let conflict = "<<<<<<< HEAD\nname: a\n";
    let files = [
        ("old/a.yaml", a.as_str()),
        ("old/b.yaml", &b),
        ("new.yaml", conflict),
    ];
    let folder = Folder::new("plan-unread", &files);
    let ran = doctor_in(&folder, "plan -f new.yaml --from old -o json");
    assert_eq!(changes(&ran), "a notRead, b removed; 0 1 1");
}

/// Objects of a cluster show that its controller is down, also in files.
#[test]
fn nothing_starts_while_the_controller_is_down() {
    let off = live("off", "*/30 * * * * suspend=true");
    let due = ["a", "b"].map(|name| live(name, "*/15 * * * *"));
    let mut stored = Objects::default().read("seen 21T12:00:20");
    stored.extend([off].into_iter().chain(due));
    let resumed = [manifest("off", "*/30 * * * * suspend=false")];
    let plan = planned("--from-live", &stored, &resumed, "-o json").json();
    let effects = plan["items"].named("off")["effects"].to_string();
    let expected = "when kube-controller-manager, which seems to be down, is running again";
    assert_contains!(effects, expected);
    assert_lacks!(effects, "immediately");
}

/// A file that is skipped may have any CronJob.
#[cfg(unix)]
#[test]
fn skipped_file_is_not_read() {
    let [a, b] = ["a", "b"].map(|name| manifest(name, "0 2 * * *").to_string());
    for target in ["../elsewhere.yaml", "nowhere.yaml"] {
        let files = [
            ("old/a.yaml", a.as_str()),
            ("old/b.yaml", &b),
            ("new/a.yaml", &a),
            ("elsewhere.yaml", &b),
        ];
        let folder = Folder::new("plan-skipped", &files);
        std::os::unix::fs::symlink(target, folder.file("new/b.yaml")).unwrap();
        let ran = doctor_in(&folder, "plan -f new --from old -o json");
        assert_eq!(ran.code, 2, "{ran}");
        assert_eq!(changes(&ran), "a unchanged, b notRead; 0 0 1");
    }
}

/// kustomize requires neither a kind nor an API version in its own file.
#[test]
fn kustomization_without_its_type_is_not_an_error() {
    let a = manifest("a", "0 2 * * *").to_string();
    let resources = "resources:\n- a.yaml\n";
    let with_kind = format!("kind: Kustomization\n{resources}");
    for kustomization in [resources, &with_kind] {
        let files = [
            ("old/a.yaml", a.as_str()),
            ("new/a.yaml", &a),
            ("new/kustomization.yaml", kustomization),
        ];
        let folder = Folder::new("plan-kustomization", &files);
        doctor_in(&folder, "plan -f new --from old").fine();
        assert_eq!(doctor_in(&folder, "scan -f new").code, 0);
    }
}

#[test]
fn manifests_of_another_namespace_are_not_left_out_silently() {
    let [a, b] = ["a", "b"].map(|name| manifest(name, "0 2 * * *").to_string());
    let folder = Folder::new(
        "plan-namespace",
        &[("old/a.yaml", &*a), ("new/a.yaml", &a), ("new/b.yaml", &b)],
    );
    let plan = |more: &str| doctor_in(&folder, ("plan -f new --from old", more));
    let warned = |ran: &Ran| ran.stderr.contains("not compared: 2");
    assert!(!warned(&plan("-n shop")));
    let other = plan("-n other");
    assert!(warned(&other), "{other:?}");
    assert_eq!(other.code, 0);
}

#[test]
fn rejected_manifest_has_no_effect() {
    let old = [manifest("report", "0 14 * * *")];
    let new = [manifest("report", "0 10 * * * concurrencyPolicy=Sometimes")];
    let document = planned("--from", &old, &new, ("-o json", IN_1_36)).json();
    let item = &document["items"][0];
    assert_eq!(item["effects"], json!([]));
    assert_eq!(item["refused"].items().len(), 1);
    let code = |more: &str| planned("--from", &old, &new, more).code;
    assert_eq!(code(""), 1);
    assert_eq!(code("--fail-on=starts-now"), 0);
    assert_eq!(code("--fail-on=never"), 0);
    assert_ran!(planned("--from", &old, &new, IN_1_36), 1);
}

#[test]
fn exit_codes_follow_effects() {
    let old = [manifest("report", "0 14 * * *")];
    let starts = [manifest("report", "0 10 * * *")];
    let suspends = [manifest("report", "0 14 * * * suspend=true")];
    let code =
        |new: &[Value], fail_on: &str| planned("--from", &old, new, ["--fail-on", fail_on]).code;
    assert_eq!(code(&starts, "refused"), 0);
    assert_eq!(code(&starts, "refused,starts-now"), 1);
    assert_eq!(code(&starts, "starts-now,never"), 0);
    assert_eq!(code(&suspends, "starts-now"), 0);
    assert_eq!(code(&suspends, "skips-runs"), 1);
    let new = [manifest("report", "0 * * * *")];
    let running = |fail_on| {
        let more = ["--fail-on", fail_on, "--prune"];
        let other = manifest("other", "0 * * * * timeZone=Etc/UTC");
        planned("--from-live", &blocked(), &[other], more).code
    };
    assert_eq!(running("removes-running"), 1);
    assert_eq!(running("starts-now"), 0);
    assert_eq!(planned("--from", &old, &new, ["--fail-on=x"]).code, 2);
}

// Windows has other words for a missing file.
#[cfg(unix)]
#[test]
fn wrong_calls_are_refused_with_usage() {
    let calls: [&str; 4] = [
        "plan",
        "plan -f examples/plan/new",
        "plan -f - --from -",
        "plan -f no/such/folder --from examples/plan/old",
    ];
    let shown = calls.map(|call| {
        let ran = doctor(call);
        assert_eq!(ran.code, 2, "{ran}");
        ran.stderr
    });
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn example_in_each_format() {
    for format in ["text", "markdown", "github"] {
        let ran = doctor(format!(
            "plan -f=examples/plan/new --from=examples/plan/old --now=2026-11-21T12:07:00Z \
             --kubernetes-version=1.36 -o {format}"
        ));
        insta::assert_snapshot!(format!("example_{format}"), ran.fine());
    }
}

/// Live objects with running Jobs, fields that stay, and a change of the clock.
#[test]
fn live_changes_are_described_as_text() {
    let [cron_job, job] = blocked();
    let mut stays = suspended_after("0 * * * *");
    stays["metadata"]["name"] = json!("paused");
    stays["metadata"]["uid"] = json!("paused");
    let old = [cron_job, job, stays];
    let new = [
        manifest("report", "0 * * * * concurrencyPolicy=Replace"),
        manifest("paused", "0 * * * *"),
        manifest("spring", "30 2 28-30 3 * timeZone=Europe/Berlin"),
    ];
    insta::assert_snapshot!(planned("--from-live", &old, &new, IN_1_36).fine());
}

/// Any name or value is one cell of the table, inside `<code>`, and never starts Markdown markup.
#[test]
fn hostile_text_is_escaped_in_markdown() {
    let mut old = manifest("report", "0 14 * * *");
    let mut new = manifest("report", "0 10 * * *");
    for (object, argument) in [(&mut old, "a"), (&mut new, HARM)] {
        let container = "/spec/jobTemplate/spec/template/spec/containers/0";
        object.pointer_mut(container).unwrap()["args"] = json!([argument]);
        object["metadata"] = json!({"name": HARM, "namespace": "@org/team"});
    }
    let ran = planned("--from", &[old], &[new], ["-o", "markdown"]);
    let text = &ran.stdout;
    assert_inert(text);
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 3, "{text}");
    for row in rows {
        assert_eq!(row.matches('|').count(), 4, "{row}");
    }
}

/// A flag has what the objects do not show, and what is not in the manifests stays without another one.
#[test]
fn flags_name_the_manager_and_prune() {
    let document = |old: &[Value], new: &[Value], more: &str| {
        planned("--from-live", old, new, (more, "-o=json", IN_1_36)).json()
    };
    let own = owns(
        "kustomize-controller",
        "Apply",
        20,
        &["schedule", "suspend"],
    );
    let other = owns("person", "Apply", 20, &["schedule"]);
    let suspended = [managed("0 * * * * suspend=true", &[&other, &own])];
    let new = [manifest("report", "0 * * * *")];
    let change = |more: &str| document(&suspended, &new, more)["items"][0]["change"].take();
    assert_eq!(change(""), "changed");
    assert_eq!(change("--field-manager=person"), "unchanged");
    let other = [manifest("other", "5 5 * * * suspend=true")];
    let change = |more: &str| document(&blocked(), &other, more)["items"][0]["change"].take();
    assert_eq!(change(""), "added");
    assert_eq!(change("--prune"), "renamed");
}

#[test]
fn writer_of_an_overwritten_schedule_is_named() {
    let argo = owns("argocd-controller", "Apply", 19, &["suspend"]);
    let edit = owns("kubectl-edit", "Update", 20, &["schedule"]);
    let live = [managed("0 15 * * *", &[&argo, &edit])];
    let new = [manifest("report", "0 14 * * *")];
    assert_ran!(planned("--from-live", &live, &new, IN_1_36), 0);
}

#[test]
fn next_run_is_in_the_table_beside_argo_cd() {
    let mut managed = manifest("managed", "0 2 * * *");
    managed["metadata"]["creationTimestamp"] = json!("2026-11-01T00:00:00Z");
    managed["metadata"]["annotations"] =
        json!({"argocd.argoproj.io/tracking-id": "shop:batch/CronJob:shop/managed"});
    let new = [managed.clone(), manifest("new", "0 2 * * *")];
    let ran = planned("--from-live", &[managed], &new, "-o markdown");
    assert_contains!(ran.stdout, "Next run: Sun 2026-11-22 02:00 UTC.<br>Argo CD");
}
