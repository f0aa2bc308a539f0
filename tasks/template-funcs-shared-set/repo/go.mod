module example.com/brightwater/notices

go 1.24
