// The accelerator: registers, loader, core and the way back to memory.
//
// A start reads the state (mode 2), then the problem, auctions it off, beginning
// while it is being read (mode 4) or after that, and writes the state. Registers are
// those of registers.vh, which mapsolver/fpga/registers.go generates. While the
// state is written to memory it is cleared on the chip, so that the next problem
// finds prices of 0; after power-up and after an error all of it is cleared.

`default_nettype none

module sas_top #(
    parameter NPE = 8,     // processing elements, a power of two, 4 … 64
    parameter W = 20,      // bits of a reward
    parameter IW = 11,     // bits of an index; W + IW <= 31
    parameter SW = 14,     // bits of the address of a storage word
    parameter SPEC = 1,    // 0: take an agent when the one before has committed
    parameter SPARSE = 1   // 0: store matrices with their zeros; no streams
) (
    input  wire        clk,
    input  wire        rst,
    output wire        irq,            // as long as FINISHED reads 1

    input  wire [31:0] s_awaddr,
    input  wire        s_awvalid,
    output wire        s_awready,
    input  wire [31:0] s_wdata,
    input  wire        s_wvalid,
    output wire        s_wready,
    output wire [1:0]  s_bresp,
    output wire        s_bvalid,
    input  wire        s_bready,
    input  wire [31:0] s_araddr,
    input  wire        s_arvalid,
    output wire        s_arready,
    output wire [31:0] s_rdata,
    output wire [1:0]  s_rresp,
    output wire        s_rvalid,
    input  wire        s_rready,

    output wire [31:0] m_araddr,
    output wire [7:0]  m_arlen,
    output wire [2:0]  m_arsize,
    output wire [1:0]  m_arburst,
    output wire        m_arvalid,
    input  wire        m_arready,
    input  wire [63:0] m_rdata,
    input  wire [1:0]  m_rresp,
    input  wire        m_rvalid,
    output wire        m_rready,
    output wire [31:0] m_awaddr,
    output wire [7:0]  m_awlen,
    output wire [2:0]  m_awsize,
    output wire [1:0]  m_awburst,
    output wire        m_awvalid,
    input  wire        m_awready,
    output wire [63:0] m_wdata,
    output wire [7:0]  m_wstrb,
    output wire        m_wlast,
    output wire        m_wvalid,
    input  wire        m_wready,
    input  wire [1:0]  m_bresp,
    input  wire        m_bvalid,
    output wire        m_bready
);
`include "registers.vh"

    localparam IDLE = 3'd0, CHECK = 3'd1, WARM = 3'd2, LOAD = 3'd3, RUN = 3'd4, STORE = 3'd5, CLEAR = 3'd6;
    reg  [2:0] state;                  // what happens one after the other

    // ---- Registers.
    wire        write;
    wire [5:0]  write_index, read_index;
    wire [31:0] write_data;
    reg  [31:0] read_data;
    reg         reset_asked;           // it waits until nothing is on its way to or from memory
    sas_registers registers (
        .clk(clk), .rst(rst),
        .awaddr(s_awaddr), .awvalid(s_awvalid), .awready(s_awready),
        .wdata(s_wdata), .wvalid(s_wvalid), .wready(s_wready),
        .bresp(s_bresp), .bvalid(s_bvalid), .bready(s_bready),
        .araddr(s_araddr), .arvalid(s_arvalid), .arready(s_arready),
        .rdata(s_rdata), .rresp(s_rresp), .rvalid(s_rvalid), .rready(s_rready),
        .hold(reset_asked), .write(write), .write_index(write_index), .write_data(write_data),
        .read_index(read_index), .read_data(read_data)
    );
    wire        busy;
    wire        reset = rst || reset_asked && !busy;
    always @(posedge clk)
        if (reset) reset_asked <= 1'b0;
        else if (write && write_index == REG_SIGNATURE && write_data[0]) reset_asked <= 1'b1;
    reg  [31:0] result_hi, result_lo, input_hi, input_lo, objects, agents, mode, words, epsilon, limit;
    reg         started, finished;
    reg  [3:0]  code;
    reg  [31:0] load_cycles, store_cycles, total;
    wire [31:0] cycles, iterations, misses, accepts, drops;
    always @(posedge clk)
        if (reset) begin
            {result_hi, result_lo, input_hi, input_lo, objects, agents, mode, words, epsilon, limit} <= 0;
            started <= 1'b0;
        end else if (write)
            case (write_index)
                REG_RESULT_HI: result_hi <= write_data;
                REG_RESULT_LO: result_lo <= write_data;
                REG_OBJECTS: objects <= write_data;
                REG_AGENTS: agents <= write_data;
                REG_INPUT_HI: input_hi <= write_data;
                REG_INPUT_LO: input_lo <= write_data;
                REG_START: started <= write_data[0];
                REG_MODE: mode <= write_data;
                REG_WORDS: words <= write_data;
                REG_EPSILON: epsilon <= write_data;
                REG_LIMIT: limit <= write_data;
                default: ;
            endcase
    wire start = write && write_index == REG_START && write_data[0] && !started;
    reg  asked;                        // to start, perhaps before the state was cleared
    wire begins = state == IDLE && asked;
    always @(posedge clk)
        if (reset || begins) asked <= 1'b0;
        else if (start) asked <= 1'b1;
    always @*
        case (read_index)
            REG_SIGNATURE: read_data = SIGNATURE;
            REG_RESULT_HI: read_data = result_hi;
            REG_RESULT_LO: read_data = result_lo;
            REG_OBJECTS: read_data = objects;
            REG_AGENTS: read_data = agents;
            REG_INPUT_HI: read_data = input_hi;
            REG_INPUT_LO: read_data = input_lo;
            REG_START: read_data = {31'd0, started};
            REG_ITERATIONS: read_data = iterations;
            REG_MISSES: read_data = misses;
            REG_CYCLES: read_data = cycles;
            REG_FINISHED: read_data = {31'd0, finished};
            REG_ACCEPTS: read_data = accepts;
            REG_DROPS: read_data = drops;
            REG_LOAD_CYCLES: read_data = load_cycles;
            REG_STORE_CYCLES: read_data = store_cycles;
            REG_CAPABILITY: read_data = NPE | W << 8 | IW << 16 | SW << 24;
            REG_MODE: read_data = mode;
            REG_ERROR: read_data = {28'd0, code};
            REG_WORDS: read_data = words;
            REG_EPSILON: read_data = epsilon;
            REG_LIMIT: read_data = limit;
            REG_TOTAL: read_data = total;
            default: read_data = 0;
        endcase
    assign irq = finished;

    // ---- What is wanted, and whether it can be had.
    wire       stream = (mode & MODE_STREAM) != 0;
    wire       warm = (mode & MODE_WARM) != 0 && objects != 0;
    wire       overlap = (mode & MODE_OVERLAP) != 0;
    wire [3:0] refused =
        result_hi != 0 || input_hi != 0 || result_lo[5:0] != 0 || input_lo[5:0] != 0 ? ERROR_ADDRESS :
        objects >= 1 << IW || agents >= 1 << IW || objects == 0 && agents != 0 ? ERROR_SIZE :
        stream && SPARSE == 0 || !stream && mode != 0 ? ERROR_MODE : ERROR_NONE;

    reg         read_start;
    wire        read_valid, read_busy, read_failed;
    wire [63:0] read_word;
    wire        reading = read_busy || read_start;
    sas_axi_read reader (
        .clk(clk), .rst(reset || begins), .start(read_start),
        .address(state == WARM ? result_lo : input_lo), .words(state == WARM ? objects : words),
        .valid(read_valid), .data(read_word), .busy(read_busy), .failed(read_failed),
        .araddr(m_araddr), .arlen(m_arlen), .arsize(m_arsize), .arburst(m_arburst),
        .arvalid(m_arvalid), .arready(m_arready),
        .rdata(m_rdata), .rresp(m_rresp), .rvalid(m_rvalid), .rready(m_rready)
    );

    wire                  word_we, row_we, row_idle, whole, bad_entry, bad_length, bad_storage;
    wire [SW-1:0]         word_waddr, row_start;
    wire [NPE*(IW+W)-1:0] word_wdata;
    wire [IW-1:0]         row_waddr, row_words, loaded;
    sas_loader #(.NPE(NPE), .W(W), .IW(IW), .SW(SW), .SPARSE(SPARSE)) loader (
        .clk(clk), .rst(reset || begins), .stream(stream), .agents(agents[IW-1:0]), .objects(objects[IW-1:0]),
        .valid(read_valid && state != WARM), .data(read_word),
        .word_we(word_we), .word_waddr(word_waddr), .word_wdata(word_wdata),
        .row_we(row_we), .row_waddr(row_waddr), .row_start(row_start), .row_words(row_words), .row_idle(row_idle),
        .loaded(loaded), .whole(whole), .bad_entry(bad_entry), .bad_length(bad_length), .bad_storage(bad_storage)
    );
    wire       ended = !reading && !row_we && !word_we; // all that was read is where it belongs
    wire [3:0] wrong = read_failed ? ERROR_TRANSFER : bad_length ? ERROR_LENGTH : bad_entry ? ERROR_ENTRY :
                       bad_storage ? ERROR_STORAGE : ended && !whole ? ERROR_LENGTH : ERROR_NONE;

    // The state is written where the reader or the sweep is.
    reg  [IW:0]   sweep;
    reg           sweep_valid;         // data of the word before sweep are there
    wire          store_ready;
    wire          store_step = state == STORE && sweep != {1'b0, objects[IW-1:0]} && (!sweep_valid || store_ready);
    wire          store_taken = state == STORE && sweep_valid && store_ready;
    wire          warm_we = state == WARM && read_valid;
    reg  [IW-1:0] swept;               // object of the data
    wire          st_rvalid, done, complete;
    wire [IW-1:0] st_rowner;
    wire [W-1:0]  st_rprice;
    reg           core_done;           // before everything was read
    wire          running = state == RUN || state == LOAD && overlap && !core_done;
    sas_core #(.NPE(NPE), .W(W), .IW(IW), .SW(SW), .SPEC(SPEC)) core (
        .clk(clk), .rst(reset || begins || state == CLEAR), .run(running),
        .agents(agents[IW-1:0]), .loaded(loaded), .epsilon(epsilon), .limit(limit),
        .word_we(word_we), .word_waddr(word_waddr), .word_wdata(word_wdata),
        .row_we(row_we), .row_waddr(row_waddr), .row_start(row_start), .row_words(row_words), .row_idle(row_idle),
        .st_we(warm_we || store_taken || state == CLEAR),
        .st_waddr(state == STORE ? swept : sweep[IW-1:0]),
        .st_wvalid(warm_we && read_word[63]), .st_wowner(warm_we ? read_word[32 +: IW] : {IW{1'b0}}),
        .st_wprice(warm_we ? read_word[W-1:0] : {W{1'b0}}),
        .st_re(store_step), .st_raddr(sweep[IW-1:0]),
        .st_rvalid(st_rvalid), .st_rowner(st_rowner), .st_rprice(st_rprice),
        .done(done), .complete(complete), .cycles(cycles), .iterations(iterations),
        .accepts(accepts), .misses(misses), .drops(drops)
    );

    reg  store_start;
    wire store_busy, store_failed;
    sas_axi_write writer (
        .clk(clk), .rst(reset || begins), .start(store_start), .address(result_lo), .words(objects),
        .valid(sweep_valid && state == STORE),
        .data({st_rvalid, {(31-IW){1'b0}}, st_rowner, {(32-W){1'b0}}, st_rprice}),
        .ready(store_ready), .busy(store_busy), .failed(store_failed),
        .awaddr(m_awaddr), .awlen(m_awlen), .awsize(m_awsize), .awburst(m_awburst),
        .awvalid(m_awvalid), .awready(m_awready),
        .wdata(m_wdata), .wstrb(m_wstrb), .wlast(m_wlast), .wvalid(m_wvalid), .wready(m_wready),
        .bresp(m_bresp), .bvalid(m_bvalid), .bready(m_bready)
    );

    assign busy = reading || store_start || store_busy;
    always @(posedge clk) begin
        read_start <= 1'b0;
        store_start <= 1'b0;
        if (state != IDLE && state != CLEAR) total <= total + 1;
        case (state)
            IDLE:
                if (begins) begin
                    state <= CHECK;
                    code <= ERROR_NONE;
                    core_done <= 1'b0;
                    sweep <= 0;
                    {load_cycles, store_cycles, total} <= 0;
                end
            CHECK:
                if (refused != ERROR_NONE) begin
                    code <= refused;
                    finished <= 1'b1;
                    state <= IDLE;
                end else begin
                    read_start <= 1'b1;
                    state <= warm ? WARM : LOAD;
                end
            WARM: begin
                load_cycles <= load_cycles + 1;
                if (warm_we) sweep <= sweep + 1'b1;
                if (!reading) begin
                    read_start <= 1'b1;
                    state <= LOAD;
                end
            end
            LOAD: begin
                load_cycles <= load_cycles + 1;
                if (running && done) core_done <= 1'b1;
                if (wrong != ERROR_NONE && ended) begin
                    code <= wrong;
                    {load_cycles, total} <= 0;
                    sweep <= 0;
                    state <= CLEAR;
                end else if (ended)
                    if (core_done || running && done) begin
                        store_start <= 1'b1;
                        sweep <= 0;
                        sweep_valid <= 1'b0;
                        state <= STORE;
                    end else state <= RUN;
            end
            RUN:
                if (done) begin
                    store_start <= 1'b1;
                    sweep <= 0;
                    sweep_valid <= 1'b0;
                    state <= STORE;
                end
            STORE: begin
                store_cycles <= store_cycles + 1;
                if (store_step) begin
                    sweep <= sweep + 1'b1;
                    swept <= sweep[IW-1:0];
                    sweep_valid <= 1'b1;
                end else if (store_taken) sweep_valid <= 1'b0;
                if (!store_start && !store_busy && !sweep_valid) begin
                    code <= store_failed ? ERROR_TRANSFER : complete ? ERROR_NONE : ERROR_LIMIT;
                    finished <= 1'b1;
                    state <= IDLE;
                end
            end
            CLEAR: begin
                sweep <= sweep + 1'b1;
                if (&sweep[IW-1:0]) begin
                    finished <= code != ERROR_NONE;
                    state <= IDLE;
                end
            end
            default: state <= CLEAR;
        endcase
        if (start) finished <= 1'b0;
        if (reset) begin
            state <= CLEAR;
            finished <= 1'b0;
            code <= ERROR_NONE;
            sweep <= 0;
            sweep_valid <= 1'b0;
            core_done <= 1'b0;
            {read_start, store_start} <= 0;
            {load_cycles, store_cycles, total} <= 0;
        end
    end
endmodule
`default_nettype wire
