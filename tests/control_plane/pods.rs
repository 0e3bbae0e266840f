//! What the program reports about a run in each state of its pod. A real control plane plays each scenario of pods.txt,
//! and its controllers decide what the scenario means for the Job and for the next run.

use crate::control_plane::prelude::*;

/// A row of pods.txt.
struct Row<'t> {
    scenario: &'t str,
    job: Value,
    state: &'t str,
    reason: &'t str,
    finding: &'t str,
    history: &'t str,
    next: &'t str,
}

impl<'t> Row<'t> {
    /// `None` for a comment, and for a row of other releases.
    fn read(line: &'t str, minor: u32) -> Option<Self> {
        if line.starts_with('#') || line.is_empty() {
            return None;
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [scenario, job, state, reason, finding, history, next] = cells.try_into().unwrap();
        let (releases, scenario) = scenario.split_once(' ').unwrap_or(("..", scenario));
        let (first, last) = releases.split_once("..").unwrap();
        let number = |text: &str, default: u32| text.parse().unwrap_or(default);
        let is_of = (number(first, 0)..=number(last, u32::MAX)).contains(&minor);
        is_of.then(|| Row {
            scenario,
            job: serde_json::from_str(&format!("{{{job}}}")).unwrap(),
            state,
            reason,
            finding,
            history,
            next,
        })
    }
}

/// Writes the status of a pod like a kubelet that runs nothing.
struct Kubelet<'n, 'p> {
    ns: &'n Namespace<'p>,
    pod: String,
}

impl Kubelet<'_, '_> {
    fn bind(&self, node: &str) {
        let binding = json!({
            "metadata": {"name": self.pod},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node},
        });
        let path = format!("{}/binding", self.ns.pod_path(&self.pod));
        self.ns.api.create(&path, &binding);
    }

    fn write(&self, phase: &str, ready: &str, state: &Value) {
        self.write_with(phase, ready, state, &json!({}));
    }

    fn write_with(&self, phase: &str, ready: &str, state: &Value, more: &Value) {
        let container = container_status("main", "busybox", state);
        let status = json!({
            "phase": phase, "containerStatuses": [container],
            "conditions": [{"type": "Ready", "status": ready, "lastTransitionTime": self.ns.clock.0}],
        });
        self.ns
            .set_pod_status(&self.pod, &with_fields(status, more));
    }

    fn run(&self) {
        self.bind("node-1");
        self.write("Running", "True", &self.running());
    }

    fn running(&self) -> Value {
        json!({"running": {"startedAt": self.ns.clock.0}})
    }

    fn ended(&self, code: i32, reason: &str) -> Value {
        let at = self.ns.clock.0;
        json!({"terminated": {"exitCode": code, "reason": reason, "startedAt": at, "finishedAt": at}})
    }

    fn wait(&self, reason: &str) {
        self.bind("node-1");
        let state = json!({"waiting": {"reason": reason, "message": "as it is played"}});
        self.write("Pending", "False", &state);
    }

    /// Waits until the Job controller deletes the pod.
    fn await_deletion(&self) {
        let path = self.ns.pod_path(&self.pod);
        wait_until("the pod is deleted", || {
            self.ns.api.get(&path)["metadata"]["deletionTimestamp"].is_string()
        });
    }

    /// Ends a pod that is being deleted.
    fn end(&self) {
        self.await_deletion();
        self.write("Failed", "False", &self.ended(143, "Error"));
        let path = self.ns.pod_path(&self.pod);
        self.ns.api.delete(&format!("{path}?gracePeriodSeconds=0"));
    }

    fn play(&self, scenario: &str) {
        match scenario {
            "unschedulable" => {
                let unschedulable = json!({
                    "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                    "message": "0/3 nodes are available: 3 Insufficient cpu.",
                });
                let status = json!({"phase": "Pending", "conditions": [unschedulable]});
                self.ns.set_pod_status(&self.pod, &status);
            }
            "image" => self.wait("ImagePullBackOff"),
            "creating" => self.wait("ContainerCreating"),
            "init" => {
                self.bind("node-1");
                let init = container_status("prepare", "busybox", &self.running());
                let state = json!({"waiting": {"reason": "PodInitializing"}});
                let more = json!({"initContainerStatuses": [init]});
                self.write_with("Pending", "False", &state, &more);
            }
            "running" => self.run(),
            "silent" => {
                self.bind("silent-node");
                self.write("Running", "False", &self.running());
            }
            "crash" => {
                self.bind("node-1");
                let state = json!({"waiting": {"reason": "CrashLoopBackOff"}});
                let mut container = container_status("main", "busybox", &state);
                container["restartCount"] = json!(2);
                container["lastState"] = self.ended(1, "Error");
                let status = json!({
                    "phase": "Running", "containerStatuses": [container],
                    "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady"}],
                });
                self.ns.set_pod_status(&self.pod, &status);
            }
            "succeeds" => self.write("Succeeded", "False", &self.ended(0, "Completed")),
            "fails" => self.write("Failed", "False", &self.ended(3, "Error")),
            "oom" => self.write("Failed", "False", &self.ended(137, "OOMKilled")),
            "evicted" => {
                let disrupted = json!({
                    "type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet",
                    "message": "The node was low on resource: memory.",
                });
                let more = json!({"reason": "Evicted", "conditions": [disrupted]});
                self.write_with("Failed", "False", &self.ended(137, "Error"), &more);
            }
            "stops" => {
                self.run();
                self.end();
            }
            "lost" => {
                self.bind("silent-node");
                self.write("Running", "True", &self.running());
                self.await_deletion();
            }
            scenario => panic!("{scenario}"),
        }
    }
}

