// The walk that every client does, with ogen's client. Reads URL and TOKEN from the environment.
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
	aloe  api.PlantId = math.MaxInt64
	count api.PlantId = 250
)

var cursor = regexp.MustCompile(`[?&]after=([^&>]+)[^>]*>; *rel="next"`)

type token string

func (t token) BearerAuth(context.Context, api.OperationName) (api.BearerAuth, error) {
	return api.BearerAuth{Token: string(t)}, nil
}

// anonymous removes the token from each request, because ogen's client sends no request without a token.
type anonymous struct{}

func (anonymous) Do(request *http.Request) (*http.Response, error) {
	request.Header.Del("Authorization")
	return http.DefaultClient.Do(request)
}

func main() {
	ctx := context.Background()
	client := must(api.NewClient(os.Getenv("URL"), token(os.Getenv("TOKEN"))))

	for range 2 { // the second is the replay of the first
		created := as[*api.PlantHeaders](client.CreatePlant(ctx, &api.NewPlant{ID: aloe, Name: "Aloe vera"}))
		expect("created", created.Response, api.Plant{Name: "Aloe vera"})
		expect("Location "+created.Location, strings.HasSuffix(created.Location, fmt.Sprint("/plants/", aloe)), true)
	}
	taken := as[*api.CreateRefusedHeaders](client.CreatePlant(ctx, &api.NewPlant{ID: aloe, Name: "Aloe ferox"}))
	expect("taken id", taken.Response.Error, 40009)

	got := as[*api.StoredPlantHeaders](client.GetPlant(ctx, api.GetPlantParams{ID: aloe}))
	expect("plant", got.Response, api.StoredPlant{ID: aloe, Name: "Aloe vera"})
	etag := api.NewOptEntityTags(api.EntityTags(got.ETag))

	tag := api.NewOptPlantTag("walk")
	for id := api.PlantId(1); id <= count; id++ {
		as[*api.PlantHeaders](client.CreatePlant(ctx, &api.NewPlant{ID: id, Name: "Fern", Tag: tag}))
	}
	seen := api.PlantId(0)
	for params := (api.ListPlantsParams{Limit: api.NewOptInt32(100), Tag: tag}); ; {
		page := as[*api.ListPlantsOKHeaders](client.ListPlants(ctx, params))
		for _, plant := range page.Response {
			seen++
			expect("next id", plant.ID, seen)
		}
		link, isLinked := page.Link.Get()
		if !isLinked {
			break
		}
		params.After = api.NewOptCursor(api.Cursor(cursor.FindStringSubmatch(link)[1]))
	}
	expect("plants listed", seen, count)

	renamed := &api.Plant{Name: "Aloe barbadensis"}
	condition := api.ReplacePlantParams{ID: aloe, IfMatch: etag}
	replaced := as[*api.StoredPlantHeaders](client.ReplacePlant(ctx, renamed, condition))
	expect("new name", replaced.Response.Name, renamed.Name)
	stale := as[*api.PreconditionFailedHeaders](client.ReplacePlant(ctx, renamed, condition))
	expect("stale If-Match", stale.Response.Error, 41200)

	current := api.NewOptEntityTags(api.EntityTags(replaced.ETag))
	as[*api.GetPlantNotModified](client.GetPlant(ctx, api.GetPlantParams{ID: aloe, IfNoneMatch: current}))

	as[*api.DeletePlantNoContent](client.DeletePlant(ctx, api.DeletePlantParams{ID: aloe}))
	gone := as[*api.NoSuchPlantHeaders](client.GetPlant(ctx, api.GetPlantParams{ID: aloe}))
	expect("get deleted", gone.Response.Error, 40401)

	stranger := must(api.NewClient(os.Getenv("URL"), token(""), api.WithClient(anonymous{})))
	refused := as[*api.UnauthenticatedHeaders](stranger.GetPlant(ctx, api.GetPlantParams{ID: aloe}))
	expect("no token", refused.Response.Error, 40100)

	tooLong := &api.NewPlant{ID: aloe, Name: api.PlantName(strings.Repeat("a", 1025))}
	long := as[*api.CreateRefusedHeaders](client.CreatePlant(ctx, tooLong))
	expect("long name", long.Response.Error, 40005)
	fmt.Println("agrees")
}

// as returns the response as the type of the expected status.
func as[T any](response any, err error) T {
	typed, isExpected := must(response, err).(T)
	if !isExpected {
		log.Fatalf("%T instead of %T", response, typed)
	}
	return typed
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
