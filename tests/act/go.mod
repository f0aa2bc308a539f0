module act

go 1.24
