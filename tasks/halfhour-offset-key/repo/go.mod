module example.com/gridline/dayledger

go 1.24
