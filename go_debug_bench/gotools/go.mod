module gobench.tools

go 1.24
