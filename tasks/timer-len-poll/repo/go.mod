module example.com/stagedoor/boxoffice

go 1.24
