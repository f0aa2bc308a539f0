module example.com/lastmile/pickup

go 1.24
