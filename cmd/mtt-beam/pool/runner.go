package pool

// This file is the pool as the runner sees it: one worker, which gets stages as bundles.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
)

// A runner is one that asked for a worker: a job on it.
type runner struct {
	p       *Pool
	id      string // of the worker
	conn    *grpc.ClientConn
	control fnpb.BeamFnControl_ControlClient
	data    fnpb.BeamFnData_DataClient
	client  fnpb.BeamFnControlClient
	logs    fnpb.BeamFnLogging_LoggingClient
	stop    context.CancelFunc

	sending sync.Mutex // on control and data

	mu      sync.Mutex
	bundles map[string]*bundle // by instruction
}

// A plan is a stage: what is done with each element.
type plan struct {
	id           string // for processes
	source       string // of elements, by name
	coder        string // of the elements
	sinks        []string
	forProcesses *fnpb.ProcessBundleDescriptor // with the addresses of the pool
}

// A bundle is elements for a stage.
type bundle struct {
	of    *runner
	plan  *plan // nil until the instruction is there
	id    string
	input []byte
	ended bool // the input is all there

	mu     sync.Mutex
	chunks []*chunk
	left   int // chunks that are not done
	failed bool
}

// A chunk is some elements of a bundle.
type chunk struct {
	of       *bundle
	id       string
	data     []byte
	elements int
	deaths   int                 // of processes at it; under Pool.mu
	out      map[string][][]byte // when it is done; under bundle.mu
}

// StartWorker is how a runner asks for a worker.
func (p *Pool) StartWorker(_ context.Context, r *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	if err := p.join(r.GetWorkerId(), r.GetControlEndpoint().GetUrl()); err != nil {
		return &fnpb.StartWorkerResponse{Error: err.Error()}, nil
	}
	p.ensureProcesses()
	return &fnpb.StartWorkerResponse{}, nil
}

// StopWorker is how a runner leaves.
func (p *Pool) StopWorker(_ context.Context, r *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if link := p.runners[r.GetWorkerId()]; link != nil {
		link.stop()
	}
	return &fnpb.StopWorkerResponse{}, nil
}

// join connects the pool with the runner at endpoint as the worker id.
func (p *Pool) join(id, endpoint string) error {
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)))
	if err != nil {
		return fmt.Errorf("pool: %w", err)
	}
	ctx, stop := context.WithCancel(grpcx.WriteWorkerID(p.ctx, id))
	r := &runner{p: p, id: id, conn: conn, stop: stop, bundles: make(map[string]*bundle)}
	r.client = fnpb.NewBeamFnControlClient(conn)
	r.control, err = r.client.Control(ctx)
	if err == nil {
		r.data, err = fnpb.NewBeamFnDataClient(conn).Data(ctx)
	}
	if err == nil { // Prism waits for somebody to log
		r.logs, err = fnpb.NewBeamFnLoggingClient(conn).Logging(ctx)
	}
	if err != nil {
		stop()
		return errors.Join(fmt.Errorf("pool: %w", err), conn.Close())
	}
	p.mu.Lock()
	p.runners[id] = r
	p.mu.Unlock()
	go r.receiveData()
	go r.receiveInstructions(ctx)
	return nil
}

// receiveInstructions follows the runner until it leaves.
func (r *runner) receiveInstructions(ctx context.Context) {
	defer r.conn.Close()
	defer r.stop()
	for {
		in, err := r.control.Recv()
		if err != nil {
			return
		}
		id := in.GetInstructionId()
		answer := &fnpb.InstructionResponse{InstructionId: id}
		switch request := in.GetRequest().(type) {
		case *fnpb.InstructionRequest_ProcessBundle:
			plan, err := r.planOf(ctx, request.ProcessBundle.GetProcessBundleDescriptorId())
			if err == nil {
				r.with(id, func(b *bundle) { b.plan = plan })
				continue
			}
			answer.Error = err.Error()
		case *fnpb.InstructionRequest_ProcessBundleProgress:
			answer.Response = &fnpb.InstructionResponse_ProcessBundleProgress{ProcessBundleProgress: &fnpb.ProcessBundleProgressResponse{}}
		case *fnpb.InstructionRequest_ProcessBundleSplit: // the pool cuts bundles itself
			answer.Response = &fnpb.InstructionResponse_ProcessBundleSplit{ProcessBundleSplit: &fnpb.ProcessBundleSplitResponse{}}
		case *fnpb.InstructionRequest_MonitoringInfos:
			answer.Response = &fnpb.InstructionResponse_MonitoringInfos{MonitoringInfos: &fnpb.MonitoringInfosMetadataResponse{}}
		case *fnpb.InstructionRequest_FinalizeBundle:
			answer.Response = &fnpb.InstructionResponse_FinalizeBundle{FinalizeBundle: &fnpb.FinalizeBundleResponse{}}
		default:
			answer.Error = fmt.Sprintf("pool: %T is not supported", request)
		}
		r.answer(answer)
	}
}

// receiveData gathers the input of bundles.
func (r *runner) receiveData() {
	for {
		in, err := r.data.Recv()
		if err != nil {
			return
		}
		for _, d := range in.GetData() {
			r.with(d.GetInstructionId(), func(b *bundle) {
				b.input = append(b.input, d.GetData()...)
				b.ended = b.ended || d.GetIsLast()
			})
		}
	}
}

