//! The dashboard, through a real terminal: the screen, the keys, the requests, and the state of the
//! terminal afterward.

mod terminal;

mod changing;
mod connection;
mod ending;
mod screen;
