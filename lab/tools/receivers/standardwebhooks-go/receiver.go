// Receives webhooks with the official library. It stores each message once.
package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"sync"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("PLANTSTORE_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	report, err := os.OpenFile(os.Getenv("PLANTSTORE_REPORT"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		log.Fatal(err)
	}
	var lock sync.Mutex
	stored := map[string]bool{}
	http.HandleFunc("POST /", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
		if err != nil {
			response.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		if err := webhook.Verify(body, request.Header); err != nil {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		lock.Lock()
		defer lock.Unlock()
		if id := request.Header.Get("webhook-id"); !stored[id] {
			if _, err := report.Write(append(body, '\n')); err != nil {
				log.Fatal(err)
			}
			stored[id] = true
		}
		response.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PLANTSTORE_PORT"), nil))
}
