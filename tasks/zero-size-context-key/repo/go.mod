module example.com/townhall/counter

go 1.24
