// Judges a history of requests with porcupine. Reads one operation per line, as JSON, and prints the plants whose
// history no order of the requests explains.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"runtime/debug"
	"time"

	"github.com/anishathalye/porcupine"
)

// operation is a request and its response. Status 0: the response never came, and the request may have had its effect.
type operation struct {
	Client       int
	ID           string
	Does         string
	Content      string // what a create or a replace stores
	IfMatch      string
	Call, Return int64
	Status       int
	Got          string // the content that a get returned
	ETag         string
}

// plant is the state of one plant. The entity tag is empty until a response showed it.
type plant struct {
	exists        bool
	content, etag string
}

// at returns the plant with an entity tag, unless the plant is known to have another.
func (p plant) at(etag string) []plant {
	if !p.exists || (p.etag != "" && etag != "" && p.etag != etag) {
		return nil
	}
	if etag != "" {
		p.etag = etag
	}
	return []plant{p}
}

// step returns the plants that can follow p, where the response is as recorded.
func step(p plant, op operation) []plant {
	after := effect(p, op)
	switch op.Status {
	case 0:
		return append(after, p)
	case 200, 204:
		return after
	case 400: // taken by another plant
		if p.exists && p.content != op.Content {
			return []plant{p}
		}
	case 404:
		if !p.exists {
			return []plant{p}
		}
	case 412:
		if p.exists && op.IfMatch != "" && p.etag != op.IfMatch {
			return []plant{p}
		}
	}
	return nil
}

// effect returns what a request that succeeds makes of p.
func effect(p plant, op operation) []plant {
	switch op.Does {
	case "create":
		if !p.exists {
			return []plant{{true, op.Content, ""}}
		}
		if p.content == op.Content {
			return []plant{p}
		}
	case "get":
		if p.content == op.Got {
			return p.at(op.ETag)
		}
	case "replace":
		if len(p.at(op.IfMatch)) > 0 {
			return []plant{{true, op.Content, op.ETag}}
		}
	case "delete":
		if len(p.at(op.IfMatch)) > 0 {
			return []plant{{}}
		}
	}
	return nil
}

func main() {
	histories := map[string][]porcupine.Operation{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var op operation
		if err := json.Unmarshal(lines.Bytes(), &op); err != nil {
			log.Fatal(err)
		}
		histories[op.ID] = append(histories[op.ID], porcupine.Operation{
			ClientId: op.Client, Input: op, Call: op.Call, Return: op.Return,
		})
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
	plants := porcupine.NondeterministicModel{
		Init: func() []any { return []any{plant{}} },
		Step: func(state, input, _ any) []any {
			var next []any
			for _, p := range step(state.(plant), input.(operation)) {
				next = append(next, p)
			}
			return next
		},
	}
	model := plants.ToModel()
	wrong := []string{}
	for id, history := range histories {
		if result := porcupine.CheckOperationsTimeout(model, history, time.Minute); result != porcupine.Ok {
			wrong = append(wrong, fmt.Sprintf("plant %s: %v", id, result))
		}
	}
	version := ""
	if info, ok := debug.ReadBuildInfo(); ok && len(info.Deps) > 0 {
		version = info.Deps[0].Version
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{"wrong": wrong, "plants": len(histories), "porcupine": version})
}
