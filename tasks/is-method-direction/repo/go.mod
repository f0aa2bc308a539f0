module example.com/ferryline/remit

go 1.24
