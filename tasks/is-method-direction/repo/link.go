package remit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// HTTPLink puts batches to a clearing house over HTTP.
type HTTPLink struct {
	base   *url.URL
	client *http.Client
}

// NewHTTPLink returns a link to the clearing house at base. A nil client stands
// for http.DefaultClient.
func NewHTTPLink(base string, client *http.Client) (*HTTPLink, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOption, err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%w: %q is not the address of a clearing house", ErrOption, base)
	}
	if client == nil {
		client = http.DefaultClient
	}
	return &HTTPLink{base: u, client: client}, nil
}

// Deliver puts b. Any status from 200 to 299 means that the clearing house has
// it.
func (l *HTTPLink) Deliver(ctx context.Context, b Batch) error {
	target := l.base.JoinPath("batches", b.ID()).String()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, target, bytes.NewReader(b.encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "text/plain; charset=utf-8")
	resp, err := l.client.Do(req)
	if err != nil {
		return fmt.Errorf("%w: %w", Offline, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("put to %s: %w", l.base.Host, statusError(resp))
	}
	return nil
}

// Routes are links to the same clearing house, the cheapest first.
type Routes []Link

// Deliver tries one link after the other until one of them has taken b. If none
// does, it returns the errors of all, joined.
func (r Routes) Deliver(ctx context.Context, b Batch) error {
	var errs []error
	for _, link := range r {
		err := link.Deliver(ctx, b)
		if err == nil {
			return nil
		}
		errs = append(errs, err)
	}
	if len(errs) == 0 {
		return fmt.Errorf("%w: no routes", Offline)
	}
	return errors.Join(errs...)
}
