package pool

// This file is the pool as its processes see it: it starts them, hands them chunks one at a time,
// and starts them again when they die.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os/exec"
	"sync"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
)

// Options are those of a pool.
type Options struct {
	Processes int // 1 or more

	// Command makes the command of a process: a program that calls beam.Init with these values of
	// its flags --id, --control_endpoint and --logging_endpoint.
	Command func(id, endpoint string) *exec.Cmd

	// Warn is told what somebody should know; nil: nobody is. Several goroutines may call it.
	Warn func(message string)

	// Done is told after each chunk how many elements it had, and how many bytes went to the
	// process and came back; nil: nobody is. Several goroutines may call it.
	Done func(elements, sent, received int)
}

// maxDeaths is how many processes a chunk may see die before it is given up: what kills every
// process that touches it would go on for ever. Deaths by [Pool.KillOne] do not count.
const maxDeaths = 8

// A Pool is a worker pool that a runner reaches at [Pool.Endpoint].
type Pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer
	fnpb.UnimplementedBeamFnControlServer
	fnpb.UnimplementedBeamFnDataServer
	fnpb.UnimplementedBeamFnLoggingServer

	o      Options
	listen net.Listener
	server *grpc.Server
	ctx    context.Context // until Close
	cancel context.CancelFunc
	slots  sync.WaitGroup

	mu        sync.Mutex
	wake      *sync.Cond          // on mu: queue or ctx changed
	queue     []*chunk            // to do
	processes map[string]*process // by id
	runners   map[string]*runner  // by the id of the worker that they asked for
	plans     map[string]*plan    // by the runner's name of a stage, which is unique in a job
}

// A process is one that was started.
type process struct {
	id     string
	cmd    *exec.Cmd
	stderr tail
	killed bool          // by KillOne; under Pool.mu
	dead   chan struct{} // closed when it has ended

	control chan fnpb.BeamFnControl_ControlServer // one, when it calls
	data    chan fnpb.BeamFnData_DataServer

	mu      sync.Mutex
	attempt *attempt // what it works on
}

// Start makes a pool. Its processes start when the first runner asks for a worker.
func Start(o Options) (*Pool, error) {
	listen, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return nil, fmt.Errorf("pool: %w", err)
	}
	p := &Pool{
		o: o, listen: listen,
		server:    grpc.NewServer(grpc.MaxRecvMsgSize(math.MaxInt32), grpc.MaxSendMsgSize(math.MaxInt32)),
		processes: make(map[string]*process), runners: make(map[string]*runner), plans: make(map[string]*plan),
	}
	if p.o.Warn == nil {
		p.o.Warn = func(string) {}
	}
	if p.o.Done == nil {
		p.o.Done = func(int, int, int) {}
	}
	p.wake = sync.NewCond(&p.mu)
	p.ctx, p.cancel = context.WithCancel(context.Background())
	fnpb.RegisterBeamFnExternalWorkerPoolServer(p.server, p)
	fnpb.RegisterBeamFnControlServer(p.server, p)
	fnpb.RegisterBeamFnDataServer(p.server, p)
	fnpb.RegisterBeamFnLoggingServer(p.server, p)
	go p.server.Serve(listen)
	return p, nil
}

// Endpoint is where runners find the pool.
func (p *Pool) Endpoint() string { return p.listen.Addr().String() }

// Close ends all processes and waits for them.
func (p *Pool) Close() {
	p.cancel()
	p.wakeAll()
	p.slots.Wait()
	p.server.Stop()
}

// KillOne kills a process that is at work, drawn by r, and says whether there was one.
func (p *Pool) KillOne(r *rand.Rand) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	var busy []*process
	for _, one := range p.processes {
		if one.working() != nil && !one.killed {
			busy = append(busy, one)
		}
	}
	if len(busy) == 0 {
		return false
	}
	one := busy[r.IntN(len(busy))]
	one.killed = true
	return one.cmd.Process.Kill() == nil
}

