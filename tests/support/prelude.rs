//! What most tests use.

pub(crate) use std::fs;

pub(crate) use serde_json::{Value, json};

pub(crate) use super::command_line::CommandLine;
pub(crate) use super::folder::Folder;
pub(crate) use super::json::{Json, list, owner_reference};
#[cfg(target_os = "linux")]
pub(crate) use super::run::doctor_in_terminal;
pub(crate) use super::run::{
    Ran, doctor, doctor_in, doctor_with_objects, doctor_with_stdin, program, undated, words,
};
