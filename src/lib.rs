//! What will the `CronJob` controller of this cluster do with this `CronJob`, when, and why?
//!
//! The house has a pure core that computes the answer and thin edges that touch the world.
//!
//! - [`schedule`]: a cron expression becomes times, exactly as the library inside Kubernetes
//!   computes them. Knows no Kubernetes, no clock, no files.
//! - [`controller`]: a `CronJob`, its Jobs and a moment become the decision of a release's
//!   controller: which Job it starts, which events it records, when it looks again.
//! - [`validation`]: what the API server of a release refuses in a manifest and warns about, with
//!   the place of each.
//! - [`diagnose`]: evidence and decision become findings, a verdict, and the causes of missed runs.
//! - [`forecast`]: what the controller will do from now on if nobody does anything.
//! - [`survey`]: the health of many `CronJob`s at a moment: a small row for each.
//! - [`top`]: a dashboard as a state: what is shown, and what keys and changes do to it.
//! - [`history`]: what happened at each past scheduled time, as far as the evidence shows.
//! - [`simulate`]: a controller run over time, with outages, suspensions, edits and long Jobs.
//! - [`change`]: what a change would lead to, before it is made, and what is sent to make it.
//! - [`load`]: what many `CronJob`s start together, how late the last of them is, and how to spread them.
//! - [`report`]: all of that about many `CronJob`s, put side by side.
//! - [`upcoming`]: the coming runs of `CronJob`s, and what is unusual about each.
//! - [`model`]: the slim `CronJob`, `Job`, `Pod` and `Event` that everyone passes around.
//! - [`document`]: YAML or JSON text becomes a tree in which every node knows its place.
//! - [`cluster`]: the only room that talks to a Kubernetes API.
//! - [`snapshot`]: files and folders become the evidence of [`model`].
//! - `evidence`: from a cluster or from files to one immutable `World`.
//! - [`lint`]: what is wrong or risky in manifests, with the place and the fix.
//! - [`rules`]: what each rule for findings and for manifests is: names, texts, severities.
//! - [`selector`]: kubectl's selectors, for what comes from files.
//! - [`output`]: every format; the only room that prints.
//! - [`cli`]: one file a verb: gather, compute, hand over.
//! - [`spelling`]: words that were probably meant.
//! - [`duration`]: distances in time as kubectl writes them.
//! - [`kubectl`]: commands to paste into a shell.
//! - [`printable`]: text as it can be shown safely, and how wide it is.

#[macro_use]
mod string_enum;

pub mod change;
pub mod cli;
pub mod cluster;
pub mod controller;
pub mod diagnose;
pub mod document;
pub mod duration;
pub(crate) mod evidence;
pub mod forecast;
pub mod history;
pub mod kubectl;
pub mod lint;
pub mod load;
pub mod model;
pub mod output;
pub mod printable;
pub mod report;
pub mod rules;
pub mod selector;
pub mod simulate;
pub mod snapshot;
pub mod spelling;
pub mod survey;
pub mod top;
pub mod upcoming;
pub mod validation;

pub use kube_cron as schedule;
