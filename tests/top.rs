//! The dashboard, through a real terminal: the screen, the keys, the requests, and the state of the
//! terminal afterward.

mod terminal;

mod changing;
mod ending;
mod looking;
mod losing;
