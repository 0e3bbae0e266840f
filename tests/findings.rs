//! Each rule has an example under `examples/findings/`, and finds there just what it should.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use cronjob_doctor::controller::{Controller, Model};
use cronjob_doctor::diagnose::{Coverage, Facts, Finding};
use cronjob_doctor::diagnose::{diagnose, evidence_by_cron_job, finding_rules};
use cronjob_doctor::kubectl::Kubectl;
use cronjob_doctor::rules::RULES;
use cronjob_doctor::schedule::{BundledZones, Zone, Zones};
use cronjob_doctor::snapshot::{Evidence, Options, SourceText};
use jiff::Timestamp;

mod blocked;
mod expected;
mod past_deadline;
mod pod_failures;
mod pods;
mod quotas;
mod variants;

use cronjob_doctor::model::RelatedObjects;
use expected::{DETAILS, Expected};

/// An example, and the circumstances that its first lines name.
struct Example {
    evidence: Evidence,
    now: Timestamp,
    controller: Controller<'static>,
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
            controller: controller(
                header("kubernetes").unwrap(),
                zone.unwrap_or_else(Zone::utc),
            ),
            evidence: read(&[path.to_owned()]),
        }
    }

    fn findings(&self) -> Vec<Finding> {
        let [cron_job] = self.evidence.cron_jobs.as_slice() else {
            panic!("not one CronJob")
        };
        let seen = RelatedObjects {
            jobs: self.evidence.jobs.clone(),
            events: self.evidence.events.clone(),
            pods: self.evidence.pods.clone(),
            quotas: self.evidence.quotas.clone(),
        };
        let coverage = Coverage::of_files([&cron_job.object], &seen, self.now);
        let all_evidence = evidence_by_cron_job(vec![cron_job.object.clone()], seen);
        let facts = Facts::of(&self.controller, &all_evidence[0], coverage, self.now);
        diagnose(&facts)
    }
}

