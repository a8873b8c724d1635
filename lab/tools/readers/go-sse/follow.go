// Prints a line for each event. The client connects again and sends Last-Event-ID itself.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/tmaxmax/go-sse"
)

func main() {
	request, err := http.NewRequest(http.MethodGet, os.Getenv("URL"), nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
	connection := sse.NewConnection(request)
	connection.SubscribeToAll(func(event sse.Event) {
		if event.Data == "" {
			return // Only `retry`.
		}
		var change struct {
			Data struct {
				ID int64 `json:"id"`
			} `json:"data"`
		}
		if err := json.Unmarshal([]byte(event.Data), &change); err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.LastEventID, event.Type, change.Data.ID)
	})
	log.Fatal(connection.Connect())
}