// with changes the bundle of an instruction, and starts it when all of it is there.
func (r *runner) with(id string, change func(b *bundle)) {
	r.mu.Lock()
	b := r.bundles[id]
	if b == nil {
		b = &bundle{of: r, id: id}
		r.bundles[id] = b
	}
	change(b)
	ready := b.plan != nil && b.ended
	if ready {
		delete(r.bundles, id)
	}
	r.mu.Unlock()
	if ready {
		b.start()
	}
}

// answer tells the runner.
func (r *runner) answer(a *fnpb.InstructionResponse) {
	r.sending.Lock()
	defer r.sending.Unlock()
	r.control.Send(a) // a runner that is gone needs no answer
}

// planOf asks the runner for a stage, once.
func (r *runner) planOf(ctx context.Context, id string) (*plan, error) {
	own := r.id + "/" + id
	r.p.mu.Lock()
	known := r.p.plans[own]
	r.p.mu.Unlock()
	if known != nil {
		return known, nil
	}
	d, err := r.client.GetProcessBundleDescriptor(ctx, &fnpb.GetProcessBundleDescriptorRequest{ProcessBundleDescriptorId: id})
	if err != nil {
		return nil, fmt.Errorf("pool: %w", err)
	}
	made := &plan{id: own, forProcesses: proto.Clone(d).(*fnpb.ProcessBundleDescriptor)}
	made.forProcesses.Id = own
	made.forProcesses.StateApiServiceDescriptor = nil
	made.forProcesses.TimerApiServiceDescriptor = nil
	for name, t := range made.forProcesses.GetTransforms() {
		urn := t.GetSpec().GetUrn()
		if urn != "beam:runner:source:v1" && urn != "beam:runner:sink:v1" {
			continue
		}
		var port fnpb.RemoteGrpcPort
		if err := proto.Unmarshal(t.GetSpec().GetPayload(), &port); err != nil {
			return nil, fmt.Errorf("pool: stage %s: %w", id, err)
		}
		if urn == "beam:runner:sink:v1" {
			made.sinks = append(made.sinks, name)
		} else if made.source != "" {
			return nil, fmt.Errorf("pool: stage %s has several inputs", id)
		} else {
			made.source, made.coder = name, port.GetCoderId()
		}
		port.ApiServiceDescriptor = &pipepb.ApiServiceDescriptor{Url: r.p.Endpoint()}
		if t.GetSpec().Payload, err = proto.Marshal(&port); err != nil {
			return nil, fmt.Errorf("pool: stage %s: %w", id, err)
		}
	}
	r.p.mu.Lock()
	r.p.plans[own] = made
	r.p.mu.Unlock()
	return made, nil
}

// start cuts the bundle into chunks: so many that the last ones to end end at nearly one time,
// and so few that handing them out is cheap.
func (b *bundle) start() {
	const perProcess, most = 16, 256
	ends, err := elementEnds(b.plan.forProcesses.GetCoders(), b.plan.coder, b.input)
	if err != nil {
		b.fail(err)
		return
	}
	if len(ends) == 0 { // a stage is run for no element, too
		ends = []int{0}
	}
	parts := perProcess * b.of.p.o.Processes
	size := max(1, min((len(ends)+parts-1)/parts, most))
	at := 0
	for first := 0; first < len(ends); first += size {
		last := min(first+size, len(ends))
		b.chunks = append(b.chunks, &chunk{
			of: b, id: fmt.Sprintf("%s/%s/%d", b.of.id, b.id, len(b.chunks)),
			data: b.input[at:ends[last-1]], elements: last - first,
		})
		at = ends[last-1]
	}
	b.left = len(b.chunks)
	b.of.p.push(b.chunks...)
}

// fail tells the runner that the bundle cannot be done, once.
func (b *bundle) fail(err error) {
	b.mu.Lock()
	first := !b.failed
	b.failed = true
	b.mu.Unlock()
	if first {
		b.of.answer(&fnpb.InstructionResponse{InstructionId: b.id, Error: err.Error()})
	}
}

// hasFailed says whether the bundle was given up.
func (b *bundle) hasFailed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failed
}

// fail gives the whole bundle up.
func (c *chunk) fail(err error) { c.of.fail(err) }

// finish takes what an attempt put out, and says whether it did not fail. The last chunk of a
// bundle sends all of it to the runner.
func (c *chunk) finish(a *attempt) bool {
	if a.err != nil {
		c.fail(a.err)
		return false
	}
	b := c.of
	b.mu.Lock()
	c.out = a.out
	b.left--
	last := b.left == 0 && !b.failed
	b.mu.Unlock()
	if last {
		b.deliver()
	}
	return true
}

// deliver sends what the bundle put out.
func (b *bundle) deliver() {
	r := b.of
	r.sending.Lock()
	for _, sink := range b.plan.sinks {
		for _, c := range b.chunks {
			for _, data := range c.out[sink] {
				r.data.Send(&fnpb.Elements{Data: []*fnpb.Elements_Data{{InstructionId: b.id, TransformId: sink, Data: data}}})
			}
		}
		r.data.Send(&fnpb.Elements{Data: []*fnpb.Elements_Data{{InstructionId: b.id, TransformId: sink, IsLast: true}}})
	}
	r.sending.Unlock()
	r.answer(&fnpb.InstructionResponse{
		InstructionId: b.id,
		Response:      &fnpb.InstructionResponse_ProcessBundle{ProcessBundle: &fnpb.ProcessBundleResponse{}},
	})
}
