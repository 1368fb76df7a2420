// The AXI4-Lite slave: reads and writes of 32-bit registers, one at a time.

`default_nettype none

module sas_registers (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] awaddr,
    input  wire        awvalid,
    output wire        awready,
    input  wire [31:0] wdata,
    input  wire        wvalid,
    output wire        wready,
    output wire [1:0]  bresp,
    output reg         bvalid,
    input  wire        bready,
    input  wire [31:0] araddr,
    input  wire        arvalid,
    output wire        arready,
    output reg  [31:0] rdata,
    output wire [1:0]  rresp,
    output reg         rvalid,
    input  wire        rready,

    input  wire        hold,          // writes wait
    output wire        write,         // in this cycle
    output wire [5:0]  write_index,
    output wire [31:0] write_data,
    output wire [5:0]  read_index,
    input  wire [31:0] read_data      // of read_index
);
    assign write = awvalid && wvalid && !bvalid && !hold;
    assign write_index = awaddr[7:2];
    assign write_data = wdata;
    assign awready = write;
    assign wready = write;
    assign bresp = 2'd0;
    assign arready = !rvalid;
    assign read_index = araddr[7:2];
    assign rresp = 2'd0;
    /* verilator lint_off UNUSED */
    wire unused = &{awaddr[31:8], awaddr[1:0], araddr[31:8], araddr[1:0]};
    /* verilator lint_on UNUSED */
    always @(posedge clk) begin
        if (rst) begin
            bvalid <= 1'b0;
            rvalid <= 1'b0;
        end else begin
            if (write) bvalid <= 1'b1;
            else if (bready) bvalid <= 1'b0;
            if (arvalid && arready) begin
                rvalid <= 1'b1;
                rdata <= read_data;
            end else if (rready) rvalid <= 1'b0;
        end
    end
endmodule
`default_nettype wire
