//! `version`: the versions of the client, its data and the API server.

use super::args::{Common, Connection, format_of};
use super::diagnostic::Diagnostic;
use super::{CommandOutcome, complain, interrupt, print_answer};
use crate::cli::verb::{Group, Verb, VerbSpec};
use crate::output::Format;
use crate::output::version::{ServerVersionDocument, TzdbVersion, VersionDocument};
use cronjob_controller::controller::{Model, Release};
use kube_access::{Access, ClusterError, Session};

/// Print the versions of client, time zone data and API server
///
/// The version of the API server decides which release of the controller is predicted, unless --kubernetes-version is
/// given. If the server cannot be reached, the other versions are still printed, and the exit code is 2.
#[derive(Debug, clap::Args)]
#[command(before_long_help = "\
Examples:
  # Print all versions
  kubectl cronjob-doctor version

  # Print the client version only
  kubectl cronjob-doctor version --client")]
pub(super) struct VersionArgs {
    /// If true, shows client version only (no server required).
    #[arg(
        long,
        help = "If true, shows client version only (no server required)."
    )]
    client: bool,
    /// One of 'yaml' or 'json'.
    #[arg(long, short, help = "One of 'yaml' or 'json'.", value_name = "FORMAT", value_parser = format_of::<VersionDocument>())]
    output: Option<Format>,
}

pub(super) const SPEC: VerbSpec = VerbSpec::of::<VersionArgs>("version", Group::Other);

impl Verb for VersionArgs {
    fn run(&self, common: &Common) -> anyhow::Result<CommandOutcome> {
        let database = common.global.zone_database()?;
        let server = if self.client {
            Ok(None)
        } else {
            ask(&common.connection)
        };
        let (server, trouble) = match server {
            Ok(server) => (server, None),
            Err(error) => (None, Some(error)),
        };
        let version = VersionDocument::new(
            Release::NEWEST.to_string(),
            TzdbVersion::from(&database),
            server,
        );
        print_answer(self.output, &version)?;
        // The known versions were printed first.
        Ok(match trouble {
            None => CommandOutcome::Fine,
            Some(error) => {
                complain(
                    Diagnostic::of(&error.into())
                        .help("Use --client to print the client version only."),
                );
                CommandOutcome::Incomplete
            }
        })
    }
}

/// The version of the API server, if a cluster is configured.
fn ask(connection: &Connection) -> Result<Option<ServerVersionDocument>, ClusterError> {
    let session = match Session::open(&Access::from(connection), &interrupt::SIGNALS) {
        // Without a configured cluster, this is not an error.
        Err(ClusterError::NoClient | ClusterError::NoCluster { .. }) => return Ok(None),
        session => session?,
    };
    let version = session.version()?;
    let modelled = version.release.unwrap_or(Release::NEWEST);
    Ok(Some(ServerVersionDocument {
        version: version.text,
        modelled_kubernetes_version: modelled.to_string(),
        model: Model::Kubernetes.name(modelled),
    }))
}
