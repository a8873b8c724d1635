// Sends requests to a Plant Store so that no failure of the network loses, repeats or overwrites a plant.
package main

import (
	"encoding/json"
	"io"
	"math/rand"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const attempts, pause = 6, 100 * time.Millisecond

var idOf = regexp.MustCompile(`"id":\s*(-?\d+)`)

type Call struct {
	Method, URL, Body string
	Headers           map[string]string
}

type Response struct {
	Status int // 0: no whole response arrived
	Header http.Header
	Body   string
}

func attempt(client *http.Client, call Call, etag string) Response {
	request, err := http.NewRequest(call.Method, call.URL, strings.NewReader(call.Body))
	if err != nil {
		return Response{}
	}
	for name, value := range call.Headers {
		request.Header.Set(name, value)
	}
	if etag != "" {
		request.Header.Set("If-Match", etag)
	}
	response, err := client.Do(request)
	if err != nil {
		return Response{}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	// A proxy or a connection without a length may cut a body without an error.
	if err != nil || response.StatusCode < 300 && response.StatusCode != 204 && !json.Valid(body) {
		return Response{}
	}
	return Response{response.StatusCode, response.Header, string(body)}
}

// Send returns the belief and the last response. The belief is "unknown" if nobody can find out what happened.
func Send(client *http.Client, call Call) (belief string, response Response) {
	look := func() Response {
		url := call.URL
		if call.Method == "POST" {
			url += "/" + idOf.FindStringSubmatch(call.Body)[1]
		}
		_, found := Send(client, Call{Method: "GET", URL: url, Headers: call.Headers})
		return found
	}
	etag, mayBeDone := call.Headers["If-Match"], false
	if etag == "" && (call.Method == "PUT" || call.Method == "DELETE") {
		// With If-Match a repetition cannot undo what another client does in between.
		etag = look().Header.Get("ETag")
	}
	for i := 0; i < attempts; i++ {
		response = attempt(client, call, etag)
		status := response.Status
		switch {
		case status >= 200 && status < 300:
			return "done", response
		case status == 0 || status >= 500:
			mayBeDone = true
		case status == 408 || status == 425 || status == 429: // It may succeed later.
		case mayBeDone:
			return find(call, status, look), response
		default:
			return "failed", response
		}
		time.Sleep(pauseOf(response.Header.Get("Retry-After"), i))
	}
	return "unknown", response
}

// An earlier attempt may have been carried out. The store shows it.
func find(call Call, status int, look func() Response) string {
	var wanted, stored struct{ Name, Tag string }
	if call.Method == "DELETE" && status == 404 {
		return "done"
	}
	if call.Method != "DELETE" && json.Unmarshal([]byte(call.Body), &wanted) == nil &&
		json.Unmarshal([]byte(look().Body), &stored) == nil && wanted == stored {
		return "done"
	}
	return "unknown"
}

// Retry-After has seconds or a date (RFC 9110, 10.2.3). Without it, each pause is longer than the one before.
func pauseOf(after string, attempts int) time.Duration {
	if seconds, err := strconv.Atoi(after); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(after); err == nil {
		return time.Until(date)
	}
	return time.Duration(float64(pause<<attempts) * (0.5 + rand.Float64()))
}
