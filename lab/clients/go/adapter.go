// Does the tasks of `plantstore grade client` with one of Go's HTTP clients: adapter CLIENT.
package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

type Task struct {
	Task    int               `json:"task"`
	Kind    string            `json:"kind"`
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    *string           `json:"body"`
}

type Report struct {
	Task   int     `json:"task"`
	Status int     `json:"status,omitempty"`
	Body   *string `json:"body,omitempty"`
	Plants []Plant `json:"plants,omitempty"`
	Error  string  `json:"error,omitempty"`
}

type Plant struct {
	ID   int64  `json:"id,string"`
	Name string `json:"name"`
	Tag  string `json:"tag,omitempty"`
}

var clients = map[string]func(timeout time.Duration) *http.Client{
	"net-http": func(timeout time.Duration) *http.Client { return &http.Client{Timeout: timeout} },
	"go-retryablehttp": func(timeout time.Duration) *http.Client {
		client := retryablehttp.NewClient()
		client.HTTPClient.Timeout = timeout
		return client.StandardClient()
	},
}

func main() {
	timeout, err := time.ParseDuration(os.Getenv("PLANTSTORE_TIMEOUT_MS") + "ms")
	check(err)
	client := clients[os.Args[1]](timeout)
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
		report, err := do(client, task)
		if err != nil {
			report = Report{Error: err.Error()}
		}
		report.Task = task.Task
		check(json.NewEncoder(file).Encode(report))
	}
}

func do(client *http.Client, task Task) (Report, error) {
	if task.Kind == "list" {
		return list(client, task)
	}
	response, body, err := send(client, task)
	if err != nil {
		return Report{}, err
	}
	return Report{Status: response.StatusCode, Body: &body}, nil
}

var following = regexp.MustCompile(`<([^>]*)>; rel="next"`)

// list reads all pages.
func list(client *http.Client, task Task) (Report, error) {
	report := Report{}
	for {
		response, body, err := send(client, task)
		if err != nil {
			return Report{}, err
		}
		report.Status = response.StatusCode
		if report.Status != http.StatusOK {
			return Report{Status: report.Status}, nil
		}
		var page []struct {
			ID        int64
			Name, Tag string
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			return Report{}, err
		}
		for _, plant := range page {
			report.Plants = append(report.Plants, Plant(plant))
		}
		next := following.FindStringSubmatch(response.Header.Get("Link"))
		if next == nil {
			return report, nil
		}
		base, err := url.Parse(task.URL)
		if err != nil {
			return Report{}, err
		}
		address, err := base.Parse(next[1])
		if err != nil {
			return Report{}, err
		}
		task.URL = address.String()
	}
}

func send(client *http.Client, task Task) (*http.Response, string, error) {
	var body io.Reader
	if task.Body != nil {
		body = strings.NewReader(*task.Body)
	}
	request, err := http.NewRequest(task.Method, task.URL, body)
	if err != nil {
		return nil, "", err
	}
	for name, value := range task.Headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response, string(content), err
}

// check ends the adapter, and so the scenario, with an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}
