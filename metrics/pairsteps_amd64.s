//go:build amd64 && !noasm

#include "textflag.h"

DATA one<>+0(SB)/8, $1.0
GLOBL one<>(SB), RODATA|NOPTR, $8

// func stepWeightsAVX2(weight, begun, ahead, next, own, step, tie []float64, first, second []int32, price []float64, length, share, rest float64)
TEXT ·stepWeightsAVX2(SB), NOSPLIT, $0-264
	MOVQ         weight_base+0(FP), AX
	MOVQ         weight_len+8(FP), R9
	MOVQ         begun_base+24(FP), BX
	MOVQ         ahead_base+48(FP), CX
	MOVQ         next_base+72(FP), DX
	MOVQ         own_base+96(FP), SI
	MOVQ         step_base+120(FP), DI
	MOVQ         tie_base+144(FP), R8
	MOVQ         first_base+168(FP), R10
	MOVQ         second_base+192(FP), R11
	MOVQ         price_base+216(FP), R12
	VBROADCASTSD length+240(FP), Y10
	VBROADCASTSD share+248(FP), Y13
	VBROADCASTSD rest+256(FP), Y14
	VBROADCASTSD one<>(SB), Y11
	VXORPD       Y12, Y12, Y12
	XORQ         R13, R13
	JMP          weights_test

weights_four:
	VMOVUPD    (AX)(R13*8), Y0
	VMOVDQU    (R10)(R13*4), X1
	VMOVDQU    (R11)(R13*4), X2
	VPCMPEQD   Y3, Y3, Y3
	VXORPD     Y4, Y4, Y4
	VGATHERDPD Y3, (R12)(X1*8), Y4
	VPCMPEQD   Y6, Y6, Y6
	VXORPD     Y5, Y5, Y5
	VGATHERDPD Y6, (R12)(X2*8), Y5
	VADDPD     (SI)(R13*8), Y4, Y4
	VADDPD     Y5, Y4, Y4
	VADDPD     8(R8)(R13*8), Y4, Y4
	VSUBPD     (R8)(R13*8), Y4, Y4
	VMULPD     (DI)(R13*8), Y10, Y5
	VMULPD     Y4, Y5, Y4
	VSUBPD     Y4, Y0, Y4
	VMINPD     Y11, Y4, Y4
	VMAXPD     Y12, Y4, Y4
	VMOVUPD    Y4, (CX)(R13*8)
	VADDPD     Y4, Y4, Y4
	VSUBPD     Y0, Y4, Y4
	VMOVUPD    Y4, (DX)(R13*8)
	VMULPD     Y13, Y4, Y4
	VMULPD     (BX)(R13*8), Y14, Y5
	VADDPD     Y5, Y4, Y4
	VMOVUPD    Y4, (AX)(R13*8)
	ADDQ       $4, R13

weights_test:
	CMPQ R13, R9
	JLT  weights_four
	VZEROUPPER
	RET

// func stepTiesAVX2(tie, begun, ahead, wide, next []float64, length, share, rest float64)
TEXT ·stepTiesAVX2(SB), NOSPLIT, $0-144
	MOVQ         tie_base+0(FP), AX
	MOVQ         tie_len+8(FP), R9
	MOVQ         begun_base+24(FP), BX
	MOVQ         ahead_base+48(FP), CX
	MOVQ         wide_base+72(FP), SI
	MOVQ         next_base+96(FP), DX
	VBROADCASTSD length+120(FP), Y10
	VBROADCASTSD share+128(FP), Y13
	VBROADCASTSD rest+136(FP), Y14
	VXORPD       Y12, Y12, Y12
	XORQ         R13, R13
	JMP          ties_test

ties_four:
	VMOVUPD (AX)(R13*8), Y0
	VMOVUPD (DX)(R13*8), Y1
	VSUBPD  8(DX)(R13*8), Y1, Y1
	VMULPD  Y10, Y1, Y1
	VADDPD  Y1, Y0, Y1
	VMOVUPD (SI)(R13*8), Y2
	VSUBPD  Y2, Y12, Y3
	VMINPD  Y2, Y1, Y1
	VMAXPD  Y3, Y1, Y1
	VMOVUPD Y1, (CX)(R13*8)
	VADDPD  Y1, Y1, Y1
	VSUBPD  Y0, Y1, Y1
	VMULPD  Y13, Y1, Y1
	VMULPD  (BX)(R13*8), Y14, Y2
	VADDPD  Y2, Y1, Y1
	VMOVUPD Y1, (AX)(R13*8)
	ADDQ    $4, R13

ties_test:
	CMPQ R13, R9
	JLT  ties_four
	VZEROUPPER
	RET

// func stepPricesAVX2(price, begun, ahead, pace, room, sum []float64, length, share, rest float64)
TEXT ·stepPricesAVX2(SB), NOSPLIT, $0-168
	MOVQ         price_base+0(FP), AX
	MOVQ         price_len+8(FP), R9
	MOVQ         begun_base+24(FP), BX
	MOVQ         ahead_base+48(FP), CX
	MOVQ         pace_base+72(FP), SI
	MOVQ         room_base+96(FP), DI
	MOVQ         sum_base+120(FP), DX
	VBROADCASTSD length+144(FP), Y10
	VBROADCASTSD share+152(FP), Y13
	VBROADCASTSD rest+160(FP), Y14
	VXORPD       Y12, Y12, Y12
	XORQ         R13, R13
	JMP          prices_test

prices_four:
	VMOVUPD (AX)(R13*8), Y0
	VMOVUPD (DX)(R13*8), Y1
	VMOVUPD Y12, (DX)(R13*8)
	VSUBPD  (DI)(R13*8), Y1, Y1
	VMULPD  (SI)(R13*8), Y10, Y2
	VMULPD  Y1, Y2, Y1
	VADDPD  Y1, Y0, Y1
	VMAXPD  Y12, Y1, Y1
	VMOVUPD Y1, (CX)(R13*8)
	VADDPD  Y1, Y1, Y1
	VSUBPD  Y0, Y1, Y1
	VMULPD  Y13, Y1, Y1
	VMULPD  (BX)(R13*8), Y14, Y2
	VADDPD  Y2, Y1, Y1
	VMOVUPD Y1, (AX)(R13*8)
	ADDQ    $4, R13

prices_test:
	CMPQ R13, R9
	JLT  prices_four
	VZEROUPPER
	RET
