use cronjob_doctor::controller::{Controller, Model};
use cronjob_doctor::diagnose::{Facts, diagnose};
use cronjob_doctor::schedule::{BundledZones, Zone};
use cronjob_doctor::snapshot::{Evidence, Options, Source};
#[test]
fn dump() {
    let mut files: Vec<_> = std::fs::read_dir("examples/findings").unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let h = |n: &str| text.lines().find_map(|l| l.strip_prefix(n)).unwrap().to_owned();
        let mut ev = Evidence::default();
        let errs = ev.add(&Source::new("x".into(), text.clone().into_bytes()).unwrap(), &Options::default());
        assert!(errs.is_empty(), "{errs:?}");
        let c = Controller { model: Model::Kubernetes, release: h("# kubernetes: ").parse().unwrap(), local: Zone::utc(), zones: &BundledZones };
        let now = h("# now: ").parse().unwrap();
        let f = Facts::gather(&c, &ev.cron_jobs[0].object, &ev.jobs, &ev.events, now);
        println!("== {}", path.file_stem().unwrap().to_str().unwrap());
        for x in diagnose(&f) { println!("[{}] {}\n   {}\n   > {:?}", x.severity.as_str(), x.code, x.detail, x.remedy); }
    }
}
