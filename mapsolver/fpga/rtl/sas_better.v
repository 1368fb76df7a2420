`default_nettype none

// The better of two nodes of the tree, a of equal ones; the second best benefit is
// that of the loser or that of the winner.
module sas_better #(
    parameter W = 20,
    parameter IW = 11
) (
    input  wire [2*W+IW+W-1:0] a,
    input  wire [2*W+IW+W-1:0] b,
    output wire [2*W+IW+W-1:0] y
);
    localparam N = 2 * W + IW + W;
    wire [W-1:0] a1 = a[N-1 -: W], a2 = a[N-1-W -: W];
    wire [W-1:0] b1 = b[N-1 -: W], b2 = b[N-1-W -: W];
    wire         left = a1 >= b1;
    wire [W-1:0] second_a = b1 > a2 ? b1 : a2; // if a wins
    wire [W-1:0] second_b = a1 > b2 ? a1 : b2;
    assign y = {left ? a1 : b1, left ? second_a : second_b, left ? a[IW+W-1:0] : b[IW+W-1:0]};
endmodule
`default_nettype wire
