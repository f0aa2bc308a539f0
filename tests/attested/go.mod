module example.com/attested

go 1.24
