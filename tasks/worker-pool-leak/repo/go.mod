module example.com/ratedesk/pool

go 1.24
