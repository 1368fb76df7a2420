// Package browser runs pages in headless Chromium, for tests. It speaks the DevTools
// protocol (https://chromedevtools.github.io/devtools-protocol) over a pipe: commands and
// answers are JSON objects that end in a zero byte.
package browser

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// names are those that Chromium goes by; the variable CHROMIUM comes first.
var names = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// A Page is an open page. Its methods fail the test when the browser does.
type Page struct {
	t       testing.TB
	in      *os.File      // commands
	out     *bufio.Reader // answers and events
	session string
	number  int
	fetched []string // addresses of requests over a network
	faults  []string // exceptions and errors that the page logged
}

// Open opens a file in a browser of its own, which ends with the test. It skips the
// test where there is no browser.
func Open(t testing.TB, file string) *Page {
	t.Helper()
	p := start(t)
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	p.call("Page.navigate", map[string]any{"url": "file://" + filepath.ToSlash(path)})
	p.wait("Page.loadEventFired")
	return p
}

func start(t testing.TB) *Page {
	t.Helper()
	program := ""
	for _, name := range append([]string{os.Getenv("CHROMIUM")}, names...) {
		if found, err := exec.LookPath(name); name != "" && err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Skip("there is no Chromium here: install it, or name it in the variable CHROMIUM")
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--no-first-run", "--disable-background-networking", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Skipf("%s does not start: %v", program, err)
	}
	theirIn.Close()
	theirOut.Close()
	p := &Page{t: t, in: in, out: bufio.NewReaderSize(out, 1<<16)}
	t.Cleanup(func() {
		fmt.Fprintf(in, `{"id":1000000,"method":"Browser.close"}`+"\x00")
		in.Close()
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			cmd.Process.Kill()
			<-ended
		}
		out.Close()
		if t.Failed() && testing.Verbose() {
			t.Logf("%s says: %s", program, log.Bytes())
		}
	})
	out.SetReadDeadline(time.Now().Add(2 * time.Minute))
	var target struct{ TargetID string }
	p.get(&target, "Target.createTarget", map[string]any{"url": "about:blank"})
	var session struct{ SessionID string }
	p.get(&session, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true})
	p.session = session.SessionID
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		p.call(domain+".enable", nil)
	}
	return p
}

// A message is an answer or an event.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// next reads a message, and notes what the page should not do.
func (p *Page) next() *message {
	p.t.Helper()
	line, err := p.out.ReadBytes(0)
	if err != nil {
		p.t.Fatalf("browser: %v", err)
	}
	m := new(message)
	if err := json.Unmarshal(line[:len(line)-1], m); err != nil {
		p.t.Fatalf("browser: %v in %.200s", err, line)
	}
	switch m.Method {
	case "Runtime.exceptionThrown", "Log.entryAdded":
		p.faults = append(p.faults, string(m.Params))
	case "Network.requestWillBeSent":
		var request struct{ Request struct{ URL string } }
		json.Unmarshal(m.Params, &request)
		url := request.Request.URL
		if !slices.ContainsFunc([]string{"file:", "blob:", "data:"}, func(local string) bool { return strings.HasPrefix(url, local) }) {
			p.fetched = append(p.fetched, url)
		}
	}
	return m
}

// call sends a command and waits for its answer.
func (p *Page) call(method string, params map[string]any) json.RawMessage {
	p.t.Helper()
	p.number++
	command := map[string]any{"id": p.number, "method": method}
	if params != nil {
		command["params"] = params
	}
	if p.session != "" {
		command["sessionId"] = p.session
	}
	line, err := json.Marshal(command)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.in.Write(append(line, 0)); err != nil {
		p.t.Fatalf("browser: %v", err)
	}
	for {
		if m := p.next(); m.ID == p.number {
			if m.Error != nil {
				p.t.Fatalf("browser: %s: %s", method, m.Error.Message)
			}
			return m.Result
		}
	}
}

func (p *Page) get(v any, method string, params map[string]any) {
	p.t.Helper()
	if err := json.Unmarshal(p.call(method, params), v); err != nil {
		p.t.Fatalf("browser: %s: %v", method, err)
	}
}

func (p *Page) wait(event string) {
	p.t.Helper()
	for p.next().Method != event {
	}
}

// Eval evaluates JavaScript, awaits a promise, and decodes the value into v, which
// may be nil.
func (p *Page) Eval(v any, script string) {
	p.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	p.get(&answer, "Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true})
	if e := answer.ExceptionDetails; e != nil {
		p.t.Fatalf("browser: %s: %s %s", script, e.Text, e.Exception.Description)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal(answer.Result.Value, v); err != nil {
		p.t.Fatalf("browser: %s: %v", script, err)
	}
}

// Text is the value of a script as text.
func (p *Page) Text(script string) string {
	p.t.Helper()
	var s string
	p.Eval(&s, "(async () => String("+script+"))()")
	return s
}

// Until waits for a script to be true, for half a minute at most.
func (p *Page) Until(script string) {
	p.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var ok bool
		if p.Eval(&ok, "Boolean("+script+")"); ok {
			return
		}
	}
	p.t.Fatalf("browser: %s never came true; the page said %q", script, p.faults)
}

// Size sets the size of the window, and colours: dark or light.
func (p *Page) Size(width, height int, dark bool) {
	p.t.Helper()
	p.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
}

// Key presses a key, such as "ArrowRight", "n" or " ".
func (p *Page) Key(key string) {
	p.t.Helper()
	event := map[string]any{"type": "keyDown", "key": key}
	if len(key) == 1 {
		event["text"] = key
	}
	p.call("Input.dispatchKeyEvent", event)
	p.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key})
}

// Mouse does what a mouse does at a place: "mouseMoved", "mousePressed" or "mouseReleased".
func (p *Page) Mouse(what string, x, y float64) {
	p.t.Helper()
	event := map[string]any{"type": what, "x": x, "y": y}
	if what != "mouseMoved" {
		event["button"], event["clickCount"] = "left", 1
	}
	p.call("Input.dispatchMouseEvent", event)
}

// Screenshot is what the window shows, as PNG.
func (p *Page) Screenshot() []byte {
	p.t.Helper()
	return p.picture("Page.captureScreenshot", map[string]any{"format": "png"})
}

// PDF is the page as printed.
func (p *Page) PDF() []byte {
	p.t.Helper()
	return p.picture("Page.printToPDF", map[string]any{"printBackground": false})
}

func (p *Page) picture(method string, params map[string]any) []byte {
	p.t.Helper()
	var answer struct{ Data string }
	p.get(&answer, method, params)
	data, err := base64.StdEncoding.DecodeString(answer.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}

// Quiet fails the test unless the page stayed without errors, and without requests over a network.
func (p *Page) Quiet() {
	p.t.Helper()
	for _, f := range p.faults {
		p.t.Errorf("the page says: %s", f)
	}
	for _, url := range p.fetched {
		p.t.Errorf("the page fetched %s", url)
	}
}
