package uplink

import (
	"fmt"
	"strconv"
	"strings"
)

// message formats a message of the relay.
func message(verb string, number int, text string) string {
	line := verb + " " + strconv.Itoa(number)
	if text != "" {
		line += " " + text
	}
	return line + "\n"
}

// check returns nil if the answer accepts the message of that number.
func check(answer string, number int) error {
	verdict, rest, _ := strings.Cut(strings.TrimRight(answer, "\r\n"), " ")
	digits, reason, _ := strings.Cut(rest, " ")
	if n, err := strconv.Atoi(digits); err != nil || n != number {
		return fmt.Errorf("%w: %q to message %d", ErrAnswer, answer, number)
	}
	switch verdict {
	case "OK":
		return nil
	case "NO":
		return fmt.Errorf("%w: %s", ErrRefused, reason)
	}
	return fmt.Errorf("%w: %q", ErrAnswer, answer)
}
