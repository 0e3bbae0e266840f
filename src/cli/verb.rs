//! The verbs. A new one is a file with its flags, a [`VerbSpec`] and a [`Verb`], and a row of the table at the end.

use clap::{ArgMatches, Args, Command};

use super::CommandOutcome;
use super::args::{Common, CronJobArgs};
use super::help;

/// The flags of a verb as they were given, and what it does with them.
pub(super) trait Verb {
    fn run(&self, common: &Common) -> anyhow::Result<CommandOutcome>;

    /// The CronJobs that it is about. A verb without them takes one namespace.
    fn cron_jobs(&self) -> Option<&CronJobArgs> {
        None
    }

    /// The names of CronJobs that are given.
    fn names(&self) -> &[String] {
        self.cron_jobs().map_or(&[], |of| &of.names)
    }

    /// The flags with which it takes one namespace, with whether they are given.
    fn flags_of_one_namespace(&self) -> Vec<(&'static str, bool)> {
        Vec::new()
    }

    /// The flags with which it takes one context, with whether they are given.
    fn flags_of_one_context(&self) -> Vec<(&'static str, bool)> {
        Vec::new()
    }
}

/// Where the help of the whole program shows a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Look,
    Act,
    Plan,
    /// Only named.
    Other,
}

impl Group {
    /// Those whose commands are listed, with their headings.
    pub(super) const SHOWN: [(Group, &str); 3] = [
        (Group::Look, "Look"),
        (Group::Act, "Act"),
        (Group::Plan, "Plan and monitor"),
    ];
}

/// What is known of a verb without its flags.
pub(super) struct VerbSpec {
    pub(super) name: &'static str,
    pub(super) group: Group,
    /// Another name, which the help shows.
    pub(super) alias: Option<&'static str>,
    /// Another name, which it does not show.
    pub(super) hidden_alias: Option<&'static str>,
    /// Words of other tools, with what to use instead.
    pub(super) synonyms: &'static [(&'static str, &'static [&'static str])],
    /// Flags that few need: only `options` explains them.
    pub(super) rare: &'static [&'static str],
    /// Flags of its groups that it refuses: no help lists them.
    pub(super) refused: &'static [&'static str],
    /// Whether it says what a change would do, as some other verbs do.
    pub(super) predicts_changes: bool,
    /// Whether it takes several namespaces; `-h` says so.
    pub(super) several_namespaces: bool,
    /// Whether it takes several contexts.
    pub(super) several_contexts: bool,
    pub(super) add_flags: fn(Command) -> Command,
    pub(super) read: fn(&mut ArgMatches) -> Result<Box<dyn Verb>, clap::Error>,
}

impl VerbSpec {
    /// A verb whose flags are `A`.
    pub(super) const fn of<A: Verb + Args + 'static>(name: &'static str, group: Group) -> Self {
        VerbSpec {
            name,
            group,
            alias: None,
            hidden_alias: None,
            synonyms: &[],
            rare: &[],
            refused: &[],
            predicts_changes: false,
            several_namespaces: false,
            several_contexts: false,
            add_flags: A::augment_args,
            read: |matches| Ok(Box::new(A::from_arg_matches_mut(matches)?)),
        }
    }

    /// The verb of a name; `None` if the program was built without it.
    pub(super) fn named(name: &str) -> Option<&'static VerbSpec> {
        VERBS.iter().find(|verb| verb.name == name)
    }

    pub(super) fn command(&self) -> Command {
        let command = (self.add_flags)(Command::new(self.name));
        let command = match (self.alias, self.hidden_alias) {
            (Some(alias), _) => command.visible_alias(alias),
            (None, Some(alias)) => command.alias(alias),
            (None, None) => command,
        };
        help::with_order(command, self)
    }

    pub(super) fn read(&self, matches: &mut ArgMatches) -> Result<Box<dyn Verb>, clap::Error> {
        (self.read)(matches)
    }
}

/// The verbs in the order of the help. Those that need a connection are in brackets.
macro_rules! verbs {
    ($($([$live:ident])? $($module:ident)?,)*) => {
        const ALL: &[VerbSpec] = &[$(
            $(#[cfg(feature = "cluster")] super::live::$live::SPEC)?
            $(super::$module::SPEC)?
        ),*];

        /// The names of all verbs, also of those that are not built.
        pub(super) const NAMES: &[&str] =
            &[$($(stringify!($live))? $(super::$module::SPEC.name)?),*];
    };
}

verbs! {
    scan,
    [top],
    explain,
    history,
    [logs],
    report,
    [suspend],
    [resume],
    [trigger],
    [backfill],
    plan,
    next_runs,
    simulate,
    load,
    lint,
    [serve],
    alerts,
    completion,
    help,
    version,
}

/// The verbs of the page in the browser, which is small so that it is quickly loaded.
const OF_PAGE: &[VerbSpec] = &[
    super::explain::SPEC,
    super::history::SPEC,
    super::next_runs::SPEC,
    super::simulate::SPEC,
    super::lint::SPEC,
    super::help::SPEC,
    super::version::SPEC,
];

/// The verbs that are built.
pub(super) static VERBS: &[VerbSpec] = if cfg!(feature = "cluster") {
    ALL
} else {
    OF_PAGE
};
