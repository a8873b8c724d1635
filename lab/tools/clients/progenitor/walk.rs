//! The walk of every client, with the client that progenitor made. Reads URL and TOKEN from the environment.
use plant_store::types::{self, Cursor, EntityTags, NewPlant, Plant, PlantId, PlantName, PlantTag};
use plant_store::{Client, Error, ResponseValue};
use regex::Regex;
use reqwest::header::{AUTHORIZATION, HeaderMap};
use std::env;

const ALOE: PlantId = PlantId(i64::MAX);

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let url = env::var("URL").unwrap();
    let authorization = format!("Bearer {}", env::var("TOKEN").unwrap());
    let headers = HeaderMap::from_iter([(AUTHORIZATION, authorization.parse().unwrap())]);
    let http = reqwest::Client::builder()
        .default_headers(headers)
        .build()
        .unwrap();
    let client = Client::new_with_client(&url, http);
    let cursor = Regex::new(r#"[?&]after=([^&>]+)[^>]*>; *rel="next""#).unwrap();

    for _ in 0..2 {
        // The second create is a replay of the first.
        let created = client
            .create_plant(&new_plant(*ALOE, "Aloe vera", None))
            .await
            .unwrap();
        assert_eq!(created.status(), 200);
        assert_eq!(*created.name, "Aloe vera");
        assert!(created.tag.is_none());
        assert!(
            header(&created, "location")
                .unwrap()
                .ends_with("/plants/9223372036854775807")
        );
    }
    let taken = client
        .create_plant(&new_plant(*ALOE, "Aloe ferox", None))
        .await;
    assert_eq!(failure(taken), (400, 40009));

    let got = client.get_plant(&ALOE, None).await.unwrap();
    assert_eq!(*got.id, i64::MAX);
    assert_eq!(*got.name, "Aloe vera");
    let etag = tags(&got);

    let tag: PlantTag = "walk".parse().unwrap();
    for id in 1..=250 {
        client
            .create_plant(&new_plant(id, "Fern", Some(&tag)))
            .await
            .unwrap();
    }
    let limit = 100.try_into().ok();
    let mut seen = Vec::new();
    let mut after: Option<Cursor> = None;
    loop {
        let page = client
            .list_plants(after.as_ref(), limit, Some(&tag))
            .await
            .unwrap();
        seen.extend(page.iter().map(|plant| *plant.id));
        let Some(link) = header(&page, "link") else {
            break;
        };
        after = Some(cursor.captures(link).unwrap()[1].parse().unwrap());
    }
    assert_eq!(seen, (1..=250).collect::<Vec<i64>>());

    let renamed = Plant {
        name: "Aloe barbadensis".parse().unwrap(),
        tag: None,
    };
    let replaced = client
        .replace_plant(&ALOE, Some(&etag), &renamed)
        .await
        .unwrap();
    assert_eq!(replaced.status(), 200);
    assert_eq!(*replaced.name, "Aloe barbadensis");
    assert_eq!(
        failure(client.replace_plant(&ALOE, Some(&etag), &renamed).await),
        (412, 41200)
    );

    let current = client.get_plant(&ALOE, Some(&tags(&replaced))).await;
    assert_eq!(current.unwrap_err().status().unwrap(), 304);

    assert_eq!(
        client.delete_plant(&ALOE, None).await.unwrap().status(),
        204
    );
    assert_eq!(failure(client.get_plant(&ALOE, None).await), (404, 40401));
    assert_eq!(
        failure(Client::new(&url).get_plant(&ALOE, None).await),
        (401, 40100)
    );

    // The type refuses a name that is too long, so the client cannot send one.
    assert!("a".repeat(1025).parse::<PlantName>().is_err());
    println!("agrees");
}

fn new_plant(id: i64, name: &str, tag: Option<&PlantTag>) -> NewPlant {
    NewPlant {
        id: PlantId(id),
        name: name.parse().unwrap(),
        tag: tag.cloned(),
    }
}

fn header<'a, T>(response: &'a ResponseValue<T>, name: &str) -> Option<&'a str> {
    response
        .headers()
        .get(name)
        .map(|value| value.to_str().unwrap())
}

fn tags<T>(response: &ResponseValue<T>) -> EntityTags {
    header(response, "etag").unwrap().parse().unwrap()
}

/// The status and the error number of a request that failed as described.
fn failure<T: std::fmt::Debug>(result: Result<T, Error<types::Error>>) -> (u16, i32) {
    match result {
        Err(Error::ErrorResponse(response)) => (response.status().as_u16(), response.error),
        other => panic!("{other:?} instead of a described failure"),
    }
}
