module example.com/switchyard/config

go 1.24
