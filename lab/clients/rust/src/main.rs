//! Does the tasks of `plantstore grade client` with one of Rust's HTTP clients: adapter CLIENT.
use anyhow::{Context, Result};
use reqwest::{Client, Method, Url};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};
use reqwest_retry::{RetryTransientMiddleware, policies::ExponentialBackoff};
use serde_json::{Value, json};
use std::{env, fs, io::Write, time::Duration};

fn open(name: &str, timeout: Duration) -> Result<ClientWithMiddleware> {
    let client = ClientBuilder::new(Client::builder().timeout(timeout).build()?);
    Ok(match name {
        "reqwest" => client.build(),
        "reqwest-retry" => {
            let policy = ExponentialBackoff::builder().build_with_max_retries(3);
            client.with(RetryTransientMiddleware::new_with_policy(policy)).build()
        }
        _ => anyhow::bail!("there is no client {name}"),
    })
}

/// Returns the status, the field Link and the body.
async fn send(client: &ClientWithMiddleware, call: &Value, url: &Url) -> Result<(u16, String, String)> {
    let text = |name: &str| call[name].as_str().unwrap_or_default().to_owned();
    let mut request = client.request(Method::from_bytes(text("method").as_bytes())?, url.clone());
    for (name, value) in call["headers"].as_object().context("the task has no headers")? {
        request = request.header(name, value.as_str().unwrap_or_default());
    }
    if call["body"].is_string() {
        request = request.body(text("body"));
    }
    let response = request.send().await?;
    let link = response
        .headers()
        .get("link")
        .map_or(Ok(""), |value| value.to_str())?
        .to_owned();
    Ok((response.status().as_u16(), link, response.text().await?))
}

/// Reads all pages. The ids are reported as texts.
async fn list(client: &ClientWithMiddleware, call: &Value, mut url: Url) -> Result<Value> {
    let mut plants = Vec::new();
    loop {
        let (status, link, body) = send(client, call, &url).await?;
        if status != 200 {
            return Ok(json!({ "status": status }));
        }
        for mut plant in serde_json::from_str::<Vec<Value>>(&body)? {
            plant["id"] = plant["id"].to_string().into();
            plants.push(plant);
        }
        match link.split_once(">; rel=\"next\"") {
            None => return Ok(json!({ "status": status, "plants": plants })),
            Some((before, _)) => url = url.join(before.rsplit('<').next().unwrap_or_default())?,
        }
    }
}

async fn perform(client: &ClientWithMiddleware, call: &Value) -> Result<Value> {
    let url = Url::parse(call["url"].as_str().unwrap_or_default())?;
    if call["kind"] == "list" {
        return list(client, call, url).await;
    }
    let (status, _, body) = send(client, call, &url).await?;
    Ok(json!({ "status": status, "body": body }))
}

fn main() -> Result<()> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(run())
}

async fn run() -> Result<()> {
    let timeout = Duration::from_millis(env::var("PLANTSTORE_TIMEOUT_MS")?.parse()?);
    let client = open(
        &env::args().nth(1).context("the name of the client is missing")?,
        timeout,
    )?;
    let mut file = fs::File::options().append(true).open(env::var("PLANTSTORE_REPORT")?)?;
    for line in fs::read_to_string(env::var("PLANTSTORE_TASKS")?)?.lines() {
        let call: Value = serde_json::from_str(line)?;
        let mut report = perform(&client, &call)
            .await
            .unwrap_or_else(|error| json!({ "error": format!("{error:#}") }));
        report["task"] = call["task"].clone();
        writeln!(file, "{report}")?;
    }
    Ok(())
}
