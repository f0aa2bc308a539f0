package courier_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"example.com/quakenet/courier"
)

func TestSendToADirectory(t *testing.T) {
	dir := t.TempDir()
	c := newCourier(t, courier.Dir(dir))
	manifest := make(courier.Manifest)
	for name, size := range map[string]int{"KO.BALB.mseed": 150_000, "KO.GEMT.mseed": 12, "empty": 0} {
		data := trace(size)
		if _, err := c.Send(t.Context(), name, data); err != nil {
			t.Fatalf("Send: %v", err)
		}
		stored, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Equal(stored, data) {
			t.Errorf("%s has %d bytes (%v), want %d", name, len(stored), err, size)
		}
		manifest[name] = sum(data)
	}
	if err := manifest.Check(courier.Dir(dir)); err != nil {
		t.Errorf("Check: %v", err)
	}
}

func TestDirReplacesARecording(t *testing.T) {
	d := courier.Dir(t.TempDir())
	for _, content := range []string{"first, and longer", "second"} {
		if err := d.Put("KO.BALB", bytes.NewBufferString(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := d.Get("KO.BALB"); err != nil || string(got) != content {
			t.Errorf("Get = %q, %v, want %q", got, err, content)
		}
	}
	if _, err := d.Get("../KO.BALB"); !errors.Is(err, courier.ErrName) {
		t.Errorf("Get outside the directory: %v, want ErrName", err)
	}
}

func TestDirKeepsNoPart(t *testing.T) {
	dir := t.TempDir()
	errLine := errors.New("line is down")
	if err := courier.Dir(dir).Put("KO.BALB", iotest.ErrReader(errLine)); !errors.Is(err, errLine) {
		t.Errorf("Put: %v, want %v", err, errLine)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("directory holds %v (%v)", entries, err)
	}
	if err := courier.Dir(filepath.Join(dir, "gone")).Put("KO.BALB", bytes.NewReader(nil)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Put without a directory: %v", err)
	}
}

func TestManifest(t *testing.T) {
	var depot courier.Memory
	c := newCourier(t, &depot)
	m := make(courier.Manifest)
	for _, name := range []string{"KO.GEMT", "KO.BALB", "KO.ISK"} {
		r, err := c.Send(t.Context(), name, trace(len(name)*1000))
		if err != nil {
			t.Fatal(err)
		}
		m.Add(r)
	}
	if err := m.Check(&depot); err != nil {
		t.Errorf("Check: %v", err)
	}
	want := sum(trace(7000)) + "  KO.BALB\n" + sum(trace(7000)) + "  KO.GEMT\n" + sum(trace(6000)) + "  KO.ISK\n"
	if m.String() != want {
		t.Errorf("manifest %q, want %q", m, want)
	}
	again, err := courier.ParseManifest(want)
	if err != nil {
		t.Fatal(err)
	}
	again["KO.ISK"], again["KO.KTUT"] = again["KO.BALB"], again["KO.BALB"]
	if err := again.Check(&depot); !errors.Is(err, courier.ErrMismatch) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Check: %v, want ErrMismatch and ErrNotExist", err)
	}
}

func TestParseManifestRefuses(t *testing.T) {
	for text, want := range map[string]error{
		"KO.BALB\n":                     courier.ErrManifest,
		"00ff  KO.BALB\n":               courier.ErrManifest,
		sum(nil) + " KO.BALB":           courier.ErrManifest,
		sum(nil) + "  ../KO.BALB\n":     courier.ErrName,
		sum(nil) + "  KO.BALB\n\n":      courier.ErrManifest,
		"g" + sum(nil)[1:] + "  KO.GEM": courier.ErrManifest,
	} {
		if _, err := courier.ParseManifest(text); !errors.Is(err, want) {
			t.Errorf("ParseManifest(%q): %v, want %v", text, err, want)
		}
	}
}
