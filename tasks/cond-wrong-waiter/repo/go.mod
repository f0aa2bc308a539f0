module example.com/shuttlefloor/zone

go 1.24
