//! Small servers beside the API server: proxies, and servers with fixed responses.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// A server on this machine that lives as long as the test's process.
pub(crate) struct Small {
    pub(crate) port: u16,
    asked: Receiver<String>,
}

impl Small {
    /// The first lines of the requests so far.
    pub(crate) fn asked(&self) -> Vec<String> {
        let line = |head: String| head.lines().next().map(str::to_owned);
        self.asked.try_iter().filter_map(line).collect()
    }

    /// The heads of the requests so far.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.asked.try_iter().collect()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn start(serve: impl Fn(TcpStream) + Send + Sync + Copy + 'static) -> Small {
        Small::greeting(head, serve)
    }

    /// The same, with a different function that reads what a client sends first.
    fn greeting(
        head: impl Fn(&mut TcpStream) -> String + Send + 'static,
        serve: impl Fn(TcpStream) + Send + Sync + Copy + 'static,
    ) -> Small {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, asked) = channel();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut stream = stream;
                let head = head(&mut stream);
                // A client may close a connection that it does not need.
                if !head.is_empty() && sender.send(head).is_err() {
                    return;
                }
                thread::spawn(move || serve(stream));
            }
        });
        Small { port, asked }
    }
}

/// An HTTP proxy that always connects to one server, whatever address is requested.
pub(crate) fn proxy_to(port: u16) -> Small {
    Small::start(move |mut client| {
        let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else {
            return;
        };
        if client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").is_err() {
            return;
        }
        relay(client, server);
    })
}

/// A SOCKS5 proxy that always connects to one server. It records the requested name and port.
pub(crate) fn socks_to(port: u16) -> Small {
    let read = |client: &mut TcpStream, count: usize| {
        let mut bytes = vec![0; count];
        client.read_exact(&mut bytes).map(|()| bytes)
    };
    let greeting = move |client: &mut TcpStream| -> std::io::Result<String> {
        let methods = read(client, 2)?[1];
        read(client, methods.into())?;
        client.write_all(&[5, 0])?;
        let address = match read(client, 4)?[3] {
            3 => {
                let length = read(client, 1)?[0];
                String::from_utf8(read(client, length.into())?).unwrap()
            }
            _ => read(client, 4)?
                .iter()
                .map(u8::to_string)
                .collect::<Vec<_>>()
                .join("."),
        };
        let port = read(client, 2)?;
        client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
        Ok(format!(
            "{address}:{}",
            u16::from_be_bytes([port[0], port[1]])
        ))
    };
    Small::greeting(
        move |client| greeting(client).unwrap_or_default(),
        move |client| {
            if let Ok(server) = TcpStream::connect(("127.0.0.1", port)) {
                relay(client, server);
            }
        },
    )
}

fn relay(mut client: TcpStream, server: TcpStream) {
    let (mut upward, mut downward) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    thread::spawn(move || {
        let _ = std::io::copy(&mut upward, &mut { server });
    });
    let _ = std::io::copy(&mut downward, &mut client);
    let _ = client.shutdown(Shutdown::Both);
}

/// Sends the same response to every request.
pub(crate) fn answering(answer: &'static str) -> Small {
    Small::start(move |mut client| {
        let _ = client.write_all(answer.as_bytes());
        let _ = client.shutdown(Shutdown::Write);
    })
}

/// Sends an empty page of a list to every request, with a new token for the next page each time.
pub(crate) fn endless_list() -> Small {
    static PAGES: AtomicU32 = AtomicU32::new(0);
    Small::start(move |mut client| {
        let page = PAGES.fetch_add(1, Ordering::Relaxed);
        let body = format!(
            "{{\"kind\":\"CronJobList\",\"apiVersion\":\"batch/v1\",\"items\":[],\
             \"metadata\":{{\"resourceVersion\":\"1\",\"continue\":\"{page}\"}}}}"
        );
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n",
            body.len()
        );
        let _ = client.write_all((head + &body).as_bytes());
        let _ = client.shutdown(Shutdown::Write);
    })
}

/// Sends this status code to every request, and a body that never ends.
pub(crate) fn endless_answer(code: u16) -> Small {
    Small::start(move |mut client| {
        let head = format!("HTTP/1.1 {code} -\r\nContent-Type: text/plain\r\n\r\n");
        let mut sent = client.write_all(head.as_bytes());
        while sent.is_ok() {
            sent = client.write_all(&[b'x'; 8192]);
        }
    })
}

/// Reads what a client sends before it waits for the response.
fn head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count > 0) {
        head.extend_from_slice(&byte);
    }
    String::from_utf8_lossy(&head).into_owned()
}
