// Reads the description and validates recorded exchanges against it: main DESCRIPTION EXCHANGES.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

type exchange struct {
	Operation, Method, Path, RequestBody, Body string
	IsValid                                    bool
	Status                                     int
	RequestHeaders, Headers                    map[string]string
}

func main() {
	ctx := context.Background()
	document, err := openapi3.NewLoader().LoadFromFile(os.Args[1])
	check(err)
	check(document.Validate(ctx))
	fmt.Println("valid")
	if len(os.Args) < 3 {
		return
	}
	router, err := gorillamux.NewRouter(document)
	check(err)
	text, err := os.ReadFile(os.Args[2])
	check(err)
	var exchanges []exchange
	check(json.Unmarshal(text, &exchanges))
	for _, each := range exchanges {
		what := fmt.Sprintf("%s %s -> %d", each.Method, each.Path, each.Status)
		request, err := http.NewRequest(each.Method, document.Servers[0].URL+each.Path, strings.NewReader(each.RequestBody))
		check(err)
		request.Header = toHeader(each.RequestHeaders)
		route, parameters, err := router.FindRoute(request)
		check(err)
		options := &openapi3filter.Options{IncludeResponseStatus: true, AuthenticationFunc: authenticate}
		input := &openapi3filter.RequestValidationInput{Request: request, PathParams: parameters, Route: route, Options: options}
		if err := openapi3filter.ValidateRequest(ctx, input); (err == nil) != each.IsValid {
			log.Fatalf("%s: the request is valid: %v; %v", what, each.IsValid, err)
		}
		check(openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
			RequestValidationInput: input,
			Status:                 each.Status,
			Header:                 toHeader(each.Headers),
			Body:                   io.NopCloser(strings.NewReader(each.Body)),
			Options:                options,
		}), what)
	}
	fmt.Println(len(exchanges), "exchanges agree")
}

func authenticate(_ context.Context, input *openapi3filter.AuthenticationInput) error {
	if !strings.HasPrefix(input.RequestValidationInput.Request.Header.Get("Authorization"), "Bearer ") {
		return errors.New("no credential")
	}
	return nil
}

func toHeader(fields map[string]string) http.Header {
	header := http.Header{}
	for name, value := range fields {
		header.Set(name, value)
	}
	return header
}

func check(err error, what ...string) {
	if err != nil {
		log.Fatal(strings.Join(append(what, err.Error()), ": "))
	}
}
