// Package house knows the rooms of a hotel.
//
// The number of a room is that of its floor followed by two digits, so that 214
// is on the second floor and 1107 on the eleventh. The rooms below 100 are on
// the ground floor.
package house

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ErrNoRoom is wrapped by the errors about rooms that do not exist.
var ErrNoRoom = errors.New("house: no such room")

// Room is the number of a room.
type Room int

// ParseRoom reads a room number as it is written on a key, as in "214", "007"
// or "B 12" for one of building B. Buildings do not matter: numbers are unique.
func ParseRoom(text string) (Room, error) {
	number := text
	if building, rest, ok := strings.Cut(text, " "); ok && len(building) == 1 {
		number = rest
	}
	n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 16)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%w: %q", ErrNoRoom, text)
	}
	return Room(n), nil
}

// Floor returns the floor of the room.
func (r Room) Floor() int {
	return int(r) / 100
}

// String returns the number with at least three digits.
func (r Room) String() string {
	return fmt.Sprintf("%03d", int(r))
}

// House is the rooms of a hotel. Use New to make one.
type House struct {
	rooms []Room // sorted
}

// New returns a House with the given rooms.
func New(rooms ...Room) *House {
	rooms = slices.Clone(rooms)
	slices.Sort(rooms)
	return &House{rooms: slices.Compact(rooms)}
}

// Floors returns a House with so many floors above the ground floor and so many
// rooms on each, the ground floor included.
func Floors(above, rooms int) *House {
	var all []Room
	for floor := range above + 1 {
		for n := range rooms {
			all = append(all, Room(floor*100+n+1))
		}
	}
	return New(all...)
}

// Check returns an error if the house has no room r.
func (h *House) Check(r Room) error {
	if _, ok := slices.BinarySearch(h.rooms, r); !ok {
		return fmt.Errorf("%w: %v", ErrNoRoom, r)
	}
	return nil
}

// Rooms returns all rooms by number.
func (h *House) Rooms() []Room {
	return slices.Clone(h.rooms)
}

// Walk sorts rooms into the order in which a porter gets to them: he takes the
// lift to the top and walks down, along the corridor of each floor and, on the
// next one, back.
func (h *House) Walk(rooms []Room) []Room {
	rooms = slices.Clone(rooms)
	turn := make(map[int]bool) // floors that are walked from the far end
	var floors []int
	for _, r := range h.rooms {
		if f := r.Floor(); !slices.Contains(floors, f) {
			floors = append(floors, f)
		}
	}
	slices.Reverse(floors)
	for i, f := range floors {
		turn[f] = i%2 == 1
	}
	slices.SortFunc(rooms, func(a, b Room) int {
		if order := cmp.Compare(b.Floor(), a.Floor()); order != 0 {
			return order
		}
		if turn[a.Floor()] {
			return cmp.Compare(b, a)
		}
		return cmp.Compare(a, b)
	})
	return rooms
}
