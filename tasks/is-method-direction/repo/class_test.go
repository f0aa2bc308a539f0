package remit_test

import (
	"errors"
	"fmt"
	"testing"

	"example.com/ferryline/remit"
)

func TestClassesOfStatuses(t *testing.T) {
	classes := []*remit.Class{remit.Offline, remit.Overloaded, remit.ServerFault, remit.Denied, remit.Refused}
	for code, want := range map[int]string{
		200: "",
		302: "",
		400: "refused",
		401: "denied refused",
		403: "denied refused",
		404: "refused",
		429: "overloaded refused",
		500: "server fault",
		503: "overloaded server fault",
		599: "server fault",
	} {
		for _, err := range []error{
			&remit.StatusError{Code: code},
			fmt.Errorf("put to ch.example: %w", &remit.StatusError{Code: code}),
		} {
			got := ""
			for _, class := range classes {
				if class.Is(err) {
					if got != "" {
						got += " "
					}
					got += class.Error()
				}
			}
			if got != want {
				t.Errorf("%v is %q, want %q", err, got, want)
			}
		}
	}
}

func TestOtherErrorsHaveNoStatus(t *testing.T) {
	for _, class := range []*remit.Class{remit.Offline, remit.Overloaded, remit.ServerFault, remit.Denied, remit.Refused} {
		if class.Is(errors.New("modem: no carrier")) {
			t.Errorf("an error without a status is a status that is %v", class)
		}
	}
}

func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("frame 7: %w", remit.Denied), "renew the certificate of the gate"},
		{fmt.Errorf("frame 7: %w", remit.Overloaded), "wait, the clearing house is busy"},
		{remit.ServerFault, "call the clearing house"},
		{errors.Join(errTariff, remit.Offline), "check the modem at the quay"},
		{errors.Join(remit.Refused, remit.Offline), "check the modem at the quay"},
		{remit.Refused, "send the batch to accounting"},
		{errTariff, ""},
		{nil, ""},
	} {
		if got := remit.Advice(c.err); got != c.want {
			t.Errorf("Advice(%v) = %q, want %q", c.err, got, c.want)
		}
	}
}
