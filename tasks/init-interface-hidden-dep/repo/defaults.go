package retention

// Classes of the shipped catalogue that have a meaning to planners.
const (
	standardClass = "standard"
	auditClass    = "audit"
)

var (
	standard   = entry(Builtin, standardClass)
	auditFloor = entry(Builtin, auditClass)
)

// Standard returns the policy for classes that no catalogue lists.
func Standard() Policy { return standard }

// AuditFloor returns the least that is kept of an audited volume.
func AuditFloor() Policy { return auditFloor }
