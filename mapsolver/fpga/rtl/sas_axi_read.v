// An AXI4 read master: as many 64-bit words as are asked for, in bursts of 8, from an
// address that is a multiple of 64. Whoever asks takes a word in every cycle.

`default_nettype none

module sas_axi_read (
    input  wire        clk,
    input  wire        rst,
    input  wire        start,
    input  wire [31:0] address,
    input  wire [31:0] words,
    output wire        valid,
    output wire [63:0] data,
    output reg         busy,          // from start until the last word has come
    output reg         failed,

    output reg  [31:0] araddr,
    output wire [7:0]  arlen,
    output wire [2:0]  arsize,
    output wire [1:0]  arburst,
    output wire        arvalid,
    input  wire        arready,
    input  wire [63:0] rdata,
    input  wire [1:0]  rresp,
    input  wire        rvalid,
    output wire        rready
);
    reg  [31:0] wanted;               // words that have not been asked for
    reg  [31:0] missing;              // words that have not come
    wire [31:0] burst = wanted < 8 ? wanted : 32'd8;
    assign arvalid = wanted != 0;
    /* verilator lint_off UNUSED */
    wire [31:0] beats = burst - 1;
    /* verilator lint_on UNUSED */
    assign arlen = {5'd0, beats[2:0]};
    assign arsize = 3'd3;
    assign arburst = 2'd1;
    assign rready = 1'b1;
    assign valid = rvalid && busy;
    assign data = rdata;
    always @(posedge clk) begin
        if (rst) begin
            {wanted, missing, busy, failed} <= 0;
        end else if (start) begin
            wanted <= words;
            missing <= words;
            araddr <= address;
            busy <= words != 0;
        end else begin
            if (arvalid && arready) begin
                wanted <= wanted - burst;
                araddr <= araddr + 64;
            end
            if (valid) begin
                missing <= missing - 1;
                if (missing == 1) busy <= 1'b0;
                if (rresp != 0) failed <= 1'b1;
            end
        end
    end
endmodule
`default_nettype wire
