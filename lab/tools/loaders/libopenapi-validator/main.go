// Reads the description and validates recorded exchanges against it: main DESCRIPTION EXCHANGES.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
)

type exchange struct {
	Method, Path, RequestBody, Body string
	IsValid                         bool
	Status                          int
	RequestHeaders, Headers         map[string]string
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	document, err := libopenapi.NewDocument(text)
	check(err)
	judge, errors := validator.NewValidator(document)
	if len(errors) > 0 {
		log.Fatal(errors)
	}
	if ok, errors := judge.ValidateDocument(); !ok {
		log.Fatal(errors)
	}
	fmt.Println("valid")
	if len(os.Args) < 3 {
		return
	}
	text, err = os.ReadFile(os.Args[2])
	check(err)
	var exchanges []exchange
	check(json.Unmarshal(text, &exchanges))
	wrong := 0
	for _, each := range exchanges {
		request, err := http.NewRequest(each.Method, each.Path, strings.NewReader(each.RequestBody))
		check(err)
		request.Header = toHeader(each.RequestHeaders)
		isValid, why := judge.ValidateHttpRequestSync(request)
		if isValid != each.IsValid {
			wrong++
			fmt.Printf("%s %s -> %d: the request is valid: %v; %v\n", each.Method, each.Path, each.Status, each.IsValid, why)
			continue
		}
		response := &http.Response{
			StatusCode: each.Status,
			Header:     toHeader(each.Headers),
			Body:       io.NopCloser(strings.NewReader(each.Body)),
			Request:    request,
		}
		if ok, why := judge.ValidateHttpResponse(request, response); !ok {
			wrong++
			fmt.Printf("%s %s -> %d: the response: %v\n", each.Method, each.Path, each.Status, why)
		}
	}
	fmt.Println(len(exchanges)-wrong, "of", len(exchanges), "exchanges agree")
	if wrong > 0 {
		os.Exit(1)
	}
}

func toHeader(fields map[string]string) http.Header {
	header := http.Header{}
	for name, value := range fields {
		header.Set(name, value)
	}
	return header
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
