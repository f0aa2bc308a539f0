module example.com/stillwater/retention

go 1.24
