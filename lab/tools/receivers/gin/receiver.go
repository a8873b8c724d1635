// Gin, as https://docs.svix.com/receiving/verifying-payloads/how/ shows it.
package main

import (
	"io"
	"log"
	"net/http"
	"os"

	"github.com/gin-gonic/gin"
	svix "github.com/svix/svix-webhooks/go"
)

func main() {
	webhook, err := svix.NewWebhook(os.Getenv("PLANTSTORE_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	report, err := os.OpenFile(os.Getenv("PLANTSTORE_REPORT"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		log.Fatal(err)
	}
	router := gin.Default()
	router.POST("/", func(c *gin.Context) {
		headers := c.Request.Header
		payload, err := io.ReadAll(c.Request.Body)
		if err != nil {
			c.AbortWithStatus(http.StatusInternalServerError)
			return
		}
		if err := webhook.Verify(payload, headers); err != nil {
			c.AbortWithStatus(http.StatusBadRequest)
			return
		}
		if _, err := report.Write(append(payload, '\n')); err != nil {
			c.AbortWithStatus(http.StatusInternalServerError)
			return
		}
		c.Writer.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(router.Run("127.0.0.1:" + os.Getenv("PLANTSTORE_PORT")))
}
