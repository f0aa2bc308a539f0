module example.com/berth

go 1.24
