package main

import (
	"io"
	"os"
	"time"
)

// channel is how the program is given its key and how it reports: a pipe each
// way, which a program without a key does not get.
type channel struct {
	key    *os.File // the child's end
	report *os.File // the child's end

	secret    []byte
	toChild   *os.File
	fromChild chan []byte
	reports   *os.File
	limit     int64
}

// openChannel takes the key from its file and removes the file.
func openChannel(opt options) (*channel, error) {
	c := &channel{limit: opt.report, fromChild: make(chan []byte, 1)}
	if opt.key != "" {
		secret, err := os.ReadFile(opt.key)
		if err != nil {
			return nil, err
		}
		if err := os.Remove(opt.key); err != nil {
			return nil, err
		}
		c.secret = secret
	}
	var err error
	if c.key, c.toChild, err = os.Pipe(); err != nil {
		return nil, err
	}
	if c.reports, c.report, err = os.Pipe(); err != nil {
		return nil, err
	}
	return c, nil
}

// handOver closes the child's ends here, writes the key and begins to read.
func (c *channel) handOver() {
	c.key.Close()
	c.report.Close()
	go func() {
		c.toChild.Write(c.secret)
		c.toChild.Close()
	}()
	go func() {
		// What is too much is read and thrown away: the program must not block.
		report, _ := io.ReadAll(io.LimitReader(unhurried{c.reports}, c.limit))
		io.Copy(io.Discard, c.reports)
		c.fromChild <- report
	}()
}

// collect returns the report. Nobody may be left who could write to it.
func (c *channel) collect() []byte { return <-c.fromChild }

// unhurried reads what a program writes without waking for every line of it:
// on a machine with few cores, a chatty suite took nearly twice its time.
type unhurried struct{ io.Reader }

func (u unhurried) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if err == nil {
		time.Sleep(time.Millisecond)
	}
	return n, err
}
