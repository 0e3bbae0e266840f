//! A parser for the text format of Prometheus that rejects what `promtool check metrics` rejects.

use std::collections::BTreeMap;

/// Labels and their values.
pub(crate) type Labels = BTreeMap<String, String>;

/// The values of each metric.
pub(crate) type Metrics = BTreeMap<String, BTreeMap<Labels, i64>>;

pub(crate) fn parse(text: &str) -> Metrics {
    assert!(text.ends_with('\n'), "the last line has no end");
    let mut metrics = Metrics::new();
    let mut lines = text.lines().peekable();
    while let Some(help) = lines.next() {
        let (name, help) = help
            .strip_prefix("# HELP ")
            .and_then(|rest| rest.split_once(' '))
            .unwrap_or_else(|| panic!("not the beginning of a metric: {help}"));
        assert!(!help.is_empty());
        let kind = lines.next().unwrap();
        let is_summary = kind == format!("# TYPE {name} summary");
        assert!(
            is_summary || kind == format!("# TYPE {name} gauge"),
            "{kind}"
        );
        check_name(name);
        let mut values = BTreeMap::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with('#')) {
            let rest = line.strip_prefix(name).expect("a value of this metric");
            // A summary has two more values, which count as labels here.
            let mut of_summary = ["_sum", "_count"].into_iter().filter(|_| is_summary);
            let part = of_summary.find(|part| rest.starts_with(part));
            let rest = rest.strip_prefix(part.unwrap_or_default()).unwrap();
            let (mut labels, value) = labels(rest);
            labels.extend(part.map(|part| ("part".to_owned(), part.to_owned())));
            assert!(is_summary || !labels.contains_key("quantile"), "{line}");
            let value = value.parse().unwrap();
            assert!(values.insert(labels, value).is_none(), "twice: {line}");
        }
        assert!(!values.is_empty(), "{name} has no values");
        let before = metrics.insert(name.to_owned(), values);
        assert!(before.is_none(), "{name} occurs twice");
    }
    metrics
}

fn check_name(name: &str) {
    let allowed = |c: char| c.is_ascii_lowercase() || c == '_';
    assert!(name.chars().all(allowed), "{name}");
    for reserved in ["_total", "_count", "_sum", "_bucket", "_info"] {
        assert!(!name.ends_with(reserved), "{name} is a gauge");
    }
    let is_time = name.contains("timestamp");
    assert_eq!(is_time, name.ends_with("_timestamp_seconds"), "{name}");
}

/// The labels, and the text after them and a space.
fn labels(text: &str) -> (Labels, &str) {
    let mut labels = Labels::new();
    let Some(mut rest) = text.strip_prefix('{') else {
        return (labels, text.strip_prefix(' ').unwrap());
    };
    loop {
        let (name, value) = rest.split_once("=\"").unwrap();
        let mut chars = value.char_indices();
        let mut unescaped = String::new();
        let end = loop {
            match chars.next().expect("the end of a value") {
                (end, '"') => break end,
                (_, '\\') => unescaped.push(match chars.next().unwrap().1 {
                    'n' => '\n',
                    c @ ('\\' | '"') => c,
                    c => panic!("{c:?} after a backslash"),
                }),
                (_, c) => unescaped.push(c),
            }
        };
        assert!(labels.insert(name.to_owned(), unescaped).is_none());
        rest = &value[end + 1..];
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return (labels, rest.strip_prefix("} ").unwrap()),
        }
    }
}
