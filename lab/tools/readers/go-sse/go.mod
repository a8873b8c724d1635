module plantstore.example/follow

go 1.26

require github.com/tmaxmax/go-sse v0.12.0
