package version

import (
	"regexp"
	"testing"
)

func TestVersion(t *testing.T) {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-dev)?$`).MatchString(Version) {
		t.Errorf("version %q", Version)
	}
	if !regexp.MustCompile(`^(unknown|[0-9a-f]{40}(-dirty)?)$`).MatchString(Revision()) {
		t.Errorf("revision %q", Revision())
	}
}
