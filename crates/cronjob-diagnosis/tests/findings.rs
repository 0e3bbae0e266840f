//! Each rule has an example under `examples/findings/`, and finds exactly what it should in it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use cronjob_controller::controller::Controller;
use cronjob_diagnosis::diagnose::{Facts, Finding};
use cronjob_diagnosis::diagnose::{diagnose, finding_rules};
use cronjob_diagnosis::kubectl::{Kubectl, PLAIN};
use cronjob_manifest::rules::RULES;
use jiff::Timestamp;
use kube_cron::{BundledZones, Zone, Zones};
use kube_objects::snapshot::{Evidence, Options, SourceText};
use serde_json::Value;

mod blocked;
mod disrupted;
mod expectations;
mod outside_gitops;
mod past_deadline;
mod pod_failures;
mod pods;
mod quotas;
mod run_again;
mod sidecar;
mod thresholds;
mod unowned;
mod variants;

use kube_model::{Coverage, CronJob, CronJobSpec, Job, Pod, RelatedObjects, evidence_by_cron_job};

use crate::support::files::root;
use crate::support::recorded::controller;

/// An example, and the circumstances that its first lines name.
struct Example {
    evidence: Evidence,
    now: Timestamp,
    controller: Controller,
    kubectl: &'static Kubectl,
}

