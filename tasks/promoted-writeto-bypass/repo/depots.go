package courier

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// Dir is a Depot in a directory of the file system. A recording is a file that
// bears its name. One that could not be read to the end is not kept.
type Dir string

// Put implements Depot.
func (d Dir) Put(name string, r io.Reader) (err error) {
	f, err := os.CreateTemp(string(d), ".incoming-*")
	if err != nil {
		return fmt.Errorf("courier: %w", err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if _, err := io.Copy(f, r); err != nil {
		f.Close()
		return fmt.Errorf("courier: store %s: %w", name, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("courier: store %s: %w", name, err)
	}
	return os.Rename(f.Name(), filepath.Join(string(d), name))
}

// Get returns a recording.
func (d Dir) Get(name string) ([]byte, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(string(d), name))
}

// Memory is a Depot that forgets everything when the process ends. The zero
// Memory is empty. It may be used by several goroutines at once.
type Memory struct {
	mu         sync.Mutex
	recordings map[string][]byte
}

// Put implements Depot.
func (m *Memory) Put(name string, r io.Reader) error {
	recording, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("courier: store %s: %w", name, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.recordings == nil {
		m.recordings = make(map[string][]byte)
	}
	m.recordings[name] = recording
	return nil
}

// Get returns a recording, which is not to be changed.
func (m *Memory) Get(name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	recording, ok := m.recordings[name]
	if !ok {
		return nil, fmt.Errorf("courier: no recording %q: %w", name, os.ErrNotExist)
	}
	return recording, nil
}
