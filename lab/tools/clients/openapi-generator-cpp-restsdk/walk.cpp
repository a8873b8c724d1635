// The walk that every client does, with openapi-generator's client for C++. Reads URL and TOKEN from the environment.
#include "PlantStore/ApiConfiguration.h"
#include "PlantStore/ApiException.h"
#include "PlantStore/api/PlantsApi.h"

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <regex>
#include <string>

using namespace org::openapitools::client::api;
using namespace org::openapitools::client::model;
using Tags = boost::optional<std::string>;

constexpr int64_t ALOE = std::numeric_limits<int64_t>::max();
constexpr int64_t COUNT = 250;

// The status and headers of the last response. The client's functions do not return them.
int lastStatus = 0;
web::http::http_headers lastHeaders;

template <class T, class U>
void expect(const std::string& what, const T& got, const U& wanted) {
    if (got == wanted) return;
    std::cerr << what << ": " << got << " instead of " << wanted << std::endl;
    std::exit(1);
}

void expectFailure(const std::string& what, int status, int number, const std::function<void()>& request) {
    try {
        request();
    } catch (const ApiException& e) {
        Error error;
        error.fromJson(web::json::value::parse(*e.getContent()));
        expect(what, e.error_code().value(), status);
        expect(what, error.getError(), number);
        return;
    }
    expect(what, "no failure", std::string("a failure"));
}

PlantsApi connect(const std::string& token) {
    auto configuration = std::make_shared<ApiConfiguration>();
    configuration->setBaseUrl(std::getenv("URL"));
    if (!token.empty()) configuration->getDefaultHeaders()["Authorization"] = "Bearer " + token;
    auto client = std::make_shared<ApiClient>(configuration);
    client->setResponseHandler([](web::http::status_code status, const web::http::http_headers& headers) {
        lastStatus = status;
        lastHeaders = headers;
    });
    return PlantsApi(client);
}

std::shared_ptr<NewPlant> newPlant(int64_t id, const std::string& name) {
    auto plant = std::make_shared<NewPlant>();
    plant->setId(id);
    plant->setName(name);
    return plant;
}

int main() {
    const auto plants = connect(std::getenv("TOKEN"));
    const std::regex cursor(R"re([?&]after=([^&>]+)[^>]*>; *rel="next")re");

    for (const auto* what : {"create", "replay"}) {
        const auto created = plants.createPlant(newPlant(ALOE, "Aloe vera")).get();
        expect(what, lastStatus, 200);
        expect(what, created->getName(), "Aloe vera");
        expect(what, created->tagIsSet(), false);
        expect(what, lastHeaders["Location"].ends_with("/plants/9223372036854775807"), true);
    }
    expectFailure("taken id", 400, 40009, [&] { plants.createPlant(newPlant(ALOE, "Aloe ferox")).get(); });

    const auto got = plants.getPlant(ALOE, Tags()).get();
    expect("id", got->getId(), ALOE);
    expect("name", got->getName(), "Aloe vera");
    const Tags etag = lastHeaders["ETag"];

    for (int64_t id = 1; id <= COUNT; id++) {
        const auto fern = newPlant(id, "Fern");
        fern->setTag("walk");
        plants.createPlant(fern).get();
    }
    int64_t seen = 0;
    for (boost::optional<std::string> after;;) {
        const auto page = plants.listPlants(100, Tags("walk"), after).get();
        for (const auto& plant : page) expect("next id", plant->getId(), ++seen);
        if (!lastHeaders.has("Link")) break;
        std::smatch match;
        const std::string link = lastHeaders["Link"];
        expect("cursor", std::regex_search(link, match, cursor), true);
        after = match[1].str();
    }
    expect("plants listed", seen, COUNT);

    const auto renamed = std::make_shared<Plant>();
    renamed->setName("Aloe barbadensis");
    expect("new name", plants.replacePlant(ALOE, renamed, etag, Tags()).get()->getName(), "Aloe barbadensis");
    expect("replace", lastStatus, 200);
    const Tags current = lastHeaders["ETag"];
    expectFailure("stale If-Match", 412, 41200, [&] { plants.replacePlant(ALOE, renamed, etag, Tags()).get(); });
    try {
        plants.getPlant(ALOE, current).get();
    } catch (const web::json::json_exception&) {
        // The functions read a body from every response below 400, but a 304 has none.
    }
    expect("If-None-Match", lastStatus, 304);

    plants.deletePlant(ALOE, Tags(), Tags()).get();
    expect("delete", lastStatus, 204);
    expectFailure("get deleted", 404, 40401, [&] { plants.getPlant(ALOE, Tags()).get(); });
    expectFailure("no token", 401, 40100, [] { connect("").getPlant(ALOE, Tags()).get(); });
    expectFailure("long name", 400, 40005, [&] { plants.createPlant(newPlant(ALOE, std::string(1025, 'a'))).get(); });
    std::cout << "agrees" << std::endl;
}
