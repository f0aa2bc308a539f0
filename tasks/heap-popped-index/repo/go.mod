module example.com/alpenrose/wakeup

go 1.24
