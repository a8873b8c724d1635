// Sends requests to a Plant Store so that no failure of the network loses, repeats or overwrites a plant.
package main

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"time"
)

// Send returns the belief, "done", "failed" or "unknown", and the last response. The status is 0 if no whole response
// arrived. For a request that writes a plant, look is a request that reads it.
func Send(client *http.Client, request, look *http.Request) (belief string, status int, head http.Header, body []byte) {
	if look != nil && request.Method != "POST" && request.Header.Get("If-Match") == "" {
		// With If-Match a repetition cannot undo what another client does in between.
		_, _, plant, _ := Send(client, look, nil)
		request.Header["If-Match"] = plant["Etag"]
	}
	for i, mayBeDone := 0, false; i < 6; i++ {
		status, head, body = attempt(client, request)
		isFinal := status >= 400 && status < 500 && status != 408 && status != 425 && status != 429
		if status/100 == 2 || isFinal && mayBeDone && isDone(client, request, look) {
			return "done", status, head, body
		} else if isFinal && !mayBeDone {
			return "failed", status, head, body
		} else if isFinal {
			break
		}
		mayBeDone = look != nil && (mayBeDone || status == 0 || status >= 500)
		time.Sleep(pauseOf(head.Get("Retry-After"), i))
	}
	return "unknown", status, head, body
}

func attempt(client *http.Client, request *http.Request) (status int, head http.Header, body []byte) {
	if request.GetBody != nil {
		request.Body, _ = request.GetBody()
	}
	response, err := client.Do(request)
	if err == nil {
		defer response.Body.Close()
		body, err = io.ReadAll(response.Body)
	}
	if err != nil || response.StatusCode == 200 && !json.Valid(body) { // A cut body can look complete.
		return 0, nil, nil
	}
	return response.StatusCode, response.Header, body
}

// isDone looks at the store: an earlier attempt may have been carried out.
func isDone(client *http.Client, request, look *http.Request) bool {
	_, status, _, body := Send(client, look, nil)
	if request.Method == "DELETE" {
		return status == 404
	}
	var wanted, stored struct{ Name, Tag string }
	sent, err := request.GetBody()
	return err == nil && json.NewDecoder(sent).Decode(&wanted) == nil &&
		json.Unmarshal(body, &stored) == nil && wanted == stored
}

// pauseOf reads Retry-After: seconds or a date (RFC 9110, 10.2.3). Without it, the pauses grow.
func pauseOf(after string, attempts int) time.Duration {
	if seconds, err := time.ParseDuration(after + "s"); err == nil {
		return seconds
	} else if date, err := http.ParseTime(after); err == nil {
		return time.Until(date)
	}
	return rand.N(200 * time.Millisecond << attempts)
}
