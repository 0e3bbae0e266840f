//! The only module that talks to a Kubernetes API server.
//!
//! [`Access`] has kubectl's flags; [`Session::open`] connects with them, and
//! [`Session::survey`] reads CronJobs with their Jobs and events: concurrently, page by page, as
//! protobuf, and with a timeout. The result is the same [`crate::model`] that files are read
//! into. [`Session::create`] and [`Session::patch`] change the cluster.

mod access;
mod address;
mod api_request;
mod change;
mod clock;
mod contexts;
mod credential_files;
mod deadline;
mod error;
mod forward;
pub(crate) mod fuzzed;
mod identity;
mod interruption;
mod kubeconfig;
mod kuberc;
mod list;
mod login;
mod logs;
mod names;
mod plugin;
mod pods;
mod proxy;
mod resource;
mod rights;
mod service;
mod session;
mod status;
mod survey;
mod transport;
mod unreachable;
mod updates;
mod user_name;
mod warning;
mod watch;
mod whole;
mod wire;

pub(crate) use access::{Access, ReadOnce};
pub(crate) use change::{Manner, Stored, Target};
pub(crate) use clock::ServerClock;
pub(crate) use contexts::ContextSelection;
pub(crate) use error::ClusterError;
pub(crate) use interruption::Interruption;
pub(crate) use logs::{LogOptions, LogSource, LogsSince};
pub(crate) use pods::OfJobs;
pub(crate) use resource::{Resource, check_namespace};
pub(crate) use rights::Right;
pub(crate) use service::Service;
pub(crate) use session::Session;
pub(crate) use survey::{ClusterObjects, ClusterQuery, Pods, ReadProgress, Versions};
pub(crate) use updates::{AlsoWatch, Updates};
pub(crate) use watch::{Update, WatchEvent, WatchedObject, WatchedObjects};
pub(crate) use whole::NamedObject;
