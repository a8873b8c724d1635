//! Receives webhooks with the official library. It stores each message once.
use http::{HeaderMap, HeaderName, HeaderValue};
use standardwebhooks::Webhook;
use std::{collections::HashSet, env, error::Error, fs::OpenOptions, io::Read, io::Write};
use tiny_http::{Request, Response, Server};

const MAX_BYTES: u64 = 1_048_576;

fn headers_of(request: &Request) -> Result<HeaderMap, Box<dyn Error + Send + Sync>> {
    let mut headers = HeaderMap::new();
    for header in request.headers() {
        let name = HeaderName::from_bytes(header.field.as_str().as_str().as_bytes())?;
        headers.insert(name, HeaderValue::from_bytes(header.value.as_str().as_bytes())?);
    }
    Ok(headers)
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let webhook = Webhook::new(&env::var("PLANTSTORE_SECRET")?)?;
    let mut report = OpenOptions::new().append(true).open(env::var("PLANTSTORE_REPORT")?)?;
    let mut stored = HashSet::new();
    let server = Server::http(format!("127.0.0.1:{}", env::var("PLANTSTORE_PORT")?))?;
    for mut request in server.incoming_requests() {
        let mut body = Vec::new();
        let read = request.as_reader().take(MAX_BYTES + 1).read_to_end(&mut body);
        let headers = headers_of(&request);
        let status = match headers {
            _ if read.is_err() => 400,
            _ if body.len() as u64 > MAX_BYTES => 413,
            Ok(headers) if webhook.verify(&body, &headers).is_ok() => {
                if stored.insert(headers["webhook-id"].clone()) {
                    body.push(b'\n');
                    report.write_all(&body)?;
                }
                204
            }
            _ => 401,
        };
        let _ = request.respond(Response::empty(status));
    }
    Ok(())
}
