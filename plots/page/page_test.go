package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"mtt"
	"mtt/internal/browser"
	"mtt/internal/nightly"
	"mtt/plots"
)

// testScene has targets that walk straight among false alarms. Tracks are those of the
// targets, but the first two exchange the rest of their ways at half time and the third
// ends there. Every seventh detection is missed.
func testScene(targets, frames, clutter int) *Scene {
	r := rand.New(rand.NewPCG(1, 2))
	s := &Scene{Unit: "m", Truth: make([]mtt.Track, targets)}
	vx, vy := make([]float64, targets), make([]float64, targets)
	x, y := make([]float64, targets), make([]float64, targets)
	for i := range targets {
		x[i], y[i], vx[i], vy[i] = 1e5+100*r.Float64(), 100*r.Float64(), r.NormFloat64(), r.NormFloat64()
		s.Truth[i] = mtt.Track{ID: i + 1, Dim: 2}
	}
	for f := range frames {
		scan := mtt.Scan{Frame: 10 + f, Time: float64(f) / 2, Dim: 2}
		for i := range targets {
			x[i], y[i] = x[i]+vx[i], y[i]+vy[i]
			t := &s.Truth[i]
			det := -1
			if f%7 != i%7 {
				det = scan.Len()
				scan.Pos = append(scan.Pos, x[i]+0.1*r.NormFloat64(), y[i]+0.1*r.NormFloat64())
			}
			t.Hits, t.Pos = append(t.Hits, mtt.Hit{Frame: scan.Frame, Det: det}), append(t.Pos, x[i], y[i])
		}
		for range clutter {
			scan.Pos = append(scan.Pos, 1e5+100*r.Float64(), 100*r.Float64())
		}
		s.Scans = append(s.Scans, scan)
	}
	s.Tracks = make([]mtt.Track, targets)
	for i := range s.Tracks {
		t := &s.Tracks[i]
		t.ID, t.Dim = i+1, 2
		for h, hit := range s.Truth[i].Hits {
			if i == 2 && h >= frames/2 {
				break
			}
			if i < 2 && h >= frames/2 {
				hit = s.Truth[1-i].Hits[h]
			}
			if hit.Det >= 0 {
				t.Append(&s.Scans[h], hit.Det)
			}
		}
	}
	return s
}

func testPage(s *Scene) *Page {
	return &Page{
		Title: "nine & more", Subtitle: "dual: optimal", Warnings: []string{"3 of 4900 <b>"},
		Facts: []Fact{{"tracks", "9"}}, Scene: s,
		Sections: []Section{
			{Title: "Bounds", Text: "Lower & upper.", Rows: [][2]string{{"status", "optimal"}},
				Figures: []*plots.Figure{plots.BoundTrace("bounds", plots.Trace{Steps: []plots.Step{{Pass: 1, Lower: 1, Upper: 3}, {Pass: 2, Lower: 2, Upper: 2}}})}},
			{Title: "Gates", Folded: true, Table: [][]string{{"gate, m", "method"}, {"1.5", "dual"}, {"14 400", "greedy"}}},
		},
		Footer: "mtt test, seed 1",
	}
}

func write(t testing.TB, p *Page) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWrite(t *testing.T) {
	html := write(t, testPage(testScene(9, 20, 3)))
	if !bytes.Equal(html, write(t, testPage(testScene(9, 20, 3)))) {
		t.Error("equal pages give different bytes")
	}
	for _, want := range []string{
		"nine &amp; more", "3 of 4900 &lt;b&gt;", `<td class="n">14 400</td>`, `<td>greedy</td>`, "prefers-color-scheme: dark", "@media print", "<svg ",
	} {
		if !strings.Contains(string(html), want) {
			t.Errorf("no %s in the page", want)
		}
	}
	// Nothing is fetched from elsewhere: the only address is the SVG name space.
	for _, s := range regexp.MustCompile(`(?i)[a-z]+://[^"' <]*|\b(src|href)=|@import|url\(`).FindAllString(string(html), -1) {
		if s != "http://www.w3.org/2000/svg" {
			t.Errorf("the page refers to %s", s)
		}
	}
	if bare := write(t, &Page{Sections: []Section{{}, {Table: [][]string{{}}}}}); bytes.Contains(bare, []byte("<script")) {
		t.Error("a page without a scene has a script")
	}
}

