package retention

// classPolicies is section 4 of the backup handbook.
var classPolicies = map[string]Policy{
	"standard": {Last: 3, Hourly: 24, Daily: 14, Weekly: 8, Monthly: 12, Yearly: 2},
	"audit":    {Daily: 31, Monthly: 18, Yearly: 7},
	"database": {Last: 6, Hourly: 48, Daily: 30, Weekly: 12, Monthly: 12, Yearly: 3},
	"home":     {Last: 1, Hourly: 12, Daily: 21, Weekly: 6, Monthly: 6},
	"mail":     {Last: 1, Hourly: 24, Daily: 30, Weekly: 9, Monthly: 24, Yearly: 5},
	"build":    {Last: 2, Daily: 3},
	"scratch":  {Last: 1},
}

// formerNames maps the class names of agents before 3.0 to those of today.
var formerNames = map[string]string{
	"db":    "database",
	"users": "home",
	"ci":    "build",
	"tmp":   "scratch",
}
