//! Loads a description in YAML, finds its five operations, and follows their references.

fn main() {
    let file = std::env::args().nth(1).expect("name a description");
    let text = std::fs::read_to_string(&file).expect("the description");
    let spec = oas3::from_yaml(&text).expect("a valid description");
    let mut found = 0;
    for (path, method, operation) in spec.operations() {
        for parameter in operation.parameters(&spec).expect("parameters") {
            println!("{method} {path}: {}", parameter.name);
        }
        for (status, response) in operation.responses(&spec) {
            println!("{method} {path} -> {status}: {} headers", response.headers.len());
        }
        found += 1;
    }
    assert_eq!(found, 5, "operations");
}
