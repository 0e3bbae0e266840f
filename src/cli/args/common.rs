//! Arguments that several commands share.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use anstream::ColorChoice;
use anyhow::anyhow;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, ValueEnum};

use super::Connection;
use super::time::{FUTURE_TIME, TimeArg};
use crate::output::contexts::ContextRecord;
use crate::output::{Answer, Format};
use cronjob_controller::controller::{Model, Release};
use cronjob_diagnosis::diagnose::Severity;
use cronjob_text::duration::parse as duration;
use kube_cron::{DatabaseChoice, ZoneDatabase};

/// The flags of every command, which the verb `options` lists.
#[derive(Clone, Debug, Args)]
#[command(mut_args(|arg| arg.global(true).hide(true)))]
pub(crate) struct Common {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(flatten)]
    pub(crate) connection: Connection,
    /// Where to note what is found out about the context, if it is one of several.
    #[arg(skip)]
    pub(crate) record: Option<Arc<ContextRecord>>,
    /// The zones that were read, for all contexts: a few megabytes if the zone of the controllers is searched.
    #[arg(skip)]
    pub(crate) zones: Arc<OnceLock<Arc<ZoneDatabase>>>,
}

impl Common {
    pub(crate) fn zones(&self) -> anyhow::Result<Arc<ZoneDatabase>> {
        if let Some(zones) = self.zones.get() {
            return Ok(Arc::clone(zones));
        }
        let opened = Arc::new(self.global.zone_database()?);
        Ok(Arc::clone(self.zones.get_or_init(|| opened)))
    }
}

/// The flags of every command that kubectl does not have.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// When to use color: auto, always or never
    ///
    /// When to use color: auto, always or never. NO_COLOR and CLICOLOR_FORCE are honored.
    #[arg(long, value_parser = one_word(COLORS), default_value = "auto", value_name = "WHEN")]
    pub(crate) color: ColorChoice,
    /// Suppress warnings and hints
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Log each API request and its duration to stderr
    #[arg(long, short, action = clap::ArgAction::Count, conflicts_with = "quiet")]
    pub(crate) verbose: u8,
    /// Time zone database to use: system, bundled, or newest for the newer of the two
    #[arg(long, value_parser = one_word(DATABASES), default_value = "newest", value_name = "WHICH")]
    pub(crate) tzdb: DatabaseChoice,
}

impl Global {
    pub(crate) fn zone_database(&self) -> anyhow::Result<ZoneDatabase> {
        let opened = ZoneDatabase::open(self.tzdb);
        opened.map_err(|error| anyhow!("{error}; use --tzdb=bundled"))
    }
}

/// The values of `--color`.
const COLORS: &[(&str, ColorChoice)] = &[
    ("auto", ColorChoice::Auto),
    ("always", ColorChoice::AlwaysAnsi),
    ("never", ColorChoice::Never),
];

/// The values of `--tzdb`.
const DATABASES: &[(&str, DatabaseChoice)] = &[
    ("newest", DatabaseChoice::Newest),
    ("system", DatabaseChoice::System),
    ("bundled", DatabaseChoice::Bundled),
];

/// kubectl's own help texts, with a sentence more where a flag means something narrower here.
pub(crate) mod kubectl_help {
    pub(crate) const ALL_NAMESPACES: &str = "\
If present, list the requested object(s) across all namespaces. Namespace in current context is ignored \
even if specified with --namespace.";
    pub(crate) const SELECTOR: &str = "\
Selector (label query) to filter on, supports '=', '==', '!=', 'in', 'notin'.(e.g. -l \
key1=value1,key2=value2,key3 in (value3)). Matching objects must satisfy all of the specified label \
constraints.";
    pub(crate) const FIELD_SELECTOR: &str = "\
Selector (field query) to filter on, supports '=', '==', and '!='.(e.g. --field-selector \
key1=value1,key2=value2). The server only supports a limited number of field queries per type. For \
CronJobs these are metadata.name and metadata.namespace.";
    pub(crate) const RECURSIVE: &str = "\
Process the directory used in -f, --filename recursively. Useful when you want to manage related manifests \
organized within the same directory.";
    pub(crate) const NO_HEADERS: &str = "\
When using an output format with rows, such as the default, wide or csv, don't print headers (default print headers)";
    pub(crate) const NO_CSV_HEADERS: &str = "\
Don't print headers with -o csv";
}

