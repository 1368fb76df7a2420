// This file adds the kernels of this folder to the card that is none.
#include "../../../mapsolver/cuda/kernels/emulate.cc"
#include "ascent.cu"
