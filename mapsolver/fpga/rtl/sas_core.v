// The core: from rewards on the chip to prices and owners.
//
// An agent that is taken in cycle t has its row at t+1, its first word of rewards at
// t+2, its prices at t+3, the benefits in the first level of the tree at t+4, the
// winner of the tree at t+4+log2(NPE), the bid over all words at t+5+log2(NPE), and
// is committed at t+6+log2(NPE). Whoever the commit sends back can be taken in the
// next cycle. Prices and owners that are written while they are being read are
// forwarded; each place says FORWARD.
//
// Package mapsolver/fpga/cycle is the model of this, timing Short.

`default_nettype none

module sas_core #(
    parameter NPE = 8,    // processing elements, a power of two, at least 4
    parameter W = 20,     // bits of a reward
    parameter IW = 11,    // bits of an index
    parameter SW = 14,    // bits of the address of a storage word
    parameter SPEC = 1    // 1: take an agent while others are on their way
) (
    input  wire                  clk,
    input  wire                  rst,      // forget agents and counters, not memories
    input  wire                  run,
    input  wire [IW-1:0]         agents,
    input  wire [IW-1:0]         loaded,   // agents whose rows are there
    input  wire [31:0]           epsilon,
    input  wire [31:0]           limit,

    input  wire                  word_we,  // rewards, from the loader
    input  wire [SW-1:0]         word_waddr,
    input  wire [NPE*(IW+W)-1:0] word_wdata,
    input  wire                  row_we,   // rows, from the loader
    input  wire [IW-1:0]         row_waddr,
    input  wire [SW-1:0]         row_start,
    input  wire [IW-1:0]         row_words,
    input  wire                  row_idle,

    input  wire                  st_we,    // prices and owners, while not running
    input  wire [IW-1:0]         st_waddr,
    input  wire                  st_wvalid,
    input  wire [IW-1:0]         st_wowner,
    input  wire [W-1:0]          st_wprice,
    input  wire                  st_re,    // read, while not running: data a cycle later
    input  wire [IW-1:0]         st_raddr,
    output wire                  st_rvalid,
    output wire [IW-1:0]         st_rowner,
    output wire [W-1:0]          st_rprice,

    output wire                  done,     // nobody is on the way and nobody is to be taken
    output wire                  complete, // with done: nobody waits
    output reg  [31:0]           cycles,
    output reg  [31:0]           iterations,
    output reg  [31:0]           accepts,
    output reg  [31:0]           misses,
    output reg  [31:0]           drops
);
    localparam LG = $clog2(NPE);
    localparam T = IW + W;             // an entry: the object above the reward
    localparam N = 2 * W + IW + W;     // a node of the tree: best, second, object, price

    // ---- S0: take an agent. First turns come before the queue.
    reg  [IW-1:0] turn;                // agents that have had their first turn
    reg  [IW:0]   waiting;             // agents in the queue
    reg  [5:0]    flying;              // agents on their way
    reg           s1_valid;
    wire [IW-1:0] queue_head;
    wire          s1_leave, s1_done;
    wire          first_turn = turn != loaded;
    wire          halted = limit != 0 && cycles >= limit;
    wire          calm = SPEC != 0 || flying == {5'd0, s1_leave};
    // An owner from the start may be outbid before its row is there; it waits for that.
    wire          queued = waiting != 0 && queue_head < turn;
    wire          take = run && !halted && (!s1_valid || s1_done) && calm && (first_turn || queued);
    wire          pop = take && !first_turn;
    wire [IW-1:0] taken = first_turn ? turn : queue_head;

    // ---- S1: the row, and the address of each of its words.
    (* ram_style = "block" *) reg [SW+IW:0] row_store [0:(1<<IW)-1];
    reg  [SW+IW:0] row;
    reg            s1_turn;
    reg  [IW-1:0]  s1_agent, s1_word;
    always @(posedge clk) begin
        if (row_we) row_store[row_waddr] <= {row_idle, row_words, row_start};
        if (take) row <= row_store[taken];
    end
    wire [IW-1:0] words = row[SW +: IW];
    wire          empty = words == 0;
    wire          idle = s1_turn && row[SW+IW];
    wire          s1_last = s1_word + 1'b1 == words;
    wire          s1_fetch = s1_valid && !s1_leave;
    assign s1_leave = s1_valid && (empty || idle);
    assign s1_done = s1_leave || s1_last;
    always @(posedge clk) begin
        if (rst) s1_valid <= 1'b0;
        else if (take) s1_valid <= 1'b1;
        else if (s1_done) s1_valid <= 1'b0;
        if (take) begin
            s1_agent <= taken;
            s1_turn <= first_turn;
            s1_word <= 0;
        end else s1_word <= s1_word + 1'b1;
    end

    // ---- S2: a word of rewards.
    (* ram_style = "block" *) reg [NPE*T-1:0] word_store [0:(1<<SW)-1];
    reg  [NPE*T-1:0] s2_data, s3_data;
    reg              s2_valid, s2_first, s2_last, s3_valid, s3_first, s3_last;
    reg  [IW-1:0]    s2_agent, s3_agent;
    /* verilator lint_off UNUSED */
    wire [31:0]      word_raddr = {{(32-SW){1'b0}}, row[SW-1:0]} + {{(32-IW){1'b0}}, s1_word};
    /* verilator lint_on UNUSED */
    always @(posedge clk) begin
        if (word_we) word_store[word_waddr] <= word_wdata;
        s2_data <= word_store[word_raddr[SW-1:0]];
        s3_data <= s2_data;
        s2_valid <= s1_fetch && !rst;
        s3_valid <= s2_valid && !rst;
        {s2_first, s2_last, s2_agent} <= {s1_word == 0, s1_last, s1_agent};
        {s3_first, s3_last, s3_agent} <= {s2_first, s2_last, s2_agent};
    end

    // ---- S3: prices and benefits, one copy of the prices for each element.
    wire          c_we;                // a bid wins in this cycle
    wire [IW-1:0] c_object;
    wire [W-1:0]  c_price;
    reg           c1_we;               // and in the one before
    reg  [IW-1:0] c1_object;
    reg  [W-1:0]  c1_price;
    wire          p_we = c_we || st_we;
    wire [IW-1:0] p_waddr = c_we ? c_object : st_waddr;
    wire [W-1:0]  p_wdata = c_we ? c_price : st_wprice;
    reg  [NPE*N-1:0] leaves;           // S4: the leaves of the tree
    genvar i, k;
    generate
        for (i = 0; i < NPE; i = i + 1) begin : pe
            (* ram_style = "block" *) reg [W-1:0] prices [0:(1<<IW)-1];
            reg  [W-1:0]  stored;
            always @(posedge clk) begin
                if (p_we) prices[p_waddr] <= p_wdata;
                stored <= prices[s2_data[i*T+W +: IW]];
            end
            wire [IW-1:0] object = s3_data[i*T+W +: IW];
            wire [W-1:0]  reward = s3_data[i*T +: W];
            // FORWARD what is written now and what was while the price was read.
            wire [W-1:0]  price = c_we && c_object == object ? c_price :
                                  c1_we && c1_object == object ? c1_price : stored;
            wire [W:0]    benefit = {1'b0, reward} - {1'b0, price};
            always @(posedge clk)
                leaves[i*N +: N] <= {benefit[W] ? {W{1'b0}} : benefit[W-1:0], {W{1'b0}}, object, price};
        end
    endgenerate

    // ---- S4 … S4+LG: the tree, a level in each cycle; node 1 is the root, and the
    // children of node k are 2k and 2k+1. The first of equal benefits wins.
    wire [N-1:0] root;
    generate
        for (k = 1; k < 2 * NPE; k = k + 1) begin : node
            wire [N-1:0] q;
            if (k >= NPE) begin : leaf
                assign q = leaves[(k-NPE)*N +: N];
            end else begin : inner
                reg  [N-1:0] best;
                wire [N-1:0] winner;
                sas_better #(.W(W), .IW(IW)) better (.a(node[2*k].q), .b(node[2*k+1].q), .y(winner));
                always @(posedge clk) best <= winner;
                assign q = best;
            end
        end
    endgenerate
    assign root = node[1].q;
    reg  [LG:0]       v_valid, v_first, v_last; // bit 0 is S4
    reg  [IW-1:0]     v_agent [0:LG];
    integer n;
    always @(posedge clk) begin
        v_valid <= rst ? {(LG+1){1'b0}} : {v_valid[LG-1:0], s3_valid};
        v_first <= {v_first[LG-1:0], s3_first};
        v_last <= {v_last[LG-1:0], s3_last};
        v_agent[0] <= s3_agent;
        for (n = 1; n <= LG; n = n + 1) v_agent[n] <= v_agent[n-1];
    end

    // ---- R: the winner over the words of an agent.
    reg  [N-1:0]  best;
    reg           r_valid;
    reg  [IW-1:0] r_agent;
    wire [N-1:0]  merged;
    sas_better #(.W(W), .IW(IW)) better (.a(best), .b(root), .y(merged));
    always @(posedge clk) begin
        if (v_valid[LG]) best <= v_first[LG] ? root : merged;
        r_valid <= v_valid[LG] && v_last[LG] && !rst;
        r_agent <= v_agent[LG];
    end

    // ---- B: the bid, while the price and the owner of its object are read.
    wire [W-1:0]  b_best = best[N-1 -: W];
    wire [W-1:0]  b_gap = b_best - best[N-1-W -: W];
    wire [IW-1:0] b_object = best[W +: IW];
    wire [31:0]   least = epsilon == 0 ? 32'd1 : epsilon;
    wire [31:0]   wanted = {{(32-W){1'b0}}, b_gap} < least ? least : {{(32-W){1'b0}}, b_gap};
    wire [W-1:0]  raise = wanted > {{(32-W){1'b0}}, b_best} ? b_best : wanted[W-1:0];
    reg           c_valid, c_wants;
    reg  [IW-1:0] c_agent, c_bid_object;
    reg  [W-1:0]  c_bid;
    (* ram_style = "block" *) reg [W+IW:0] owner_store [0:(1<<IW)-1];
    reg  [W+IW:0] owner;               // valid, owner, price
    wire [IW-1:0] o_raddr = run ? b_object : st_raddr;
    always @(posedge clk) begin
        c_valid <= r_valid && !rst;
        c_wants <= b_best != 0;
        c_agent <= r_agent;
        c_bid_object <= b_object;
        c_bid <= best[W-1:0] + raise;
        if (p_we) owner_store[p_waddr] <= c_we ? {1'b1, c_agent, c_price} : {st_wvalid, st_wowner, st_wprice};
        if (run || st_re) owner <= owner_store[o_raddr];
    end
    assign {st_rvalid, st_rowner, st_rprice} = owner;

    // ---- C: the commit.
    reg           c1_valid;
    reg  [IW-1:0] c1_agent;
    // FORWARD the commit of the cycle in which price and owner were read.
    wire          c_same = c1_we && c1_object == c_bid_object;
    wire [W-1:0]  c_now = c_same ? c1_price : owner[W-1:0];
    wire          c_owned = c_same ? c1_valid : owner[W+IW];
    wire [IW-1:0] c_owner = c_same ? c1_agent : owner[W +: IW];
    wire          c_wins = c_bid > c_now;
    wire          push = c_valid && c_wants && (!c_wins || c_owned);
    wire [IW-1:0] pushed = c_wins ? c_owner : c_agent;
    assign c_we = c_valid && c_wants && c_wins;
    assign c_object = c_bid_object;
    assign c_price = c_bid;
    always @(posedge clk) begin
        c1_we <= c_we && !rst;
        c1_valid <= 1'b1;
        c1_object <= c_object;
        c1_agent <= c_agent;
        c1_price <= c_price;
    end

    // ---- The queue. Its head is read ahead, so that who is pushed into an empty
    // queue can be taken in the next cycle.
    (* ram_style = "block" *) reg [IW-1:0] queue [0:(1<<IW)-1];
    reg  [IW-1:0] q_read, q_write, q_stored, q_pushed;
    reg           q_bypass;
    wire [IW-1:0] q_next = pop ? q_read + 1'b1 : q_read;
    assign queue_head = q_bypass ? q_pushed : q_stored;
    always @(posedge clk) begin
        if (push) queue[q_write] <= pushed;
        q_stored <= queue[q_next];
        q_bypass <= push && q_write == q_next; // FORWARD
        q_pushed <= pushed;
        q_read <= rst ? {IW{1'b0}} : q_next;
        q_write <= rst ? {IW{1'b0}} : q_write + {{(IW-1){1'b0}}, push};
        waiting <= rst ? {(IW+1){1'b0}} : waiting + {{IW{1'b0}}, push} - {{IW{1'b0}}, pop};
        turn <= rst ? {IW{1'b0}} : turn + {{(IW-1){1'b0}}, take && first_turn};
        // Someone may be taken, leave at S1 and be committed in the same cycle.
        flying <= rst ? 6'd0 : flying + {5'd0, take} - {5'd0, s1_leave} - {5'd0, c_valid};
    end

    // ---- The end, and what is counted.
    assign complete = turn == agents && waiting == 0;
    assign done = run && flying == 0 && (complete || halted);
    wire dropped = c_valid && !c_wants;
    wire gone = s1_leave && !idle;
    always @(posedge clk) begin
        if (rst) begin
            cycles <= 0;
            iterations <= 0;
            accepts <= 0;
            misses <= 0;
            drops <= 0;
        end else if (run) begin
            cycles <= cycles + 1;
            iterations <= iterations + {31'd0, c_valid};
            accepts <= accepts + {31'd0, c_we};
            misses <= misses + {31'd0, c_valid && c_wants && !c_wins};
            drops <= drops + {31'd0, dropped} + {31'd0, gone};
        end
    end
endmodule
`default_nettype wire
