module example.com/longmeadow/granary

go 1.24
