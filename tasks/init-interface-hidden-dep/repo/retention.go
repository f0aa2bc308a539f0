// Package retention decides which backups of a volume to keep.
//
// # Policies
//
// A [Policy] says how many backups to keep in each tier. The tiers are looked
// at one by one, from the newest snapshot to the oldest: the last n snapshots,
// and the newest snapshot of each of the last n hours, days, ISO weeks, months
// and years in which one was taken. Periods are those of UTC. A snapshot that
// one tier keeps is kept, and a plan always keeps the newest snapshot, whatever
// the policy.
//
// # Which policy counts
//
// The override of a [Volume] comes first, then the entry of its class in the
// planner's [Catalogue], then the planner's fallback. The fallback is
// [Standard], which is the entry "standard" of the shipped catalogue, unless
// [WithFallback] sets another.
//
// An audited volume keeps in each tier at least what [AuditFloor] does, which
// is the entry "audit" of the shipped catalogue, no matter where its policy
// comes from. Site catalogues change neither Standard nor AuditFloor.
//
// [Default] plans like a planner made by [NewPlanner] without options.
package retention

import (
	"errors"
	"time"
)

var (
	// ErrBadPolicy is wrapped by the errors about policies that make no sense.
	ErrBadPolicy = errors.New("retention: bad policy")
	// ErrBadSnapshot is wrapped by the errors about snapshots that cannot be
	// told apart or placed in time.
	ErrBadSnapshot = errors.New("retention: bad snapshot")
)

// Snapshot is one backup of a volume.
type Snapshot struct {
	// ID names the snapshot. No two of a volume have the same.
	ID string
	// Taken is when the backup was started.
	Taken time.Time
}

// Volume is something that is backed up.
type Volume struct {
	Name string
	// Class selects the policy from the catalogue.
	Class string
	// Override, if not nil, is used in place of the policy of the class.
	Override *Policy
	// Audited volumes are held to the audit floor.
	Audited bool
}

// Plan is the verdict on the snapshots of one volume, both parts newest first.
type Plan struct {
	Volume string
	Keep   []Kept
	Drop   []Snapshot
}

// Kept is a snapshot that stays, with the tiers that want it.
type Kept struct {
	Snapshot
	Tiers []string
}
