//! The dashboard, through a real terminal: what is on the screen, what keys do, what is sent, and what
//! remains of the terminal afterwards.

mod terminal;

mod changing;
mod ending;
mod looking;
mod losing;
