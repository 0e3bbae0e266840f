//! Words to choose from that several verbs share.

use clap::ValueEnum;

use crate::controller::Model;
use crate::diagnose::Severity;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum DocumentFormat {
    Json,
    Yaml,
}

/// From which severity on findings make a run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum FailOn {
    Info,
    Warning,
    Error,
    Never,
}

impl FailOn {
    /// The severity that is the least to fail; `None` if none does.
    pub(in crate::cli) fn threshold(self) -> Option<Severity> {
        match self {
            FailOn::Never => None,
            FailOn::Info => Some(Severity::Info),
            FailOn::Warning => Some(Severity::Warning),
            FailOn::Error => Some(Severity::Error),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ControllerKind {
    Kubernetes,
    Kubebuilder,
}

impl From<ControllerKind> for Model {
    fn from(kind: ControllerKind) -> Self {
        match kind {
            ControllerKind::Kubernetes => Model::Kubernetes,
            ControllerKind::Kubebuilder => Model::Kubebuilder,
        }
    }
}
