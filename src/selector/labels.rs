//! Label selectors.

use std::collections::BTreeSet;
use std::fmt;

use crate::model::Texts;

/// A label selector: all requirements must match.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct LabelSelector {
    pub(super) requirements: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Requirement {
    pub(super) key: String,
    pub(super) test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Test {
    Exists,
    Absent,
    In(BTreeSet<String>),
    /// None of these, or the label does not exist.
    NotIn(BTreeSet<String>),
    Greater(i64),
    Less(i64),
}

impl LabelSelector {
    pub(crate) fn matches(&self, labels: &Texts) -> bool {
        self.requirements
            .iter()
            .all(|required| required.test.holds(labels.get(&required.key)))
    }
}

impl Test {
    fn holds(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match self {
            Test::Exists => value.is_some(),
            Test::Absent => value.is_none(),
            Test::In(values) => value.is_some_and(|value| values.contains(value)),
            Test::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            Test::Greater(limit) => number().is_some_and(|number| number > *limit),
            Test::Less(limit) => number().is_some_and(|number| number < *limit),
        }
    }
}

/// In the form of the API server.
impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Requirement { key, test }) in self.requirements.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            match test {
                Test::Exists => write!(f, "{key}")?,
                Test::Absent => write!(f, "!{key}")?,
                Test::In(values) => write!(f, "{key} in ({})", listed(values))?,
                Test::NotIn(values) => write!(f, "{key} notin ({})", listed(values))?,
                Test::Greater(limit) => write!(f, "{key}>{limit}")?,
                Test::Less(limit) => write!(f, "{key}<{limit}")?,
            }
        }
        Ok(())
    }
}

fn listed(values: &BTreeSet<String>) -> String {
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    values.join(",")
}
