module example.com/observatory/nightlog

go 1.24
