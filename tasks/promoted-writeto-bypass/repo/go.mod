module example.com/quakenet/courier

go 1.24
