module plantstore.example/walk

go 1.26
