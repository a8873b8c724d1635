//! The walk that every client does, with openapi-generator's client for Rust. Reads TOKEN from the environment.
use http::Extensions;
use plant_store::apis::Error;
use plant_store::apis::configuration::Configuration;
use plant_store::apis::plants_api::{
    create_plant, delete_plant, get_plant, list_plants, replace_plant,
};
use plant_store::models::{self, NewPlant, Plant, StoredPlant};
use regex::Regex;
use reqwest::{Request, Response, StatusCode, header::HeaderMap};
use reqwest_middleware::{ClientBuilder, Middleware, Next};
use std::env;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

const ALOE: i64 = i64::MAX;

/// The status and headers of the last response. The client's functions do not return them.
#[derive(Clone, Default)]
struct Last(Arc<Mutex<(StatusCode, HeaderMap)>>);

#[async_trait::async_trait]
impl Middleware for Last {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<Response> {
        let response = next.run(request, extensions).await?;
        *self.0.lock().unwrap() = (response.status(), response.headers().clone());
        Ok(response)
    }
}

impl Last {
    fn status(&self) -> StatusCode {
        self.0.lock().unwrap().0
    }

    fn header(&self, name: &str) -> Option<String> {
        let headers = &self.0.lock().unwrap().1;
        Some(headers.get(name)?.to_str().unwrap().to_owned())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let last = Last::default();
    let client = ClientBuilder::new(reqwest::Client::new()).with(last.clone());
    let stranger = Configuration {
        client: client.build(),
        ..Configuration::default()
    };
    let mut plants = stranger.clone();
    plants.bearer_access_token = Some(env::var("TOKEN").unwrap());
    let cursor = Regex::new(r#"[?&]after=([^&>]+)[^>]*>; *rel="next""#).unwrap();

    let aloe = NewPlant::new(ALOE, "Aloe vera".into());
    for _ in 0..2 {
        // The second create is a replay of the first.
        let created = create_plant(&plants, aloe.clone()).await.unwrap();
        assert_eq!(last.status(), 200);
        assert_eq!(created, Plant::new("Aloe vera".into()));
        let location = last.header("location").unwrap();
        assert!(location.ends_with("/plants/9223372036854775807"));
    }
    let ferox = NewPlant::new(ALOE, "Aloe ferox".into());
    assert_eq!(failure(create_plant(&plants, ferox).await), (400, 40009));

    let got = get_plant(&plants, ALOE, None).await.unwrap();
    assert_eq!(got, StoredPlant::new(ALOE, "Aloe vera".into()));
    let etag = last.header("etag");

    for id in 1..=250 {
        let mut fern = NewPlant::new(id, "Fern".into());
        fern.tag = Some("walk".into());
        create_plant(&plants, fern).await.unwrap();
    }
    let mut seen = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = list_plants(&plants, Some(100), Some("walk"), after.as_deref()).await;
        seen.extend(page.unwrap().iter().map(|plant| plant.id));
        let Some(link) = last.header("link") else {
            break;
        };
        after = Some(cursor.captures(&link).unwrap()[1].to_owned());
    }
    assert_eq!(seen, (1..=250).collect::<Vec<i64>>());

    let renamed = Plant::new("Aloe barbadensis".into());
    let replaced = replace_plant(&plants, ALOE, renamed.clone(), etag.as_deref()).await;
    assert_eq!(replaced.unwrap().name, "Aloe barbadensis");
    assert_eq!(last.status(), 200);
    let current = last.header("etag");
    let stale = replace_plant(&plants, ALOE, renamed, etag.as_deref()).await;
    assert_eq!(failure(stale), (412, 41200));

    let unchanged = get_plant(&plants, ALOE, current.as_deref()).await;
    assert!(matches!(unchanged, Err(Error::Serde(_))));
    assert_eq!(last.status(), 304);

    delete_plant(&plants, ALOE, None).await.unwrap();
    assert_eq!(last.status(), 204);
    let gone = get_plant(&plants, ALOE, None).await;
    assert_eq!(failure(gone), (404, 40401));
    let refused = get_plant(&stranger, ALOE, None).await;
    assert_eq!(failure(refused), (401, 40100));

    let long = create_plant(&plants, NewPlant::new(ALOE, "a".repeat(1025))).await;
    assert_eq!(failure(long), (400, 40005));
    println!("agrees");
}

/// The status and the error number of a request that failed as described.
fn failure<T: Debug, E: Debug + serde::Serialize>(result: Result<T, Error<E>>) -> (u16, i32) {
    match result {
        Err(Error::ResponseError(response)) => {
            // The entity has a variant for each status. All variants have the same model.
            let entity = serde_json::to_value(response.entity.unwrap()).unwrap();
            let error: models::Error = serde_json::from_value(entity).unwrap();
            (response.status.as_u16(), error.error)
        }
        other => panic!("{other:?} instead of a described failure"),
    }
}
