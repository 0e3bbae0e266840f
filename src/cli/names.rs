//! The names of CronJobs as they are typed: `NAME`, `NAMESPACE/NAME` as every output prints it, `cronjob/NAME`, `cj/NAME`
//! or `cronjob.v1.batch/NAME`.

use super::Cli;
use super::diagnostic::Diagnostic;
use super::parse::{is_cron_job_type, is_job_type, is_pod_type};
use cronjob_controller::kinds;

/// What kubectl calls other things that are often named in messages and alerts: none of them is a namespace.
const OTHER_TYPES: [&str; 9] = [
    "deploy",
    "deployment",
    "deployments",
    "namespace",
    "namespaces",
    "no",
    "node",
    "nodes",
    "ns",
];

/// The namespace and the name in `NAMESPACE/NAME`.
pub(super) fn in_namespace(argument: &str) -> Option<(&str, &str)> {
    let (namespace, name) = argument.split_once('/')?;
    let is_type = is_cron_job_type(namespace)
        || is_job_type(namespace)
        || is_pod_type(namespace)
        || kinds::named(namespace).is_some()
        || OTHER_TYPES.contains(&namespace);
    let is_it = !is_type && !namespace.is_empty() && !name.is_empty() && !name.contains('/');
    is_it.then_some((namespace, name))
}

impl Cli {
    /// Lets `NAMESPACE/NAME` choose the namespace, as `-n` does.
    pub(super) fn settle_names(&mut self) -> Result<(), Diagnostic> {
        let names = self.verb.names();
        let mut found = names.iter().filter_map(|name| in_namespace(name));
        let Some((namespace, name)) = found.next() else {
            return Ok(());
        };
        if let Some((other, _)) = found.find(|(other, _)| *other != namespace) {
            let error = format!("the names are of several namespaces: {namespace} and {other}");
            return Err(
                Diagnostic::new(error).help("Name the CronJobs of one namespace at a time.")
            );
        }
        if self.verb.cron_jobs().is_some_and(|of| of.all_namespaces) {
            let error = format!("-A cannot be used with {namespace}/{name}");
            return Err(Diagnostic::new(error).help("Leave out one of them."));
        }
        let given = &self.common.connection.namespaces;
        if let Some(other) = given.iter().find(|given| *given != namespace) {
            let error = format!("{namespace}/{name} is not in the namespace of -n {other}");
            return Err(Diagnostic::new(error).help("Leave out one of them."));
        }
        self.common.connection.namespaces = vec![namespace.to_owned()];
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespace_is_whatever_is_not_a_type() {
        assert_eq!(in_namespace("shop/nightly"), Some(("shop", "nightly")));
        for other in [
            "nightly",
            "cronjob/nightly",
            "CronJobs/nightly",
            "cronjob.v1.batch/nightly",
            "job/nightly-29923084",
            "pod/nightly-29923084-abcde",
            "scheduledbackup/orders",
            "/nightly",
            "shop/",
            "a/b/c",
        ] {
            assert_eq!(in_namespace(other), None, "{other}");
        }
    }
}
