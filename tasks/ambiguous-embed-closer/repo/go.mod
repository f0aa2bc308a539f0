module example.com/firnline/relay

go 1.24
