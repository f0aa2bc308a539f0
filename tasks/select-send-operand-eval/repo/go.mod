module example.com/histolab/tilefeed

go 1.24
