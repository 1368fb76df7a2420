// An AXI4 write master: as many 64-bit words as are announced, in bursts of 8, to an
// address that is a multiple of 64.

`default_nettype none

module sas_axi_write (
    input  wire        clk,
    input  wire        rst,
    input  wire        start,
    input  wire [31:0] address,
    input  wire [31:0] words,
    input  wire        valid,         // a word to be written
    input  wire [63:0] data,
    output wire        ready,         // it is taken
    output wire        busy,          // from the cycle after start until all is confirmed
    output reg         failed,

    output reg  [31:0] awaddr,
    output wire [7:0]  awlen,
    output wire [2:0]  awsize,
    output wire [1:0]  awburst,
    output wire        awvalid,
    input  wire        awready,
    output wire [63:0] wdata,
    output wire [7:0]  wstrb,
    output wire        wlast,
    output wire        wvalid,
    input  wire        wready,
    input  wire [1:0]  bresp,
    input  wire        bvalid,
    output wire        bready
);
    reg  [31:0] wanted;               // words without an address
    reg  [31:0] missing;              // words that have not been written
    reg  [31:0] open;                 // bursts that have not been confirmed
    reg  [2:0]  beat;
    wire [31:0] burst = wanted < 8 ? wanted : 32'd8;
    /* verilator lint_off UNUSED */
    wire [31:0] beats = burst - 1;
    /* verilator lint_on UNUSED */
    assign awvalid = wanted != 0;
    assign awlen = {5'd0, beats[2:0]};
    assign awsize = 3'd3;
    assign awburst = 2'd1;
    assign wdata = data;
    assign wstrb = 8'hff;
    assign wlast = beat == 7 || missing == 1;
    assign wvalid = valid && missing != 0;
    assign ready = wready;
    assign bready = 1'b1;
    assign busy = wanted != 0 || missing != 0 || open != 0;
    always @(posedge clk) begin
        if (rst) begin
            {wanted, missing, open, beat, failed} <= 0;
        end else if (start) begin
            wanted <= words;
            missing <= words;
            awaddr <= address;
            open <= 0;
            beat <= 0;
        end else begin
            if (awvalid && awready) begin
                wanted <= wanted - burst;
                awaddr <= awaddr + 64;
            end
            if (wvalid && wready) begin
                missing <= missing - 1;
                beat <= beat + 1;
            end
            open <= open + {31'd0, awvalid && awready} - {31'd0, bvalid};
            if (bvalid && bresp != 0) failed <= 1'b1;
        end
    end
endmodule
`default_nettype wire