// ensureProcesses starts the goroutines that keep the processes running, once.
func (p *Pool) ensureProcesses() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.runners) > 1 {
		return
	}
	for k := range p.o.Processes {
		p.slots.Add(1)
		go func() {
			defer p.slots.Done()
			for n := 0; p.ctx.Err() == nil; n++ {
				p.live(fmt.Sprintf("process-%d-%d", k+1, n))
			}
		}()
	}
}

// live starts a process and hands it chunks until it dies, or the pool is closed.
func (p *Pool) live(id string) {
	one := &process{
		id: id, cmd: p.o.Command(id, p.Endpoint()), dead: make(chan struct{}),
		control: make(chan fnpb.BeamFnControl_ControlServer, 1), data: make(chan fnpb.BeamFnData_DataServer, 1),
	}
	one.cmd.Stderr = &one.stderr
	p.mu.Lock()
	p.processes[id] = one
	p.mu.Unlock()
	err := one.cmd.Start()
	if err == nil {
		defer context.AfterFunc(p.ctx, func() { one.cmd.Process.Kill() })()
		go func() {
			err = one.cmd.Wait()
			close(one.dead)
			p.wakeAll()
		}()
		p.serve(one)
		one.cmd.Process.Kill()
		<-one.dead
	}
	p.mu.Lock()
	delete(p.processes, id)
	killed := one.killed
	p.mu.Unlock()
	if p.ctx.Err() == nil && !killed {
		p.o.Warn(fmt.Sprintf("a worker process ended (%v); another one goes on: %s", err, one.stderr.last()))
		select { // a program that never starts is tried again without haste
		case <-time.After(100 * time.Millisecond):
		case <-p.ctx.Done():
		}
	}
}

// serve hands chunks to the process until it dies.
func (p *Pool) serve(one *process) {
	var control fnpb.BeamFnControl_ControlServer
	select {
	case control = <-one.control:
	case <-one.dead:
		return
	}
	for {
		c := p.next(one)
		if c == nil {
			return
		}
		a := &attempt{chunk: c, left: len(c.of.plan.sinks) + 1, done: make(chan struct{})}
		one.begin(a)
		go a.send(one, control)
		select {
		case <-a.done:
		case <-one.dead:
		}
		one.begin(nil)
		if !a.finished() {
			p.mu.Lock()
			if !one.killed {
				c.deaths++
			}
			p.mu.Unlock()
			if c.deaths < maxDeaths {
				p.push(c)
			} else {
				c.fail(fmt.Errorf("pool: %d processes died of the same %d elements; the last one said: %s", c.deaths, c.elements, one.stderr.last()))
			}
			return
		}
		sent, received := a.traffic()
		if c.finish(a) {
			p.o.Done(c.elements, sent, received)
		}
	}
}

// next waits for a chunk; nil when the process is dead or the pool closed.
func (p *Pool) next(one *process) *chunk {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		select {
		case <-one.dead:
			return nil
		case <-p.ctx.Done():
			return nil
		default:
		}
		for len(p.queue) > 0 {
			c := p.queue[0]
			p.queue = p.queue[1:]
			if !c.of.hasFailed() {
				return c
			}
		}
		p.wake.Wait()
	}
}

// wakeAll has everybody who waits for a chunk look again.
func (p *Pool) wakeAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wake.Broadcast()
}

// push puts chunks before those that wait.
func (p *Pool) push(list ...*chunk) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(list, p.queue...)
	p.wake.Broadcast()
}

// begin makes a what the process works on; nil: nothing.
func (one *process) begin(a *attempt) {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.attempt = a
}

// working is what the process works on.
func (one *process) working() *attempt {
	one.mu.Lock()
	defer one.mu.Unlock()
	return one.attempt
}

// An attempt is a chunk in the hands of a process.
type attempt struct {
	chunk *chunk

	mu       sync.Mutex
	left     int                 // ends that are still to come: of each output, and of the whole
	out      map[string][][]byte // by output, in order
	sent     int                 // bytes
	received int
	err      error
	done     chan struct{} // closed when nothing is left
}