/// Selects CronJobs of a cluster.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Selection")]
pub(crate) struct CronJobArgs {
    /// CronJobs by name: NAME, NAMESPACE/NAME, cronjob/NAME or cj/NAME
    #[arg(value_name = "NAME", display_order = 0)]
    pub(crate) names: Vec<String>,
    /// Select CronJobs across all namespaces
    #[arg(long, short = 'A', long_help = kubectl_help::ALL_NAMESPACES)]
    pub(crate) all_namespaces: bool,
    /// Label query to filter on
    #[arg(long, short = 'l', value_name = "SELECTOR", conflicts_with = "names", long_help = kubectl_help::SELECTOR)]
    pub(crate) selector: Option<String>,
    /// Read files instead of a cluster
    ///
    /// Filename, directory, or - for standard input: read CronJobs, Jobs, pods and events from there instead of a
    /// cluster, for example the output of "kubectl get cronjobs,jobs,pods,events -A -o yaml"
    #[arg(long, short, value_name = "FILE|DIR|-")]
    pub(crate) filename: Vec<PathBuf>,
    /// Process the directory in -f recursively
    #[arg(long, short = 'R', requires = "filename", long_help = kubectl_help::RECURSIVE)]
    pub(crate) recursive: bool,
    /// Return large lists in chunks
    #[arg(long, help = "Return large lists in chunks of this size: 500 at first, then up to 2000, unless given. Pass 0 to disable.", value_name = "N", value_parser = whole::<u32>(0..=u64::MAX), allow_negative_numbers = true, hide_short_help = true)]
    pub(crate) chunk_size: Option<u32>,
    #[command(flatten)]
    pub(crate) resource: ResourceArg,
}

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Selection")]
pub(crate) struct ResourceArg {
    /// Use another resource that has the fields of a CronJob, such as
    /// cronjobs.v1.batch.tutorial.kubebuilder.io
    #[arg(long, value_name = "RESOURCE.VERSION.GROUP", hide_short_help = true)]
    pub(crate) resource: Option<String>,
}

/// Selects CronJobs, for commands that read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Selection", mut_args(for_reading))]
pub(crate) struct Selection {
    #[command(flatten)]
    pub(crate) cron_jobs: CronJobArgs,
    /// Field query to filter on
    #[arg(long, value_name = "SELECTOR", conflicts_with = "names", hide_short_help = true, long_help = kubectl_help::FIELD_SELECTOR)]
    pub(crate) field_selector: Option<String>,
}

fn for_reading(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "all_namespaces" => arg
            .help("List CronJobs across all namespaces")
            .long_help(format!(
                "{} With -f, this is the default unless -n is given.",
                kubectl_help::ALL_NAMESPACES
            )),
        "resource" => arg.conflicts_with("filename"),
        _ => arg,
    }
}

impl Selection {
    /// Whether the CronJobs of a whole cluster are selected.
    pub(crate) fn is_everything(&self) -> bool {
        let cron_jobs = &self.cron_jobs;
        cron_jobs.all_namespaces && cron_jobs.selector.is_none() && self.field_selector.is_none()
    }
}

/// The time and the controller that an answer is computed for.
#[derive(Debug, Args)]
#[command(next_help_heading = "Time and version")]
pub(crate) struct BasisArgs {
    /// Use this time as now
    #[arg(long, value_name = "TIME", long_help = format!("Use this time as now. {FUTURE_TIME}"))]
    pub(crate) now: Option<TimeArg>,
    /// Predict for Kubernetes 1.N or 1.N.P
    ///
    /// Predict what the controller of this Kubernetes version does: 1.N or 1.N.P (default: the version of the API
    /// server; with files, the newest version compared with a running controller)
    #[arg(long, value_name = "VERSION")]
    pub(crate) kubernetes_version: Option<Release>,
    /// Controller to predict: kubernetes, or kubebuilder for the one of the Kubebuilder Book
    /// (default: kubernetes)
    #[arg(long, value_parser = one_word(CONTROLLERS), value_name = "WHICH", hide_short_help = true)]
    pub(crate) controller: Option<Model>,
    /// Time zone of the controller manager, for schedules without a time zone (default: UTC)
    #[arg(long, value_name = "ZONE", hide_short_help = true)]
    pub(crate) controller_time_zone: Option<String>,
    /// Show times in this time zone
    ///
    /// Show times in this time zone (default: that of each CronJob for its runs, UTC for what people did, and that
    /// of the controller manager for totals)
    #[arg(long, value_name = "ZONE", hide_short_help = true)]
    pub(crate) display_time_zone: Option<String>,
}

