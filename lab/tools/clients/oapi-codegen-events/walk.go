// The walk for events: change a plant, and read its events on two pages. Reads TOKEN from the environment.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"net/http"
	"os"
	"regexp"
	"strings"

	"plantstore.example/walk/api"
)

const aloe int64 = math.MaxInt64

var cursor = regexp.MustCompile(`[?&]after=([^&>]+)[^>]*>; *rel="next"`)

func main() {
	ctx := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		return nil
	}
	client := must(api.NewClientWithResponses(api.ServerUrlThisService, api.WithRequestEditorFn(authorize)))

	plant := fmt.Sprintf("/plants/%d", aloe)
	change(http.MethodPost, "/plants", fmt.Sprintf(`{"id":%d,"name":"Aloe vera"}`, aloe))
	change(http.MethodPut, plant, `{"name":"Aloe ferox","tag":"succulent"}`)
	change(http.MethodDelete, plant, "")

	limit := int32(2)
	first := must(client.ListEventsWithResponse(ctx, &api.ListEventsParams{Limit: &limit}))
	expect("first page: status", first.StatusCode(), 200)
	after := cursor.FindStringSubmatch(first.Headers200.Link)[1]
	second := must(client.ListEventsWithResponse(ctx, &api.ListEventsParams{After: &after}))
	expect("second page: status", second.StatusCode(), 200)
	expect("events on the pages", fmt.Sprint(len(*first.JSON200), len(*second.JSON200)), "2 1")
	created := must((*first.JSON200)[0].ValueByDiscriminator()).(api.PlantCreated)
	expect("created", created.Data, api.EventPlant{Id: aloe, Name: "Aloe vera"})
	replaced := must((*first.JSON200)[1].ValueByDiscriminator()).(api.PlantReplaced)
	expect("replaced: id", replaced.Data.Id, aloe)
	expect("replaced: previous name", replaced.Data.PreviousName, "Aloe vera")
	expect("replaced: previous tag", replaced.Data.PreviousTag, nil)
	deleted := must((*second.JSON200)[0].ValueByDiscriminator()).(api.PlantDeleted)
	expect("deleted: id", deleted.Data.Id, aloe)
	expect("deleted: tag", *deleted.Data.Tag, "succulent")
	expect("deleted: sequence", deleted.Sequence, 3)

	foreign := strings.Repeat("A", 40)
	refused := must(client.ListEventsWithResponse(ctx, &api.ListEventsParams{After: &foreign}))
	expect("foreign cursor", refused.JSON400.Error, 40006)
	stranger := must(api.NewClientWithResponses(api.ServerUrlThisService))
	expect("no token", must(stranger.ListEventsWithResponse(ctx, nil)).JSON401.Error, 40100)
}

func change(method, path, body string) {
	request := must(http.NewRequest(method, os.Getenv("URL")+path, strings.NewReader(body)))
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	response := must(http.DefaultClient.Do(request))
	expect(method+" "+path, response.StatusCode/100, 2)
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func expect[T comparable](what string, got, want T) {
	if got != want {
		log.Fatalf("%s: %v instead of %v", what, got, want)
	}
}