// send gives the chunk to the process. What fails here has the process die.
func (a *attempt) send(one *process, control fnpb.BeamFnControl_ControlServer) {
	c := a.chunk
	err := control.Send(&fnpb.InstructionRequest{
		InstructionId: c.id,
		Request: &fnpb.InstructionRequest_ProcessBundle{
			ProcessBundle: &fnpb.ProcessBundleRequest{ProcessBundleDescriptorId: c.of.plan.id},
		},
	})
	if err != nil {
		return
	}
	var data fnpb.BeamFnData_DataServer
	select {
	case data = <-one.data:
		one.data <- data
	case <-one.dead:
		return
	case <-a.done: // it failed before it asked for data
		return
	}
	data.Send(&fnpb.Elements{Data: []*fnpb.Elements_Data{
		{InstructionId: c.id, TransformId: c.of.plan.source, Data: c.data},
		{InstructionId: c.id, TransformId: c.of.plan.source, IsLast: true},
	}})
	a.mu.Lock()
	a.sent += len(c.data)
	a.mu.Unlock()
}

// take is told what the process put out for the output.
func (a *attempt) take(output string, data []byte, last bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(data) > 0 {
		if a.out == nil {
			a.out = make(map[string][][]byte)
		}
		a.out[output] = append(a.out[output], data)
		a.received += len(data)
	}
	if last {
		a.end()
	}
}

// answer is told how the process ended the chunk.
func (a *attempt) answer(failure string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if failure != "" {
		a.err = errors.New(failure)
		a.left = 1 // outputs may never end
	}
	a.end()
}

// end counts an end; a.mu is held.
func (a *attempt) end() {
	if a.left--; a.left == 0 {
		close(a.done)
	}
}

// finished says whether the process did all of the chunk.
func (a *attempt) finished() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// traffic is the number of bytes to the process and back.
func (a *attempt) traffic() (sent, received int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sent, a.received
}

// caller is the process that calls.
func (p *Pool) caller(ctx context.Context) (*process, error) {
	id, err := grpcx.ReadWorkerID(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.processes[id]
	if one == nil {
		return nil, fmt.Errorf("pool: there is no process %q", id)
	}
	return one, nil
}

// Control is the stream on which a process gets instructions and answers.
func (p *Pool) Control(stream fnpb.BeamFnControl_ControlServer) error {
	one, err := p.caller(stream.Context())
	if err != nil {
		return err
	}
	one.control <- stream
	for {
		answer, err := stream.Recv()
		if err != nil {
			return nil
		}
		if a := one.working(); a != nil && a.chunk.id == answer.GetInstructionId() {
			a.answer(answer.GetError())
		}
	}
}

// Data is the stream on which a process gets elements and puts them out.
func (p *Pool) Data(stream fnpb.BeamFnData_DataServer) error {
	one, err := p.caller(stream.Context())
	if err != nil {
		return err
	}
	one.data <- stream
	for {
		elements, err := stream.Recv()
		if err != nil {
			return nil
		}
		for _, d := range elements.GetData() {
			if a := one.working(); a != nil && a.chunk.id == d.GetInstructionId() {
				a.take(d.GetTransformId(), d.GetData(), d.GetIsLast())
			}
		}
	}
}

// Logging is the stream of messages of a process.
func (p *Pool) Logging(stream fnpb.BeamFnLogging_LoggingServer) error {
	for {
		list, err := stream.Recv()
		if err != nil {
			return nil
		}
		for _, entry := range list.GetLogEntries() {
			if entry.GetSeverity() >= fnpb.LogEntry_Severity_WARN {
				p.o.Warn(entry.GetMessage())
			}
		}
	}
}

// GetProcessBundleDescriptor says what a stage does.
func (p *Pool) GetProcessBundleDescriptor(_ context.Context, r *fnpb.GetProcessBundleDescriptorRequest) (*fnpb.ProcessBundleDescriptor, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	plan := p.plans[r.GetProcessBundleDescriptorId()]
	if plan == nil {
		return nil, fmt.Errorf("pool: there is no stage %q", r.GetProcessBundleDescriptorId())
	}
	return plan.forProcesses, nil
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

var _ io.Writer = (*tail)(nil)

// Write keeps the last 4 KiB.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if drop := len(t.text) - 4096; drop > 0 {
		t.text = append(t.text[:0], t.text[drop:]...)
	}
	return len(b), nil
}

// last is what was kept.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.text))
}
