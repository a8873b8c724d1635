// Does the tasks of `plantstore grade client` with the careful client of the guide.
package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"time"
)

type Task struct {
	Task int
	Kind string
	Call
}

type Plant struct {
	ID   int64  `json:"id,string"`
	Name string `json:"name"`
	Tag  string `json:"tag,omitempty"`
}

type Report struct {
	Task   int     `json:"task"`
	Belief string  `json:"belief"`
	Status int     `json:"status,omitempty"`
	Body   string  `json:"body,omitempty"`
	Plants []Plant `json:"plants,omitempty"`
}

var following = regexp.MustCompile(`<([^>]*)>; rel="next"`)

func main() {
	timeout, err := time.ParseDuration(os.Getenv("PLANTSTORE_TIMEOUT_MS") + "ms")
	check(err)
	client := &http.Client{Timeout: timeout}
	tasks, err := os.Open(os.Getenv("PLANTSTORE_TASKS"))
	check(err)
	file, err := os.OpenFile(os.Getenv("PLANTSTORE_REPORT"), os.O_APPEND|os.O_WRONLY, 0)
	check(err)
	for tasks := json.NewDecoder(tasks); ; {
		var task Task
		if err := tasks.Decode(&task); errors.Is(err, io.EOF) {
			return
		} else {
			check(err)
		}
		report := Report{Task: task.Task}
		if task.Kind == "list" {
			report.Belief, report.Plants = list(client, task.Call)
		} else {
			belief, response := Send(client, task.Call)
			report.Belief, report.Status, report.Body = belief, response.Status, response.Body
		}
		check(json.NewEncoder(file).Encode(report))
	}
}

// list reads all pages.
func list(client *http.Client, call Call) (belief string, plants []Plant) {
	for {
		belief, response := Send(client, call)
		if belief != "done" {
			return belief, nil
		}
		var page []struct {
			ID        int64
			Name, Tag string
		}
		check(json.Unmarshal([]byte(response.Body), &page))
		for _, plant := range page {
			plants = append(plants, Plant(plant))
		}
		next := following.FindStringSubmatch(response.Header.Get("Link"))
		if next == nil {
			return "done", plants
		}
		base, err := url.Parse(call.URL)
		check(err)
		address, err := base.Parse(next[1])
		check(err)
		call.URL = address.String()
	}
}

// check ends the adapter, and so the scenario, with an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}