// TestWriteEnds: a page is not drawn to its end once nobody wants it.
func TestWriteEnds(t *testing.T) {
	p := testPage(testScene(9, 20, 3))
	for _, after := range []int{0, 1} { // figures
		ctx, cancel := context.WithCancel(t.Context())
		drawn := 0
		figure := &plots.Figure{Panels: []*plot.Plot{plot.New()}}
		figure.Panels[0].Add(plotter(func() {
			if drawn++; drawn == after {
				cancel()
			}
		}))
		if after == 0 {
			cancel()
		}
		for i := range p.Sections {
			p.Sections[i].Figures = []*plots.Figure{figure}
		}
		err := WriteContext(ctx, new(bytes.Buffer), p)
		if !errors.Is(err, context.Canceled) || drawn != after {
			t.Errorf("cancelled after %d of %d figures: %v, and %d are drawn", after, len(p.Sections), err, drawn)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := WriteContext(ctx, new(bytes.Buffer), &Page{Scene: p.Scene}); !errors.Is(err, context.Canceled) {
		t.Errorf("the scene is written for nobody: %v", err)
	}
}

// A plotter does something when it is drawn.
type plotter func()

func (p plotter) Plot(draw.Canvas, *plot.Plot) { p() }

func TestNumericColumns(t *testing.T) {
	got := numericColumns([][]string{
		{"name", "int", "mixed", "signed", "percent", "long"},
		{"a", "1 000", "1", "−2.5e3", "10 %", "3"},
		{"b", "–", "x", "+1"},
		{"c"},
	})
	if want := []bool{false, true, false, true, true, true}; !slices.Equal(got, want) {
		t.Errorf("numericColumns = %v, want %v", got, want)
	}
}

func TestMismatch(t *testing.T) {
	s := testScene(3, 5, 0)
	s.Tracks[1].Hits[1].Det = 99
	if err := Write(new(bytes.Buffer), &Page{Scene: s}); err == nil || !strings.Contains(err.Error(), "track 2, frame 1") {
		t.Errorf("a detection that is not there: %v", err)
	}
	s = testScene(3, 5, 0)
	s.Scans[1].Frame = s.Scans[0].Frame
	if err := Write(new(bytes.Buffer), &Page{Scene: s}); err == nil {
		t.Error("two scans of a frame are no error")
	}
}

// inBrowser opens the page in a browser.
func inBrowser(t *testing.T, p *Page) *browser.Page {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, write(t, p), 0o666); err != nil {
		t.Fatal(err)
	}
	b := browser.Open(t, file)
	b.Size(1200, 900, false)
	b.Until("document.documentElement.dataset.drawn")
	return b
}

// counts are the links of s as the browser should count them.
func counts(s *Scene) (wrong, missing int) {
	target, next := make(map[mtt.Hit]int), make(map[mtt.Hit]mtt.Hit)
	each := func(tr *mtt.Track, do func(a, b mtt.Hit)) {
		var last *mtt.Hit
		for k := range tr.Hits {
			if tr.Hits[k].Det < 0 {
				continue
			}
			if last != nil {
				do(*last, tr.Hits[k])
			}
			last = &tr.Hits[k]
		}
	}
	for i := range s.Truth {
		for _, h := range s.Truth[i].Hits {
			if h.Det >= 0 {
				target[h] = i + 1
			}
		}
	}
	for i := range s.Tracks {
		each(&s.Tracks[i], func(a, b mtt.Hit) {
			if target[a] == 0 || target[a] != target[b] {
				wrong++
			}
			next[a] = b
		})
	}
	for i := range s.Truth {
		each(&s.Truth[i], func(a, b mtt.Hit) {
			if next[a] != b {
				missing++
			}
		})
	}
	return wrong, missing
}

func TestViewer(t *testing.T) {
	s := testScene(9, 40, 3)
	b := inBrowser(t, testPage(s))
	wrong, missing := counts(s)
	if wrong == 0 || missing == 0 {
		t.Fatalf("the scene has %d wrong and %d missing links; the test wants some", wrong, missing)
	}
	detections, held := 0, 0
	for i := range s.Scans {
		detections += s.Scans[i].Len()
	}
	for i := range s.Tracks {
		held += len(s.Tracks[i].Hits)
	}
	data := "document.documentElement.dataset."
	for name, want := range map[string]int{"tracks": 9, "detections": detections, "free": detections - held, "errors": wrong + missing} {
		if got := b.Text(data + name); got != fmt.Sprint(want) {
			t.Errorf("the page counts %s %s, want %d", got, name, want)
		}
	}
	now := "document.getElementById('now').textContent"
	if got := b.Text(now); !strings.HasPrefix(got, "frame 30") { // the first error
		t.Errorf("the page opens at %q", got)
	}
	before := b.Screenshot()
	b.Eval(nil, "slider.value = 3, slider.dispatchEvent(new Event('input'))")
	if got, want := b.Text(now), fmt.Sprintf("frame 13, 1.5 s: %d", s.Scans[3].Len()); got != want {
		t.Errorf("after the slider moved to 3: %q, want %q", got, want)
	}
	b.Eval(nil, "new Promise(requestAnimationFrame)")
	if bytes.Equal(before, b.Screenshot()) {
		t.Error("the picture stays as it is when the slider moves")
	}
	b.Key("ArrowRight")
	b.Key("End")
	if got := b.Text(now); !strings.HasPrefix(got, "frame 49") {
		t.Errorf("after End: %q", got)
	}
	b.Key("Home")
	b.Key(" ")
	b.Until("slider.value > 2")
	b.Key(" ")

	// Errors first, then tracks by doubt: the two that exchange their ways have the
	// greatest bends.
	if got := b.Text("document.querySelector('.row').textContent"); !strings.Contains(got, "→") {
		t.Errorf("the first row is %q, want an error", got)
	}
	b.Key("e")
	if got := b.Text("document.querySelector('.row[aria-selected=true]').dataset.n"); got != "0" {
		t.Errorf("e goes to error %s", got)
	}
	b.Eval(nil, "document.getElementById('tab-tracks').click()")
	top := []string{b.Text("document.querySelectorAll('.row')[0].firstChild.textContent"), b.Text("document.querySelectorAll('.row')[1].firstChild.textContent")}
	slices.Sort(top)
	if !slices.Equal(top, []string{"1", "2"}) {
		t.Errorf("the most doubtful tracks are %v, want 1 and 2", top)
	}
	b.Key("n")
	if got := b.Text("document.getElementById('what').textContent"); !strings.HasPrefix(got, "Track ") || !strings.Contains(got, "1 wrong link") {
		t.Errorf("the chosen track: %q", got)
	}
	b.Quiet()
}

// TestPointing points at a detection, clicks and turns the wheel.
func TestPointing(t *testing.T) {
	s := &Scene{Scans: []mtt.Scan{{Frame: 1, Dim: 2, Pos: []float64{0, 0, 10, 10}}, {Frame: 2, Time: 1, Dim: 2, Pos: []float64{1, 0}}}}
	s.Tracks = []mtt.Track{{ID: 7, Dim: 2}}
	s.Tracks[0].Append(&s.Scans[0], 0)
	s.Tracks[0].Append(&s.Scans[1], 0)
	s.Margins = [][]float64{{math.NaN(), 2.5}}
	b := inBrowser(t, &Page{Title: "two", Scene: s})
	b.Key("Home")
	// The picture shows the square from 0 to 10 in its middle, with a margin of 8 %.
	var r struct{ X, Y, W, H float64 }
	b.Eval(&r, "(r => ({X: r.left, Y: r.top, W: r.width, H: r.height}))(document.getElementById('map').getBoundingClientRect())")
	scale := min(r.W, r.H) / 10.8
	x, y := r.X+r.W/2-5*scale, r.Y+r.H/2+5*scale
	tip := "document.getElementById('tip').innerText"
	for range 100 { // the picture is laid out once more when its size is known
		if b.Mouse("mouseMoved", x, y); b.Text(tip) != "" {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	for _, want := range []string{"track 7 (1–2)", "frame 1, detection 0", "0, 0"} {
		if got := b.Text(tip); !strings.Contains(got, want) {
			t.Errorf("the tip says %q, want %q", got, want)
		}
	}
	b.Mouse("mousePressed", x, y)
	b.Mouse("mouseReleased", x, y)
	if got := b.Text("document.getElementById('what').textContent"); !strings.Contains(got, "Track 7: frames 1–2, 2 hits") || !strings.Contains(got, "least margin 2.5 nat, frame 2") {
		t.Errorf("after a click: %q", got)
	}
	b.Mouse("mouseMoved", r.X+r.W/2+5*scale, r.Y+r.H/2-5*scale)
	if got := b.Text(tip); !strings.Contains(got, "in no track") {
		t.Errorf("the tip at the free detection says %q", got)
	}
	if b.Text("document.getElementById('tab-errors').hidden") != "true" || b.Text("document.getElementById('truth').parentElement.hidden") != "true" {
		t.Error("a page without truth offers errors or truth")
	}
	b.Key("Escape")
	if b.Text("document.getElementById('chosen').hidden") != "true" {
		t.Error("escape leaves the track chosen")
	}
	b.Quiet()
}

// doubted gives the tracks of a scene margins: links into later frames are surer, births and the
// first track's have none.
func doubted(s *Scene) *Scene {
	for i := range s.Tracks {
		list := make([]float64, len(s.Tracks[i].Hits))
		for h, hit := range s.Tracks[i].Hits {
			if list[h] = float64(hit.Frame) + float64(i)/100; h == 0 || i == 0 {
				list[h] = math.NaN()
			}
		}
		s.Margins = append(s.Margins, list)
	}
	return s
}

// TestDoubts looks at the list of doubtful links: the least margin first, each with a picture, and a
// click shows the place.
func TestDoubts(t *testing.T) {
	s := doubted(testScene(9, 40, 0))
	b := inBrowser(t, testPage(s))
	if b.Text("document.getElementById('doubts').hidden") != "false" {
		t.Fatal("the list is hidden")
	}
	least, track, first, before := math.Inf(1), 0, 0, 0 // the most doubtful link
	for i, list := range s.Margins {
		for h, x := range list {
			if x < least {
				least, track, first, before = x, s.Tracks[i].ID, s.Tracks[i].Hits[h].Frame, s.Tracks[i].Hits[h-1].Frame
			}
		}
	}
	caption := func(n int) string {
		return b.Text(fmt.Sprintf("document.querySelectorAll('#links figcaption')[%d].textContent", n))
	}
	for _, want := range []string{fmt.Sprintf("margin %.3g nat", least), fmt.Sprintf("track %d, frame %d → %d", track, before, first), " m across", ", right"} {
		if got := caption(0); !strings.Contains(got, want) {
			t.Errorf("the first caption is %q, want %q", got, want)
		}
	}
	count := "document.querySelectorAll('#links figure').length"
	if got := b.Text(count); got != "12" {
		t.Errorf("%s pictures, want 12", got)
	}
	b.Eval(nil, "document.getElementById('doubts-more').click()")
	if got := b.Text(count); got != "24" {
		t.Errorf("%s pictures after a click, want 24", got)
	}
	// Each has something drawn: in the middle of the picture lies the link.
	var blank int
	b.Eval(&blank, `[...document.querySelectorAll('#links canvas')].filter(c =>
		!c.getContext('2d').getImageData(c.width / 2 - 2, c.height / 2 - 2, 4, 4).data.some(x => x > 0)).length`)
	if blank != 0 {
		t.Errorf("%d pictures have nothing in the middle", blank)
	}
	b.Eval(nil, "document.querySelectorAll('#links figure')[0].click()")
	if got := b.Text("document.getElementById('now').textContent"); !strings.HasPrefix(got, fmt.Sprintf("frame %d,", first)) {
		t.Errorf("a click goes to %q", got)
	}
	if got := b.Text("document.getElementById('what').textContent"); !strings.HasPrefix(got, fmt.Sprintf("Track %d:", track)) {
		t.Errorf("a click chooses %q", got)
	}
	var wrongs int
	b.Eval(&wrongs, "document.querySelectorAll('#links .bad').length")
	for range 20 {
		b.Eval(nil, "document.getElementById('doubts-more').click()")
	}
	b.Eval(&wrongs, "document.querySelectorAll('#links .bad').length")
	if wrong, _ := counts(s); wrong > 1 && wrongs != wrong-1 { // the first track has no margins, and one of them
		t.Errorf("%d links are said to be wrong, want %d", wrongs, wrong-1)
	}
	b.Quiet()
	b = inBrowser(t, testPage(testScene(3, 10, 0)))
	if b.Text("document.getElementById('doubts') === null") != "true" {
		t.Error("a page without margins has a list of doubtful links")
	}
}

// TestDoubtsByOdds: where the odds are known they head the list, whatever the margins are, and
// links without a margin are in it.
func TestDoubtsByOdds(t *testing.T) {
	s := doubted(testScene(9, 40, 0))
	for i, list := range s.Margins {
		s.Odds = append(s.Odds, make([]float64, len(list)))
		for h, x := range list {
			if s.Odds[i][h] = 50 - x; i == 0 && h > 0 {
				s.Odds[i][h] = 0.5 - float64(h)/100 // the first track, which has no margins
			}
		}
	}
	b := inBrowser(t, testPage(s))
	hits := s.Tracks[0].Hits
	n := len(hits)
	got := b.Text("document.querySelectorAll('#links figcaption')[0].textContent")
	for _, want := range []string{fmt.Sprintf("probability %.3g, no margin", 1/(1+math.Exp(-s.Odds[0][n-1]))), fmt.Sprintf("track %d, frame %d → %d", s.Tracks[0].ID, hits[n-2].Frame, hits[n-1].Frame)} {
		if !strings.Contains(got, want) {
			t.Errorf("the first caption is %q, want %q", got, want)
		}
	}
	if got := b.Text("document.getElementById('doubts-about').textContent"); !strings.HasPrefix(got, "The least probable links.") {
		t.Errorf("the list is said to be %q", got)
	}
	b.Quiet()
}

// TestLooks draws the page light, dark, on a phone and on paper: nothing is wider than
// the window, and colours follow the system. MTT_SCREENSHOTS names a folder to keep the
// pictures in.
func TestLooks(t *testing.T) {
	b := inBrowser(t, testPage(doubted(testScene(40, 60, 5))))
	kept := os.Getenv("MTT_SCREENSHOTS")
	for _, look := range []struct {
		name          string
		width, height int
		dark          bool
	}{{"light", 1200, 900, false}, {"dark", 1200, 900, true}, {"phone", 390, 844, false}} {
		b.Size(look.width, look.height, look.dark)
		b.Eval(nil, "new Promise(done => setTimeout(done, 300))")
		var wide int
		if b.Eval(&wide, "document.documentElement.scrollWidth"); wide > look.width {
			t.Errorf("%s: the page is %d wide in a window of %d", look.name, wide, look.width)
		}
		var back string
		b.Eval(&back, "getComputedStyle(document.body).backgroundColor")
		if dark := back != "rgb(255, 255, 255)"; dark != look.dark {
			t.Errorf("%s: the background is %s", look.name, back)
		}
		if kept != "" {
			if err := os.WriteFile(filepath.Join(kept, look.name+".png"), b.Screenshot(), 0o666); err != nil {
				t.Error(err)
			}
		}
	}
	b.Size(1200, 900, false)
	pdf := b.PDF()
	if !bytes.HasPrefix(pdf, []byte("%PDF")) {
		t.Errorf("printing makes %.20q", pdf)
	}
	if kept != "" {
		if err := os.WriteFile(filepath.Join(kept, "page.pdf"), pdf, 0o666); err != nil {
			t.Error(err)
		}
	}
	b.Quiet()
}

// TestLargeScene opens a scene of a million detections in 5000 frames within two seconds.
func TestLargeScene(t *testing.T) {
	if testing.Short() {
		t.Skip("a page of megabytes")
	}
	s := testScene(180, nightly.Or(1500, 5000), 45)
	p := &Page{Title: "large", Scene: s}
	began := time.Now()
	html := write(t, p)
	made := time.Since(began)
	b := inBrowser(t, p)
	var ready, drawn float64
	b.Eval(&ready, "Number(document.documentElement.dataset.ready)")
	b.Eval(&drawn, "Number(document.documentElement.dataset.drawn)")
	t.Logf("%d MB written in %v, ready after %.0f ms, all drawn after %.0f ms", len(html)>>20, made.Round(time.Millisecond), ready, drawn)
	if ready > 2000 && nightly.Is() {
		t.Errorf("the page is ready after %.0f ms, want 2000", ready)
	}
	b.Quiet()
}
