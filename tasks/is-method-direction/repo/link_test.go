package remit_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/ferryline/remit"
)

// house starts a clearing house and returns a link to it.
func house(t *testing.T, h http.HandlerFunc) *remit.HTTPLink {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	link, err := remit.NewHTTPLink(server.URL+"/v2", server.Client())
	if err != nil {
		t.Fatalf("NewHTTPLink: %v", err)
	}
	return link
}

func TestHTTPLinkPutsTheBatch(t *testing.T) {
	link := house(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if got := r.Method + " " + r.URL.Path; got != "PUT /v2/batches/north-12" {
			t.Errorf("request %s", got)
		}
		want := "tok-81;2025-05-02T06:40:11Z;320\ntok-17;2025-05-02T06:40:15Z;160\n=2;480\n"
		if string(body) != want {
			t.Errorf("body %q, want %q", body, want)
		}
		w.WriteHeader(http.StatusAccepted)
	})
	if err := newSender(t, link, &clock{}).Send(context.Background(), batch(12)); err != nil {
		t.Errorf("Send: %v", err)
	}
}

func TestHTTPLinkReportsTheStatus(t *testing.T) {
	for _, c := range []struct {
		code             int
		kind, body, want string
	}{
		{400, "text/plain; charset=utf-8", "total is off\nby 20\n", "status 400 Bad Request: total is off"},
		{403, "text/plain", "", "status 403 Forbidden"},
		{503, "text/html", "<html>maintenance</html>", "status 503 Service Unavailable"},
		{500, "text/plain", strings.Repeat("x", 300), "status 500 Internal Server Error: " + strings.Repeat("x", 200)},
		{599, "text/plain", "lost", "status 599: lost"},
	} {
		link := house(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.kind)
			w.WriteHeader(c.code)
			io.WriteString(w, c.body)
		})
		err := link.Deliver(context.Background(), batch(1))
		var status *remit.StatusError
		if !errors.As(err, &status) {
			t.Errorf("error %v, want a StatusError", err)
			continue
		}
		if status.Code != c.code || status.Error() != c.want {
			t.Errorf("error %v, want %q", status, c.want)
		}
	}
}

func TestHTTPLinkIsOfflineWithoutAnAnswer(t *testing.T) {
	link := house(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	err := link.Deliver(context.Background(), batch(1))
	if !errors.Is(err, remit.Offline) || !errors.Is(err, io.EOF) {
		t.Errorf("error %v, want Offline and the cause", err)
	}
}

func TestNewHTTPLinkRejectsOtherAddresses(t *testing.T) {
	for _, base := range []string{"", "clearing.example", "ftp://clearing.example", "http://", "http://a b/"} {
		if _, err := remit.NewHTTPLink(base, nil); !errors.Is(err, remit.ErrOption) {
			t.Errorf("%q: error %v, want ErrOption", base, err)
		}
	}
}

func TestRoutesTakeTheFirstThatWorks(t *testing.T) {
	quay, satellite := &modem{errs: []error{remit.Offline}}, &modem{errs: []error{nil}}
	if err := (remit.Routes{quay, satellite}).Deliver(context.Background(), batch(3)); err != nil {
		t.Errorf("Deliver: %v", err)
	}
	if len(quay.sent) != 1 || len(satellite.sent) != 1 {
		t.Errorf("tried %v and %v, want both", quay.sent, satellite.sent)
	}
}

func TestRoutesJoinTheirErrors(t *testing.T) {
	quay, satellite := &modem{errs: []error{remit.Offline}}, &modem{errs: []error{errTariff}}
	err := remit.Routes{quay, satellite}.Deliver(context.Background(), batch(3))
	if !errors.Is(err, remit.Offline) || !errors.Is(err, errTariff) {
		t.Errorf("error %v, want both", err)
	}
	if err := (remit.Routes{}).Deliver(context.Background(), batch(3)); !errors.Is(err, remit.Offline) {
		t.Errorf("no routes: error %v, want Offline", err)
	}
}