fn controller(release: &str, local: Arc<Zone>) -> Controller<'static> {
    let release = release.parse().unwrap();
    Controller {
        model: Model::Kubernetes,
        release,
        local,
        zones: &BundledZones,
        kubectl: &cronjob_doctor::kubectl::PLAIN,
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

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn example(code: &str) -> Example {
    Example::load(&folder("examples/findings").join(format!("{code}.yaml")))
}

fn codes(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn every_example_shows_what_it_is_named_for() {
    let mut wrong = Vec::new();
    for Expected {
        code,
        also,
        detail,
        remedy,
    } in DETAILS
    {
        let findings = example(code).findings();
        let mut expected: Vec<&str> = also.to_vec();
        expected.push(code);
        expected.sort_by_key(|code| {
            let mut rules = finding_rules().enumerate();
            let (position, rule) = rules.find(|(_, rule)| rule.name == *code).unwrap();
            let severity = rule.finding.as_ref().unwrap().severity;
            (std::cmp::Reverse(severity), position)
        });
        if codes(&findings) != expected {
            wrong.push(format!("{code}: {:?}", codes(&findings)));
        }
        let own = findings.iter().find(|finding| finding.code == *code);
        let got = own.map(|finding| (finding.detail.as_str(), finding.remedy.as_deref()));
        if got != Some((*detail, *remedy)) {
            wrong.push(format!("{code}: {got:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_its_example_and_every_example_its_rule() {
    let rules: BTreeSet<&str> = finding_rules().map(|rule| rule.name).collect();
    assert_eq!(
        rules.len(),
        finding_rules().count(),
        "a rule is checked twice"
    );
    let for_findings = RULES.iter().filter(|rule| rule.finding.is_some());
    assert_eq!(rules, for_findings.map(|rule| rule.name).collect());
    let checked: BTreeSet<&str> = DETAILS.iter().map(|expected| expected.code).collect();
    assert_eq!(rules, checked);
    let files: BTreeSet<String> = fs::read_dir(folder("examples/findings"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let expected = rules.iter().map(|code| format!("{code}.yaml")).collect();
    assert_eq!(files, expected);
}

/// What was recorded from a cluster of Kubernetes 1.36.2: its CronJobs, their Jobs and events.
fn cluster() -> (Evidence, Timestamp) {
    let files = ["cronjobs", "jobs", "events"]
        .map(|name| folder("examples/cluster").join(format!("{name}.json")));
    (read(&files), "2026-11-21T02:13:08Z".parse().unwrap())
}

#[test]
fn a_real_cluster() {
    let expected: &[(&str, &[&str])] = &[
        // Running for two minutes, due every minute; and a Job by hand beside it.
        (
            "ops/blocked",
            &["blocked-by-running-job", "manual-jobs-unexpected"],
        ),
        ("ops/failing", &["last-run-failed"]),
        ("ops/leapday", &[]),
        ("ops/manual", &[]),
        // Two runs were deleted with the start of the next.
        ("ops/replacer", &["runs-longer-than-period"]),
        // Five seconds are enough since 1.21.
        ("ops/tight", &[]),
        ("ops/zero", &["deadline-zero"]),
        ("shop/healthy", &[]),
        // More than 100 were missed, but the last of them was started.
        ("shop/minutely", &[]),
        ("shop/never", &["never-runs"]),
        ("shop/nightly", &["suspended-long", "resume-starts-at-once"]),
        ("shop/office", &["slots-lost-silently"]),
    ];
    let (
        Evidence {
            cron_jobs,
            jobs,
            events,
            ..
        },
        now,
    ) = cluster();
    let controller = controller("1.36.2", Zone::utc());
    let found: Vec<(String, Vec<&str>)> = cron_jobs
        .iter()
        .map(|located| {
            let cron_job = &located.object;
            let facts = Facts::gather(&controller, cron_job, &jobs, &events, now);
            (
                format!("{}/{}", cron_job.namespace, cron_job.name),
                codes(&diagnose(&facts)),
            )
        })
        .collect();
    let expected: Vec<(String, Vec<&str>)> = expected
        .iter()
        .map(|(name, codes)| ((*name).to_owned(), codes.to_vec()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn the_office_of_the_real_cluster_in_full() {
    let (
        Evidence {
            cron_jobs,
            jobs,
            events,
            ..
        },
        now,
    ) = cluster();
    let controller = controller("1.36.2", Zone::utc());
    let office = cron_jobs
        .iter()
        .find(|located| located.object.name == "office")
        .unwrap();
    let facts = Facts::gather(&controller, &office.object, &jobs, &events, now);
    let found = diagnose(&facts);
    // Three working days of eleven hours, from 08:00 to 18:00 in New York.
    assert_eq!(
        found[0].detail,
        "33 slots since 2026-11-18T02:10:00Z got no Job. The last was 2026-11-20T23:00:00Z, 3h13m \
         ago; this release's estimate looks for it where there is none, so it starts nothing and \
         records no event. The next run is that of 2026-11-23T13:00:00Z."
    );
    let remedy = "kubectl -n shop create job office-by-hand --from=cronjob/office";
    assert_eq!(found[0].remedy.as_deref(), Some(remedy));
}

/// None of them is worth a word, in no release.
#[test]
fn an_ordinary_day() {
    let (path, now) = (
        folder("tests/fixtures/healthy.yaml"),
        "2026-03-10T09:20:20Z",
    );
    let Evidence {
        cron_jobs,
        jobs,
        events,
        ..
    } = read(&[path]);
    let now = now.parse().unwrap();
    let mut wrong = Vec::new();
    for release in [
        "1.19.16", "1.21.14", "1.25.3", "1.27.5", "1.28.9", "1.36", "1.37",
    ] {
        let controller = controller(release, Zone::utc());
        for located in &cron_jobs {
            let cron_job = &located.object;
            let facts = Facts::gather(&controller, cron_job, &jobs, &events, now);
            for finding in diagnose(&facts) {
                // Old releases know no time zones, which is worth a word.
                if finding.code != "time-zone-not-read" {
                    wrong.push(format!("{release} {}: {finding:#?}", cron_job.name));
                }
            }
        }
    }
    assert!(
        cron_jobs.len() >= 9 && wrong.is_empty(),
        "{}",
        wrong.join("\n")
    );
}

/// Whatever is pasted acts on the cluster that was asked, as whoever asked it, and holds no secret.
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
        example.controller.kubectl = &PRODUCTION;
        for (found, usual) in example.findings().iter().zip(usual) {
            let Some(remedy) = &found.remedy else {
                continue;
            };
            for command in remedy.split("kubectl ").skip(1) {
                let flags = match command.strip_prefix("cronjob-doctor ") {
                    Some(verb) => verb.split_once(' ').unwrap().1,
                    None => command,
                };
                assert!(flags.starts_with(FLAGS), "{}: {remedy}", rule.name);
                commands += 1;
            }
            let without = remedy.replace(&format!("{FLAGS} "), "");
            assert_eq!(Some(without), usual.remedy, "{}", rule.name);
        }
    }
    assert!(commands > 40, "{commands}");
}
