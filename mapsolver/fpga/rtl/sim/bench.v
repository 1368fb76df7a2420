// The accelerator in Icarus behind pipes: the language of main.cpp, but for the
// memory, which does not stutter.

`default_nettype none

module bench;
    parameter NPE = 8;
    parameter W = 20;
    parameter IW = 11;
    parameter SW = 14;
    parameter SPEC = 1;
    parameter SPARSE = 1;
    localparam WORDS = 1 << 18;     // of memory
    localparam IN = 32'h8000_0000, OUT = 32'h8000_0001;

    reg         clk = 0, rst = 1;
    wire        irq;
    reg  [31:0] s_awaddr = 0, s_wdata = 0, s_araddr = 0;
    reg         s_awvalid = 0, s_wvalid = 0, s_arvalid = 0;
    wire        s_awready, s_wready, s_bvalid, s_arready, s_rvalid;
    wire [31:0] s_rdata;
    wire [31:0] m_araddr, m_awaddr;
    wire [7:0]  m_arlen, m_awlen;
    wire        m_arvalid, m_rready, m_awvalid, m_wvalid, m_wlast;
    wire [63:0] m_wdata;
    reg  [63:0] m_rdata = 0;
    reg  [1:0]  m_rresp = 0;
    reg         m_rvalid = 0, m_wready = 0, m_bvalid = 0;

    sas_top #(.NPE(NPE), .W(W), .IW(IW), .SW(SW), .SPEC(SPEC), .SPARSE(SPARSE)) top (
        .clk(clk), .rst(rst), .irq(irq),
        .s_awaddr(s_awaddr), .s_awvalid(s_awvalid), .s_awready(s_awready),
        .s_wdata(s_wdata), .s_wvalid(s_wvalid), .s_wready(s_wready),
        .s_bresp(), .s_bvalid(s_bvalid), .s_bready(1'b1),
        .s_araddr(s_araddr), .s_arvalid(s_arvalid), .s_arready(s_arready),
        .s_rdata(s_rdata), .s_rresp(), .s_rvalid(s_rvalid), .s_rready(1'b1),
        .m_araddr(m_araddr), .m_arlen(m_arlen), .m_arsize(), .m_arburst(),
        .m_arvalid(m_arvalid), .m_arready(1'b1),
        .m_rdata(m_rdata), .m_rresp(m_rresp), .m_rvalid(m_rvalid), .m_rready(m_rready),
        .m_awaddr(m_awaddr), .m_awlen(m_awlen), .m_awsize(), .m_awburst(),
        .m_awvalid(m_awvalid), .m_awready(1'b1),
        .m_wdata(m_wdata), .m_wstrb(), .m_wlast(m_wlast), .m_wvalid(m_wvalid), .m_wready(m_wready),
        .m_bresp(2'd0), .m_bvalid(m_bvalid), .m_bready()
    );

    // Memory: bursts wait in rings; the first beat comes latency cycles after its
    // burst was asked for, then one in each cycle.
    reg  [63:0] memory [0:WORDS-1];
    reg  [28:0] read_word [0:1023], write_word [0:1023];
    reg  [8:0]  read_beats [0:1023], write_beats [0:1023];
    integer     read_from [0:1023];
    integer     reads = 0, read_done = 0, writes = 0, write_done = 0, answers = 0;
    integer     now = 0, latency = 32;

    // A cycle: inputs are set while the clock is low, outputs are read before it rises.
    task tick;
        begin
            clk = 0;
            m_rvalid = read_done != reads && read_from[read_done & 1023] <= now;
            m_rresp = read_word[read_done & 1023] < WORDS ? 2'd0 : 2'd2;
            m_rdata = memory[read_word[read_done & 1023] & (WORDS - 1)];
            m_wready = write_done != writes;
            m_bvalid = answers != 0;
            #1;
            if (m_rvalid && m_rready) begin
                read_word[read_done & 1023] = read_word[read_done & 1023] + 1;
                read_beats[read_done & 1023] = read_beats[read_done & 1023] - 1;
                if (read_beats[read_done & 1023] == 0) read_done = read_done + 1;
            end
            if (m_bvalid) answers = answers - 1;
            if (m_wvalid && m_wready) begin
                memory[write_word[write_done & 1023] & (WORDS - 1)] = m_wdata;
                write_word[write_done & 1023] = write_word[write_done & 1023] + 1;
                write_beats[write_done & 1023] = write_beats[write_done & 1023] - 1;
                if (m_wlast != (write_beats[write_done & 1023] == 0)) begin
                    $display("wlast at the wrong beat");
                    $finish;
                end
                if (m_wlast) begin
                    write_done = write_done + 1;
                    answers = answers + 1;
                end
            end
            if (m_arvalid) begin
                read_word[reads & 1023] = m_araddr[31:3];
                read_beats[reads & 1023] = m_arlen + 1;
                read_from[reads & 1023] = now + latency;
                reads = reads + 1;
            end
            if (m_awvalid) begin
                write_word[writes & 1023] = m_awaddr[31:3];
                write_beats[writes & 1023] = m_awlen + 1;
                writes = writes + 1;
            end
            clk = 1;
            #1;
            now = now + 1;
        end
    endtask

    integer     status, a, n, i;
    reg  [63:0] v;
    reg  [7:0]  command;
    reg         stop;
    initial begin
        for (i = 0; i < 4; i = i + 1) tick;
        rst = 0;
        stop = 0;
        while (!stop) begin
            status = $fscanf(IN, " %c", command);
            if (status != 1) command = "q";
            case (command)
                "r": begin
                    status = $fscanf(IN, "%d", a);
                    s_araddr = 4 * a;
                    s_arvalid = 1;
                    #1 while (!s_arready) tick;
                    tick;
                    s_arvalid = 0;
                    while (!s_rvalid) tick;
                    v = s_rdata;
                    tick;
                    $display("= %0h", v);
                end
                "w": begin
                    status = $fscanf(IN, "%d %h", a, v);
                    s_awaddr = 4 * a;
                    s_wdata = v;
                    s_awvalid = 1;
                    s_wvalid = 1;
                    #1 while (!s_awready) tick;
                    tick;
                    s_awvalid = 0;
                    s_wvalid = 0;
                    while (!s_bvalid) tick;
                    tick;
                    $display("=");
                end
                "m": begin
                    status = $fscanf(IN, "%d %d", a, n);
                    for (i = 0; i < n; i = i + 1) begin
                        status = $fscanf(IN, "%h", v);
                        memory[a + i] = v;
                    end
                    $display("=");
                end
                "d": begin
                    status = $fscanf(IN, "%d %d", a, n);
                    $write("=");
                    for (i = 0; i < n; i = i + 1) $write(" %0h", memory[a + i]);
                    $display("");
                end
                "i": begin
                    status = $fscanf(IN, "%d", n);
                    while (n > 0 && irq !== 1) begin
                        tick;
                        n = n - 1;
                    end
                    $display("= %0d", irq);
                end
                "l": begin
                    status = $fscanf(IN, "%d", latency);
                    $display("=");
                end
                "s": begin
                    status = $fscanf(IN, "%d", a);
                    $display("=");
                end
                default: stop = 1;
            endcase
            $fflush(OUT);
        end
        $finish;
    end
endmodule
`default_nettype wire
