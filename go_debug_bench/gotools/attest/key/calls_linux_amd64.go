package key

const (
	sysRead  = 0
	sysWrite = 1
	sysClose = 3
	sysFcntl = 72
	sysPrctl = 157
)
