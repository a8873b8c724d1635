// The walk that every client does, with oapi-codegen's client. Reads TOKEN from the environment.
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

const (
	aloe  int64 = math.MaxInt64
	count int64 = 250
)

var cursor = regexp.MustCompile(`[?&]after=([^&>]+)[^>]*>; *rel="next"`)

func main() {
	ctx := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		return nil
	}
	client := must(api.NewClientWithResponses(api.ServerUrlThisService, api.WithRequestEditorFn(authorize)))

	for range 2 { // the second is the replay of the first
		created := must(client.CreatePlantWithResponse(ctx, api.NewPlant{Id: aloe, Name: "Aloe vera"}))
		status("create", created, 200)
		expect("created", *created.JSON200, api.Plant{Name: "Aloe vera"})
		location := created.Headers200.Location
		expect("Location "+location, strings.HasSuffix(location, fmt.Sprint("/plants/", aloe)), true)
	}
	taken := must(client.CreatePlantWithResponse(ctx, api.NewPlant{Id: aloe, Name: "Aloe ferox"}))
	status("taken id", taken, 400)
	expect("taken id", taken.JSON400.Error, 40009)

	got := must(client.GetPlantWithResponse(ctx, aloe, nil))
	status("get", got, 200)
	expect("plant", *got.JSON200, api.StoredPlant{Id: aloe, Name: "Aloe vera"})
	etag := got.Headers200.ETag

	tag, limit := "walk", int32(100)
	for id := int64(1); id <= count; id++ {
		status("create", must(client.CreatePlantWithResponse(ctx, api.NewPlant{Id: id, Name: "Fern", Tag: &tag})), 200)
	}
	seen := int64(0)
	for params := (&api.ListPlantsParams{Limit: &limit, Tag: &tag}); params != nil; {
		page := must(client.ListPlantsWithResponse(ctx, params))
		status("list", page, 200)
		for _, plant := range *page.JSON200 {
			seen++
			expect("next id", plant.Id, seen)
		}
		if page.Headers200.Link == nil {
			break
		}
		params.After = &cursor.FindStringSubmatch(*page.Headers200.Link)[1]
	}
	expect("plants listed", seen, count)

	renamed := api.Plant{Name: "Aloe barbadensis"}
	replaced := must(client.ReplacePlantWithResponse(ctx, aloe, &api.ReplacePlantParams{IfMatch: &etag}, renamed))
	status("replace", replaced, 200)
	expect("new name", replaced.JSON200.Name, renamed.Name)
	stale := must(client.ReplacePlantWithResponse(ctx, aloe, &api.ReplacePlantParams{IfMatch: &etag}, renamed))
	status("stale If-Match", stale, 412)
	expect("stale If-Match", stale.JSON412.Error, 41200)

	current := &api.GetPlantParams{IfNoneMatch: &replaced.Headers200.ETag}
	status("If-None-Match", must(client.GetPlantWithResponse(ctx, aloe, current)), 304)

	status("delete", must(client.DeletePlantWithResponse(ctx, aloe, nil)), 204)
	gone := must(client.GetPlantWithResponse(ctx, aloe, nil))
	status("get deleted", gone, 404)
	expect("get deleted", gone.JSON404.Error, 40401)

	stranger := must(api.NewClientWithResponses(api.ServerUrlThisService))
	refused := must(stranger.GetPlantWithResponse(ctx, aloe, nil))
	status("no token", refused, 401)
	expect("no token", refused.JSON401.Error, 40100)

	long := must(client.CreatePlantWithResponse(ctx, api.NewPlant{Id: aloe, Name: strings.Repeat("a", 1025)}))
	status("long name", long, 400)
	expect("long name", long.JSON400.Error, 40005)
	fmt.Println("agrees")
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func status(what string, response interface{ StatusCode() int }, want int) {
	expect(what+": status", response.StatusCode(), want)
}

func expect[T comparable](what string, got, want T) {
	if got != want {
		log.Fatalf("%s: %v instead of %v", what, got, want)
	}
}
