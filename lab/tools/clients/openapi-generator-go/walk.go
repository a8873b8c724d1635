// The walk that every client does, with openapi-generator's client for Go. Reads TOKEN from the environment.
package main

import (
	"context"
	"errors"
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
	stranger := context.Background()
	ctx := context.WithValue(stranger, api.ContextAccessToken, os.Getenv("TOKEN"))
	plants := api.NewAPIClient(api.NewConfiguration()).PlantsAPI
	create := func(id int64, name string, tag *string) (*api.Plant, *http.Response, error) {
		return plants.CreatePlant(ctx).PlantToCreate(api.PlantToCreate{Id: id, Name: name, Tag: tag}).Execute()
	}

	for range 2 { // the second is the replay of the first
		created, response, err := create(aloe, "Aloe vera", nil)
		check(err)
		expect("create", response.StatusCode, 200)
		expect("created", *created, api.Plant{Name: "Aloe vera"})
		location := response.Header.Get("Location")
		expect("Location "+location, strings.HasSuffix(location, fmt.Sprint("/plants/", aloe)), true)
	}
	_, response, err := create(aloe, "Aloe ferox", nil)
	expectFailure("taken id", response, err, 400, 40009)

	got, response, err := plants.GetPlant(ctx, aloe).Execute()
	check(err)
	expect("plant", *got, api.StoredPlant{Id: aloe, Name: "Aloe vera"})
	etag := response.Header.Get("ETag")

	tag := "walk"
	for id := int64(1); id <= count; id++ {
		_, _, err := create(id, "Fern", &tag)
		check(err)
	}
	seen := int64(0)
	for request := plants.ListPlants(ctx).Limit(100).Tag(tag); ; {
		page, response, err := request.Execute()
		check(err)
		for _, plant := range page {
			seen++
			expect("next id", plant.Id, seen)
		}
		link := response.Header.Get("Link")
		if link == "" {
			break
		}
		request = request.After(cursor.FindStringSubmatch(link)[1])
	}
	expect("plants listed", seen, count)

	renamed := api.Plant{Name: "Aloe barbadensis"}
	replaced, response, err := plants.ReplacePlant(ctx, aloe).Plant(renamed).IfMatch(etag).Execute()
	check(err)
	expect("replace", response.StatusCode, 200)
	expect("new name", replaced.Name, renamed.Name)
	current := response.Header.Get("ETag")
	_, response, err = plants.ReplacePlant(ctx, aloe).Plant(renamed).IfMatch(etag).Execute()
	expectFailure("stale If-Match", response, err, 412, 41200)

	_, response, _ = plants.GetPlant(ctx, aloe).IfNoneMatch(current).Execute()
	expect("If-None-Match", response.StatusCode, 304)

	response, err = plants.DeletePlant(ctx, aloe).Execute()
	check(err)
	expect("delete", response.StatusCode, 204)
	_, response, err = plants.GetPlant(ctx, aloe).Execute()
	expectFailure("get deleted", response, err, 404, 40401)

	_, response, err = plants.GetPlant(stranger, aloe).Execute()
	expectFailure("no token", response, err, 401, 40100)

	_, response, err = create(aloe, strings.Repeat("a", 1025), nil)
	expectFailure("long name", response, err, 400, 40005)
	fmt.Println("agrees")
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func expectFailure(what string, response *http.Response, err error, status int, number int32) {
	expect(what, response.StatusCode, status)
	var failure *api.GenericOpenAPIError
	if !errors.As(err, &failure) {
		log.Fatalf("%s: %v", what, err)
	}
	body, isDescribed := failure.Model().(api.Error)
	expect(what, isDescribed, true)
	expect(what, body.Error, number)
}

func expect[T comparable](what string, got, want T) {
	if got != want {
		log.Fatalf("%s: %v instead of %v", what, got, want)
	}
}
