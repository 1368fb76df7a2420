package fpga

// This file is the register map: the one place that Go, the hardware description
// (rtl/registers.vh, generated) and docs/fpga.md (checked by a test) take it from.

// A Register is the index of a 32-bit register; its byte address is four times that.
type Register int

// The registers. The first twelve have the numbers that they have in the design
// that the authors of the article published.
const (
	RegSignature   Register = iota // reads Signature; writing bit 0 resets the accelerator
	RegResultHigh                  // address of the result, upper half
	RegResultLow                   // lower half
	RegObjects                     // objects of the problem
	RegAgents                      // agents of the problem
	RegInputHigh                   // address of the problem, upper half
	RegInputLow                    // lower half
	RegStart                       // a rise of bit 0 starts
	RegIterations                  // agents that reached the end of the pipeline
	RegMisses                      // bids below a price that had risen in the meantime
	RegCycles                      // cycles of the core
	RegFinished                    // bit 0: the result is in memory, or RegError says why not
	RegAccepts                     // bids that won
	RegDrops                       // agents that will bid no more
	RegLoadCycles                  // cycles in which problem and state were read
	RegStoreCycles                 // cycles in which the result was written
	RegCapability                  // processing elements, bits of a reward, of an index, of a storage address: 8 bits each from the lowest
	RegMode                        // sum of Mode values
	RegError                       // an ErrorCode
	RegWords                       // 64-bit words of the problem in memory
	RegEpsilon                     // least raise of a bid; 0 is 1
	RegLimit                       // cycles of the core after which no agent is taken; 0: no limit
	RegTotal                       // cycles from start to finish
	registers      int      = iota
)

// Signature is what RegSignature reads: MTT and the version of the map.
const Signature = 0x4d545401

// Modes of RegMode.
const (
	ModeStream  = 1 << iota // the problem is a stream of entries, not a matrix
	ModeWarm                // begin with the state where the result will be
	ModeOverlap             // begin to bid while the problem is being read
)

// registerDoc describes the registers, in their order.
var registerDoc = [registers]struct {
	name   string // in rtl/registers.vh
	access string
	about  string
}{
	{"SIGNATURE", "r/w", "reads 0x4d545401; writing bit 0 resets the accelerator"},
	{"RESULT_HI", "r/w", "byte address of the result, upper half; 0"},
	{"RESULT_LO", "r/w", "lower half, a multiple of 64"},
	{"OBJECTS", "r/w", "objects of the problem"},
	{"AGENTS", "r/w", "agents of the problem"},
	{"INPUT_HI", "r/w", "byte address of the problem, upper half; 0"},
	{"INPUT_LO", "r/w", "lower half, a multiple of 64"},
	{"START", "r/w", "a rise of bit 0 starts"},
	{"ITERATIONS", "r", "agents that reached the end of the pipeline"},
	{"MISSES", "r", "bids below a price that had risen in the meantime"},
	{"CYCLES", "r", "cycles of the core"},
	{"FINISHED", "r", "bit 0: the result is in memory, or ERROR says why not"},
	{"ACCEPTS", "r", "bids that won"},
	{"DROPS", "r", "agents that will bid no more"},
	{"LOAD_CYCLES", "r", "cycles in which problem and state were read"},
	{"STORE_CYCLES", "r", "cycles in which the result was written"},
	{"CAPABILITY", "r", "processing elements, bits of a reward, of an index and of a storage address, 8 bits each from the lowest"},
	{"MODE", "r/w", "1: the problem is a stream; 2: begin with the state at RESULT; 4: bid while the problem is being read"},
	{"ERROR", "r", "0: none, else see the codes"},
	{"WORDS", "r/w", "64-bit words of the problem"},
	{"EPSILON", "r/w", "least raise of a bid; 0 is 1"},
	{"LIMIT", "r/w", "cycles of the core after which no agent is taken; 0: no limit"},
	{"TOTAL", "r", "cycles from start to finish"},
}

// An ErrorCode is what RegError reads.
type ErrorCode uint32

// The codes of RegError.
const (
	ErrorNone     ErrorCode = iota
	ErrorAddress            // an address is not a multiple of 64, or above 4 GiB
	ErrorSize               // more agents or objects than indices, or no object for an agent
	ErrorStorage            // the rewards do not fit into the storage
	ErrorLimit              // the limit was reached; the result is what was known
	ErrorEntry              // an entry names an object that is not there
	ErrorLength             // the stream does not hold as many agents as were announced
	ErrorMode               // this design cannot do that
	ErrorTransfer           // the memory answered with an error
	errorCodes    int       = iota
)

var errorDoc = [errorCodes]struct{ name, about string }{
	{"NONE", "none"},
	{"ADDRESS", "an address is not a multiple of 64 or above 4 GiB"},
	{"SIZE", "more agents or objects than an index can name"},
	{"STORAGE", "the rewards do not fit into the storage on the chip"},
	{"LIMIT", "the limit of cycles was reached; the result is what was known by then"},
	{"ENTRY", "an entry names an object that is not there"},
	{"LENGTH", "the stream does not hold as many agents as announced"},
	{"MODE", "this design does not have that mode"},
	{"TRANSFER", "the memory answered with an error"},
}

// String says what the code means.
func (c ErrorCode) String() string {
	if int(c) < errorCodes {
		return errorDoc[c].about
	}
	return "unknown error"
}
