package remit

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// detailLimit bounds what is kept of an answer's body, in bytes.
const detailLimit = 200

// A StatusError says that the clearing house answered but does not have the
// batch.
type StatusError struct {
	Code   int    // an HTTP status, also over links that are not HTTP
	Detail string // what the clearing house says about it, if anything
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("status %d", e.Code)
	if name := http.StatusText(e.Code); name != "" {
		text += " " + name
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// statusError makes the error of an answer. Its detail is the first line of a
// plain body; of other bodies there is none.
func statusError(resp *http.Response) *StatusError {
	e := &StatusError{Code: resp.StatusCode}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		return e
	}
	line, err := bufio.NewReader(io.LimitReader(resp.Body, detailLimit)).ReadString('\n')
	if err == nil || err == io.EOF {
		e.Detail = strings.TrimSpace(line)
	}
	return e
}