impl Example {
    fn load(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.starts_with("# What it shows: "), "{}", path.display());
        let header = |name: &str| {
            let mut lines = text.lines().take_while(|line| line.starts_with('#'));
            lines.find_map(|line| line.strip_prefix(&format!("# {name}: ")))
        };
        let zone = header("controller-time-zone").map(|name| BundledZones.load(name).unwrap());
        Example {
            now: header("now").unwrap().parse().unwrap(),
            controller: controller_in(
                zone.unwrap_or_else(Zone::utc),
                header("kubernetes").unwrap(),
            ),
            kubectl: &PLAIN,
            evidence: read(&[path.to_owned()]),
        }
    }

    fn cron_job(&mut self) -> &mut CronJob {
        &mut self.evidence.cron_jobs[0].object
    }

    fn spec(&mut self) -> &mut CronJobSpec {
        &mut self.cron_job().spec
    }

    fn template(&mut self) -> &mut Value {
        Arc::make_mut(&mut self.spec().job_template)
    }

    fn last_job(&mut self) -> &mut Job {
        self.evidence.jobs.last_mut().unwrap()
    }

    fn last_pod(&mut self) -> &mut Pod {
        self.evidence.pods.last_mut().unwrap()
    }

    /// What one rule finds.
    fn found(&self, code: &str) -> Option<Finding> {
        let mut found = self.findings().into_iter();
        found.find(|finding| finding.code == code)
    }

    fn findings(&self) -> Vec<Finding> {
        self.with_facts(diagnose)
    }

    fn with_facts<T>(&self, ask: impl FnOnce(&Facts<'_>) -> T) -> T {
        self.ask(|coverage| coverage, ask)
    }

    /// The same as if it had just been read from a cluster.
    fn with_live_facts<T>(&self, ask: impl FnOnce(&Facts<'_>) -> T) -> T {
        self.ask(|_| Coverage::all(self.now), ask)
    }

    fn ask<T>(
        &self,
        covered: impl Fn(Coverage) -> Coverage,
        ask: impl FnOnce(&Facts<'_>) -> T,
    ) -> T {
        let [cron_job] = self.evidence.cron_jobs.as_slice() else {
            panic!("not one CronJob")
        };
        let seen = RelatedObjects {
            jobs: self.evidence.jobs.clone(),
            events: self.evidence.events.clone(),
            pods: self.evidence.pods.clone(),
            quotas: self.evidence.quotas.clone(),
            nodes: self.evidence.nodes.clone(),
            config_maps: self.evidence.config_maps.clone(),
        };
        let coverage = covered(Coverage::of_files([&cron_job.object], &seen, self.now));
        let all_evidence = evidence_by_cron_job(vec![cron_job.object.clone()], seen);
        let facts = Facts::of(
            &self.controller,
            self.kubectl,
            &all_evidence[0],
            coverage,
            self.now,
        );
        ask(&facts)
    }
}

fn controller_in(zone: Arc<Zone>, release: &str) -> Controller {
    Controller {
        local: zone,
        ..controller(release)
    }
}

fn read(paths: &[PathBuf]) -> Evidence {
    let mut evidence = Evidence::default();
    for path in paths {
        let source =
            SourceText::new(path.to_string_lossy().into(), fs::read(path).unwrap()).unwrap();
        let errors = evidence.add(&source, &Options::default());
        assert!(errors.is_empty(), "{errors:?}");
    }
    evidence
}

fn example(code: &str) -> Example {
    Example::load(
        &root()
            .join("examples/findings")
            .join(format!("{code}.yaml")),
    )
}

fn codes(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn every_example_shows_what_it_is_named_for() {
    let mut texts = String::new();
    for rule in finding_rules() {
        let findings = example(rule.name).findings();
        assert!(codes(&findings).contains(&rule.name), "{}", rule.name);
        let order = |finding: &Finding| {
            let position = finding_rules().position(|rule| rule.name == finding.code);
            (std::cmp::Reverse(finding.severity), position)
        };
        assert!(findings.is_sorted_by_key(order), "{}", rule.name);
        let _ = writeln!(texts, "---- {}.yaml", rule.name);
        for finding in &findings {
            let remedy = finding.remedy.as_ref();
            let remedy = remedy.map_or("none", |remedy| &remedy.text);
            let (code, detail) = (finding.code, &finding.detail);
            let _ = writeln!(texts, "{code}\n  {detail}\n  -> {remedy}");
        }
    }
    insta::assert_snapshot!(texts);
}

#[test]
fn every_rule_has_its_example_and_every_example_its_rule() {
    let rules: BTreeSet<&str> = finding_rules().map(|rule| rule.name).collect();
    let checked = finding_rules().count();
    assert_eq!(rules.len(), checked, "a rule is checked twice");
    let for_findings = RULES.iter().filter(|rule| rule.finding.is_some());
    assert_eq!(rules, for_findings.map(|rule| rule.name).collect());
    let files: BTreeSet<String> = fs::read_dir(root().join("examples/findings"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let expected = rules.iter().map(|code| format!("{code}.yaml")).collect();
    assert_eq!(files, expected);
}

#[test]
fn healthy_cronjobs_have_no_findings_in_any_release() {
    let evidence = read(&[root().join("tests/fixtures/healthy.yaml")]);
    let (cron_jobs, jobs, events) = (evidence.cron_jobs, evidence.jobs, evidence.events);
    let now = "2026-03-10T09:20:20Z".parse().unwrap();
    let mut wrong = Vec::new();
    for release in [
        "1.19.16", "1.21.14", "1.25.3", "1.27.5", "1.28.9", "1.36", "1.37",
    ] {
        let controller = controller(release);
        for located in &cron_jobs {
            let cron_job = &located.object;
            let facts = Facts::gather(&controller, cron_job, &jobs, &events, now);
            for finding in diagnose(&facts) {
                // Old releases do not support time zones, which is a finding.
                if finding.code != "time-zone-ignored" {
                    wrong.push(format!("{release} {}: {finding:#?}", cron_job.name));
                }
            }
        }
    }
    let is_ordinary = cron_jobs.len() >= 9 && wrong.is_empty();
    assert!(is_ordinary, "{}", wrong.join("\n"));
}

/// A pasted command acts on the same cluster as the same user, and contains no secret.
#[test]
fn every_command_reaches_the_cluster_that_was_asked() {
    const FLAGS: &str = "--context 'my prod' --as me";
    static PRODUCTION: LazyLock<Kubectl> = LazyLock::new(|| {
        let mut kubectl = Kubectl::default();
        kubectl.flag("--context", "my prod");
        kubectl.flag("--as", "me");
        kubectl
    });
    let mut commands = 0;
    for rule in finding_rules() {
        let mut example = example(rule.name);
        let usual = example.findings();
        example.kubectl = &PRODUCTION;
        for (found, usual) in example.findings().iter().zip(usual) {
            let Some(remedy) = &found.remedy else {
                continue;
            };
            let others = remedy.notes.iter().map(|note| &note.command);
            for command in [&remedy.command].into_iter().chain(others).flatten() {
                assert!(command.contains(FLAGS), "{}: {command}", rule.name);
                assert!(!command.contains("  # "), "{}: {command}", rule.name);
                commands += 1;
            }
            // A text does not contain a command.
            let texts = remedy.notes.iter().map(|note| -> &str { &note.text });
            let sentence = remedy.command.is_none().then_some(&*remedy.text);
            for text in texts.chain(sentence) {
                assert!(!text.contains("kubectl "), "{}: {text}", rule.name);
            }
            let without = remedy.text.replace(&format!(" {FLAGS}"), "");
            assert_eq!(without, usual.remedy.unwrap().text, "{}", rule.name);
        }
    }
    assert!(commands > 40, "{commands}");
}
