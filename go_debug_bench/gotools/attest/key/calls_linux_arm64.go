package key

const (
	sysRead  = 63
	sysWrite = 64
	sysClose = 57
	sysFcntl = 25
	sysPrctl = 167
)
