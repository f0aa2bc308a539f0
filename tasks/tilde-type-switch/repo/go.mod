module example.com/cabstand

go 1.24