/// The values of `--controller`.
const CONTROLLERS: &[(&str, Model)] = &[
    ("kubernetes", Model::Kubernetes),
    ("kubebuilder", Model::Kubebuilder),
];

/// Reads a value of `--output`: a format of the answer.
pub(crate) fn format_of<A: Answer + 'static>() -> impl TypedValueParser<Value = Format> {
    let formats = A::formats();
    let values = formats.named();
    let values = values.map(|one| PossibleValue::new(one.as_str()).help(one.help()));
    PossibleValuesParser::new(values).try_map(|name| {
        name.parse()
            .map_err(|()| format!("unknown format {name:?}"))
    })
}

/// The lowest severity of a finding that makes the command exit with 1. As an `Option` by name, it would be an optional
/// value to clap.
pub(crate) type FailOn = Option<Severity>;

/// The values of `--fail-on`.
pub(crate) const FAIL_ON: &[(&str, FailOn)] = &[
    ("info", Some(Severity::Info)),
    ("warning", Some(Severity::Warning)),
    ("error", Some(Severity::Error)),
    ("never", None),
];

pub(crate) const FAIL_ON_HELP: &str = "\
Exit with 1 if there is a finding of this severity or higher: info, warning, error or never (default: never)";

/// Reads one of some words.
pub(crate) fn one_word<T: Copy + Send + Sync + 'static>(
    words: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(words.iter().map(|(word, _)| *word)).try_map(|text| {
        let named = words.iter().find(|(word, _)| *word == text);
        named.map(|(_, value)| *value).ok_or(UNKNOWN_WORD)
    })
}

const UNKNOWN_WORD: &str = "not one of the values";

/// Reads an enum that documents write as strings.
pub(crate) fn one_of<T>(strings: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = ()> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(strings).try_map(|text| text.parse().map_err(|()| UNKNOWN_WORD))
}

/// Reads a whole number of a range.
pub(crate) fn whole<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| match (*range.start(), *range.end()) {
                (0, u64::MAX) => "must be a whole number".to_owned(),
                (least, u64::MAX) => format!("must be a whole number, at least {least}"),
                (least, most) => format!("must be a whole number from {least} to {most}"),
            })
    }
}

/// Reads a duration that is longer than zero, in seconds.
pub(crate) fn positive_seconds(text: &str) -> Result<i64, String> {
    duration(text)
        .filter(|seconds| *seconds > 0)
        .ok_or_else(|| "must be a duration such as 15m, 24h, 7d or 1d12h".to_owned())
}

/// The shell that a completion script is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    /// source <(kubectl cronjob-doctor completion bash)
    Bash,
    /// Save to a directory in $fpath as _kubectl-cronjob_doctor
    Zsh,
    /// Save to ~/.config/fish/completions/kubectl-cronjob_doctor.fish
    Fish,
    /// kubectl cronjob-doctor completion powershell | Out-String | Invoke-Expression
    Powershell,
    /// eval (kubectl cronjob-doctor completion elvish | slurp)
    Elvish,
    /// Save to a directory in $PATH as kubectl_complete-cronjob_doctor, and make it executable
    Kubectl,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_whole_number_names_its_range() {
        let error = |range, text| whole::<u16>(range)(text).unwrap_err();
        assert_eq!(whole::<u16>(1..=65_535)("65535"), Ok(65_535));
        assert_eq!(error(0..=u64::MAX, "-1"), "must be a whole number");
        assert_eq!(
            error(1..=u64::MAX, "0"),
            "must be a whole number, at least 1"
        );
        for wrong in ["", "x", "1.5", "0", "11", "99999999999999999999"] {
            assert_eq!(error(1..=10, wrong), "must be a whole number from 1 to 10");
        }
    }
}
