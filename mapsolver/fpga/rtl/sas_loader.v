// The loader: from a stream of 64-bit words to rows and words of rewards.
//
// A stream has two entries of one agent in each word; a matrix has one reward of the
// row at hand, and its zeros are left out unless SPARSE is 0. Formats are stated in
// mapsolver/fpga/format.go. A word of rewards is written when it is full or its agent
// is at an end, and never an empty one. A row can be read two cycles after its
// last word came.

`default_nettype none

module sas_loader #(
    parameter NPE = 8,
    parameter W = 20,
    parameter IW = 11,
    parameter SW = 14,
    parameter SPARSE = 1
) (
    input  wire                  clk,
    input  wire                  rst,       // before each problem
    input  wire                  stream,    // else a matrix
    input  wire [IW-1:0]         agents,
    input  wire [IW-1:0]         objects,
    input  wire                  valid,
    /* verilator lint_off UNUSED */
    input  wire [63:0]           data,
    /* verilator lint_on UNUSED */

    output reg                   word_we,
    output reg  [SW-1:0]         word_waddr,
    output wire [NPE*(IW+W)-1:0] word_wdata,
    output reg                   row_we,
    output reg  [IW-1:0]         row_waddr,
    output reg  [SW-1:0]         row_start,
    output reg  [IW-1:0]         row_words,
    output reg                   row_idle,
    output reg  [IW-1:0]         loaded,
    output wire                  whole,     // as many rows as agents, none in part
    output reg                   bad_entry,
    output reg                   bad_length,
    output reg                   bad_storage
);
    localparam T = IW + W;
    localparam LW = $clog2(NPE) + 1;

    reg  [IW:0]      rows;                  // that have come
    reg  [IW-1:0]    column;                // of a matrix
    reg  [LW-1:0]    lane;                  // entries in the word at hand
    reg  [NPE*T-1:0] pack;                  // the word at hand
    reg              written;               // it has been, and the next one begins anew
    reg  [SW:0]      used;                  // words that are full
    reg  [SW-1:0]    start;                 // of the row at hand
    reg  [IW-1:0]    count;                 // words of the row at hand

    wire [W-1:0]  first_reward = data[W-1:0];
    wire [W-1:0]  second_reward = data[31 +: W];
    wire [IW-1:0] first_object = stream ? data[W +: IW] : column;
    wire [IW-1:0] second_object = data[31+W +: IW];
    wire          some = stream ? first_reward != 0 || second_reward != 0 : SPARSE == 0 || first_reward != 0;
    wire          last = stream ? data[63] : column + 1'b1 == objects;
    wire [T-1:0]  first = {first_reward != 0 || !stream ? first_object : {IW{1'b0}}, first_reward};
    wire [T-1:0]  second = {second_reward != 0 && stream ? second_object : {IW{1'b0}}, stream ? second_reward : {W{1'b0}}};
    wire [LW-1:0] step = stream ? 2 : 1;
    wire [LW-1:0] filled = some ? lane + step : lane;
    wire          full = {{(32-LW){1'b0}}, filled} == NPE;
    wire          flush = full || last && filled != 0;
    reg  [NPE*T-1:0] next;
    integer j;
    always @* begin
        next = written ? {(NPE*T){1'b0}} : pack;
        for (j = 0; j < NPE; j = j + 1)
            if (some && {{(32-LW){1'b0}}, lane} == j) begin
                next[j*T +: T] = first;
                if (j + 1 < NPE && stream) next[(j+1)*T +: T] = second;
            end
    end
    assign word_wdata = pack;
    wire too_many = rows == {1'b0, agents};
    wire wrong = stream && (first_reward != 0 && first_object >= objects || second_reward != 0 && second_object >= objects);

    assign whole = rows == {1'b0, agents} && lane == 0 && count == 0 && column == 0;

    always @(posedge clk) begin
        word_we <= valid && flush && !used[SW];
        word_waddr <= used[SW-1:0];
        row_we <= valid && last && !too_many;
        row_waddr <= rows[IW-1:0];
        row_start <= start;
        row_words <= count + {{(IW-1){1'b0}}, flush};
        row_idle <= stream && data[62];
        loaded <= loaded + {{(IW-1){1'b0}}, row_we};
        if (valid) begin
            bad_length <= bad_length || too_many && !bad_entry && !bad_storage;
            bad_entry <= bad_entry || wrong && !bad_length && !bad_storage && !too_many;
            bad_storage <= bad_storage || flush && used[SW] && !bad_length && !bad_entry && !too_many && !wrong;
            lane <= flush ? {LW{1'b0}} : filled;
            pack <= next;
            written <= flush;
            used <= used + {{SW{1'b0}}, flush && !used[SW]};
            count <= last ? {IW{1'b0}} : count + {{(IW-1){1'b0}}, flush};
            if (last) begin
                rows <= rows + {{IW{1'b0}}, !too_many};
                start <= used[SW-1:0] + {{(SW-1){1'b0}}, flush};
            end
            if (!stream) column <= last ? {IW{1'b0}} : column + 1'b1;
        end
        if (rst) begin
            {rows, column, lane, used, start, count} <= 0;
            written <= 1'b1;
            {loaded, row_we, word_we} <= 0;
            {bad_entry, bad_length, bad_storage} <= 0;
        end
    end
endmodule
`default_nettype wire