/// A node whose kubelet does not report.
fn silent_node(ns: &Namespace<'_>) {
    let node = json!({"metadata": {"name": "silent-node"}});
    ns.api.create("/api/v1/nodes", &node);
    let since = ns.clock.minutes_ago(3);
    let ready = json!({"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "lastTransitionTime": since});
    let status = json!({"status": {"conditions": [ready]}});
    ns.api.patch("/api/v1/nodes/silent-node/status", &status);
}

/// Creates a CronJob with `concurrencyPolicy: Forbid` whose run of ten minutes ago is started late, and returns the
/// name of that run's Job.
fn start(ns: &Namespace<'_>, row: &Row<'_>) -> String {
    let mut job = json!({"template": {"spec": {"restartPolicy": "Never"}}});
    job = with_fields(job, &row.job);
    let main = json!({"name": "main", "image": "busybox"});
    job["template"]["spec"]["containers"] = json!([main]);
    if row.scenario == "init" {
        job["template"]["spec"]["initContainers"] =
            json!([{"name": "prepare", "image": "busybox"}]);
    }
    let spec = json!({
        "schedule": ns.clock.hourly(10), "suspend": true, "concurrencyPolicy": "Forbid",
        "jobTemplate": {"spec": job},
    });
    ns.create(row.scenario, &spec);
    ns.set_last(row.scenario, ns.clock.hours_and_minutes_ago(1, 10));
    ns.set_status(
        row.scenario,
        &json!({"lastSuccessfulTime": ns.clock.hours_and_minutes_ago(1, 9)}),
    );
    ns.edit(row.scenario, &json!({"spec": {"suspend": false}}));
    job_name(row.scenario, ns.clock.minutes_ago(10))
}

/// The code of the first finding that is not about late starts or a missing success, or `-`.
fn first_finding(item: &Value) -> &str {
    let findings = item["findings"].items().iter();
    let mut codes = findings.map(|finding| finding["code"].text());
    let others = ["never-succeeded", "late-starts", "success-overdue"];
    codes.find(|code| !others.contains(code)).unwrap_or("-")
}

fn check(ns: &Namespace<'_>, row: &Row<'_>) {
    let (scenario, job) = (row.scenario, start(ns, row));
    let kubelet = Kubelet {
        ns,
        pod: ns.pod_of(&job),
    };
    kubelet.play(scenario);
    let explained = eventually(&format!("{scenario} is {}", row.state), || {
        let explained = ns.explain(scenario, "");
        let is_known = explained["lastRun"]["state"] == row.state;
        (is_known && first_finding(&explained) == row.finding).then_some(explained)
    });
    let reason = &explained["lastRun"]["reason"];
    match row.reason {
        "-" => assert_eq!(*reason, Value::Null, "{scenario}"),
        part => assert_contains!(reason.text(), part),
    }
    // scan reads the pods of a new Job only after ten seconds.
    eventually(&format!("scan shows {scenario} as explain does"), || {
        let scan = ns.document("scan");
        let scanned = scan["items"].named(scenario);
        let is_same = |field: &&str| scanned["lastRun"][field] == explained["lastRun"][field];
        let same = ["state", "endsAs", "jobName"].iter().all(is_same);
        (same && first_finding(scanned) == row.finding).then_some(())
    });
    let history = ns.document(["history", scenario]);
    let runs = history["items"].named(scenario)["runs"].items();
    let run = runs
        .iter()
        .find(|run| run["jobName"] == json!(job))
        .unwrap();
    let status = match &run["waitingFor"] {
        Value::Null => run["status"].text(),
        _ => "waiting",
    };
    assert_eq!(
        format!("{status} {}", run["result"].as_str().unwrap_or("-")),
        row.history,
        "{scenario}"
    );

    // Compare the prediction for a run that is due now with what the controller does.
    let schedule = ns.clock.hourly(5);
    let change = format!("schedule={schedule}");
    let predicted = ns.explain(scenario, ["--what-if", &change]);
    let outcome = &predicted["whatIf"]["decision"]["outcome"];
    assert_eq!(*outcome, row.next, "{scenario}");
    let mut events = ns.api.events(&ns.name);
    ns.edit(scenario, &json!({"spec": {"schedule": schedule}}));
    ns.annotate(scenario);
    let expected = if row.next == "start" {
        "SuccessfulCreate"
    } else {
        "JobAlreadyActive"
    };
    events.up_to(expected, scenario);
    let started = ns
        .job_names()
        .contains(&job_name(scenario, ns.clock.minutes_ago(5)));
    assert_eq!(started, row.next == "start", "{scenario}");
}

#[test]
fn runs_are_reported_by_the_state_of_their_pods() {
    let ns = namespace!("pods", since 25);
    silent_node(&ns);
    for line in include_str!("pods.txt").lines() {
        if let Some(row) = Row::read(line, ns.plane.minor) {
            check(&ns, &row);
        }
    }
}
