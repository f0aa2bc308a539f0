package pickup

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// maxBody limits what is read of one response.
const maxBody = 8 << 20

// A StatusError reports a response of the shelf service other than 200.
type StatusError struct {
	Code   int
	Cursor string // of the page that was asked for, empty for the first one
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("pickup: page %q: %d %s", e.Cursor, e.Code, http.StatusText(e.Code))
}

// client asks a shelf service for pages.
type client struct {
	base *url.URL
	http *http.Client
}

func (c *client) setBase(base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return fmt.Errorf("pickup: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%w: %q is no HTTP URL", ErrOption, base)
	}
	c.base = u
	return nil
}

// get fetches the page at cursor, or the first one if that is empty, into p.
func (c *client) get(ctx context.Context, cursor string, p *page) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.pageURL(cursor), nil)
	if err != nil {
		return fmt.Errorf("pickup: page %q: %w", cursor, err)
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("pickup: page %q: %w", cursor, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return &StatusError{Code: resp.StatusCode, Cursor: cursor}
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxBody)).Decode(p); err != nil {
		return fmt.Errorf("pickup: page %q: %w", cursor, err)
	}
	return nil
}

// pageURL keeps the query of the base URL, which may hold a token.
func (c *client) pageURL(cursor string) string {
	u := *c.base
	if cursor != "" {
		q := u.Query()
		q.Set("cursor", cursor)
		u.RawQuery = q.Encode()
	}
	return u.String()
}
