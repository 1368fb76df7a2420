// Code generated from mapsolver/fpga/registers.go by go test -update. DO NOT EDIT.

    /* verilator lint_off UNUSED */
    localparam [31:0] SIGNATURE = 32'd1297372161; // MTT and the version of the map
    localparam [5:0] REG_SIGNATURE = 6'd0; // r/w: reads 0x4d545401; writing bit 0 resets the accelerator
    localparam [5:0] REG_RESULT_HI = 6'd1; // r/w: byte address of the result, upper half; 0
    localparam [5:0] REG_RESULT_LO = 6'd2; // r/w: lower half, a multiple of 64
    localparam [5:0] REG_OBJECTS = 6'd3; // r/w: objects of the problem
    localparam [5:0] REG_AGENTS = 6'd4; // r/w: agents of the problem
    localparam [5:0] REG_INPUT_HI = 6'd5; // r/w: byte address of the problem, upper half; 0
    localparam [5:0] REG_INPUT_LO = 6'd6; // r/w: lower half, a multiple of 64
    localparam [5:0] REG_START = 6'd7; // r/w: a rise of bit 0 starts
    localparam [5:0] REG_ITERATIONS = 6'd8; // r: agents that reached the end of the pipeline
    localparam [5:0] REG_MISSES = 6'd9; // r: bids below a price that had risen in the meantime
    localparam [5:0] REG_CYCLES = 6'd10; // r: cycles of the core
    localparam [5:0] REG_FINISHED = 6'd11; // r: bit 0: the result is in memory, or ERROR says why not
    localparam [5:0] REG_ACCEPTS = 6'd12; // r: bids that won
    localparam [5:0] REG_DROPS = 6'd13; // r: agents that will bid no more
    localparam [5:0] REG_LOAD_CYCLES = 6'd14; // r: cycles in which problem and state were read
    localparam [5:0] REG_STORE_CYCLES = 6'd15; // r: cycles in which the result was written
    localparam [5:0] REG_CAPABILITY = 6'd16; // r: processing elements, bits of a reward, of an index and of a storage address, 8 bits each from the lowest
    localparam [5:0] REG_MODE = 6'd17; // r/w: 1: the problem is a stream; 2: begin with the state at RESULT; 4: bid while the problem is being read
    localparam [5:0] REG_ERROR = 6'd18; // r: 0: none, else see the codes
    localparam [5:0] REG_WORDS = 6'd19; // r/w: 64-bit words of the problem
    localparam [5:0] REG_EPSILON = 6'd20; // r/w: least raise of a bid; 0 is 1
    localparam [5:0] REG_LIMIT = 6'd21; // r/w: cycles of the core after which no agent is taken; 0: no limit
    localparam [5:0] REG_TOTAL = 6'd22; // r: cycles from start to finish
    localparam [31:0] MODE_STREAM = 32'd1;
    localparam [31:0] MODE_WARM = 32'd2;
    localparam [31:0] MODE_OVERLAP = 32'd4;
    localparam [3:0] ERROR_NONE = 4'd0; // none
    localparam [3:0] ERROR_ADDRESS = 4'd1; // an address is not a multiple of 64 or above 4 GiB
    localparam [3:0] ERROR_SIZE = 4'd2; // more agents or objects than an index can name
    localparam [3:0] ERROR_STORAGE = 4'd3; // the rewards do not fit into the storage on the chip
    localparam [3:0] ERROR_LIMIT = 4'd4; // the limit of cycles was reached; the result is what was known by then
    localparam [3:0] ERROR_ENTRY = 4'd5; // an entry names an object that is not there
    localparam [3:0] ERROR_LENGTH = 4'd6; // the stream does not hold as many agents as announced
    localparam [3:0] ERROR_MODE = 4'd7; // this design does not have that mode
    localparam [3:0] ERROR_TRANSFER = 4'd8; // the memory answered with an error
    /* verilator lint_on UNUSED */
