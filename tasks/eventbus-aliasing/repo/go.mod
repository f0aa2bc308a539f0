module example.com/dockside/eventbus

go 1.24
