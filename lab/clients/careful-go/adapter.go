// Does the tasks of `plantstore grade client` with the careful client of the guide.
package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"
)

type Task struct {
	Task                    int
	Kind, Method, URL, Body string
	Headers                 map[string]string
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

var (
	following = regexp.MustCompile(`<([^>]*)>; rel="next"`)
	idOf      = regexp.MustCompile(`"id":\s*(-?\d+)`)
)

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
			report.Belief, report.Plants = list(client, newRequest(task))
		} else {
			belief, status, _, body := Send(client, newRequest(task), newLook(task))
			report.Belief, report.Status, report.Body = belief, status, string(body)
		}
		check(json.NewEncoder(file).Encode(report))
	}
}

func newRequest(task Task) *http.Request {
	request, err := http.NewRequest(task.Method, task.URL, strings.NewReader(task.Body))
	check(err)
	for name, value := range task.Headers {
		request.Header.Set(name, value)
	}
	return request
}

// newLook returns a request for the plant that the task writes, and nil for a task that reads.
func newLook(task Task) *http.Request {
	if task.Method == "GET" {
		return nil
	}
	if task.Method == "POST" {
		task.URL += "/" + idOf.FindStringSubmatch(task.Body)[1]
	}
	return newRequest(Task{Method: "GET", URL: task.URL, Headers: map[string]string{"Authorization": task.Headers["Authorization"]}})
}

// list reads all pages.
func list(client *http.Client, request *http.Request) (belief string, plants []Plant) {
	for {
		belief, _, head, body := Send(client, request, nil)
		if belief != "done" {
			return belief, nil
		}
		var page []struct {
			ID        int64
			Name, Tag string
		}
		check(json.Unmarshal(body, &page))
		for _, plant := range page {
			plants = append(plants, Plant(plant))
		}
		next := following.FindStringSubmatch(head.Get("Link"))
		if next == nil {
			return "done", plants
		}
		address, err := request.URL.Parse(next[1])
		check(err)
		request.URL = address
	}
}

// check ends the adapter, and so the scenario, with an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}
