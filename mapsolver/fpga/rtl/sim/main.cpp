// The accelerator in Verilator behind pipes: a line in, a line out.
//
//   r REGISTER            = value
//   w REGISTER VALUE      =
//   m OFFSET N WORD…      =              words of memory, written
//   d OFFSET N            = word…        words of memory
//   i CYCLES              = 1 or 0       waits for the interrupt, CYCLES at most
//   l CYCLES              =              latency of the memory
//   s SEED                =              memory that stutters; 0: it does not
//   q                                    ends
//
// Registers and counts are decimal, everything else is hexadecimal. sim/bench.v
// speaks the same language for Icarus.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

#include "Vsas_top.h"
#include "verilated.h"

namespace {

const uint64_t kWords = 1 << 22; // of memory

struct Burst {
    uint64_t word;
    int beats;
    uint64_t from; // cycle of the first beat
};

Vsas_top *top;
std::vector<uint64_t> memory(kWords);
uint64_t now, latency = 32;
uint32_t noise; // state of the stutter, 0: none
std::deque<Burst> reads, writes;
std::deque<bool> answers; // of bursts that are written: an error?

bool ready() {
    if (noise == 0) return true;
    noise ^= noise << 13;
    noise ^= noise >> 17;
    noise ^= noise << 5;
    return noise & 1;
}

// A cycle: inputs are set, outputs are read, then the clock rises.
void tick() {
    top->clk = 0;
    top->m_arready = ready();
    top->m_awready = ready();
    top->m_wready = ready() && !writes.empty();
    top->m_rvalid = !reads.empty() && reads.front().from <= now && ready();
    if (!reads.empty()) {
        uint64_t w = reads.front().word;
        top->m_rdata = w < kWords ? memory[w] : 0;
        top->m_rresp = w < kWords ? 0 : 2;
    }
    top->m_bvalid = !answers.empty();
    top->m_bresp = !answers.empty() && answers.front() ? 2 : 0;
    top->eval();
    if (top->m_rvalid && top->m_rready) {
        Burst &b = reads.front();
        b.word++;
        if (--b.beats == 0) reads.pop_front();
    }
    if (top->m_bvalid && top->m_bready) answers.pop_front();
    if (top->m_wvalid && top->m_wready) {
        Burst &b = writes.front();
        bool bad = b.word >= kWords;
        if (!bad) memory[b.word] = top->m_wdata;
        b.word++;
        if ((--b.beats == 0) != (top->m_wlast != 0)) {
            fprintf(stderr, "wlast at the wrong beat\n");
            exit(1);
        }
        if (b.beats == 0) {
            writes.pop_front();
            answers.push_back(bad);
        }
    }
    if (top->m_arvalid && top->m_arready)
        reads.push_back({top->m_araddr / 8, top->m_arlen + 1, now + latency});
    if (top->m_awvalid && top->m_awready)
        writes.push_back({top->m_awaddr / 8, top->m_awlen + 1, 0});
    top->clk = 1;
    top->eval();
    now++;
}

void writeRegister(unsigned r, uint32_t v) {
    top->s_awaddr = 4 * r;
    top->s_wdata = v;
    top->s_awvalid = top->s_wvalid = 1;
    top->s_bready = 1;
    top->clk = 0;
    top->eval();
    while (!top->s_awready) tick(), top->clk = 0, top->eval();
    tick();
    top->s_awvalid = top->s_wvalid = 0;
    while (!top->s_bvalid) tick();
    tick();
}

uint32_t readRegister(unsigned r) {
    top->s_araddr = 4 * r;
    top->s_arvalid = 1;
    top->s_rready = 1;
    top->clk = 0;
    top->eval();
    while (!top->s_arready) tick(), top->clk = 0, top->eval();
    tick();
    top->s_arvalid = 0;
    while (!top->s_rvalid) tick();
    uint32_t v = top->s_rdata;
    tick();
    return v;
}

} // namespace

int main() {
    top = new Vsas_top;
    top->rst = 1;
    for (int i = 0; i < 4; i++) tick();
    top->rst = 0;
    char command;
    while (scanf(" %c", &command) == 1) {
        unsigned long a = 0, n = 0;
        unsigned long long v = 0;
        switch (command) {
        case 'r':
            if (scanf("%lu", &a) != 1) return 1;
            printf("= %x\n", readRegister(a));
            break;
        case 'w':
            if (scanf("%lu %llx", &a, &v) != 2) return 1;
            writeRegister(a, v);
            printf("=\n");
            break;
        case 'm':
            if (scanf("%lu %lu", &a, &n) != 2 || a + n > kWords) return 1;
            for (unsigned long i = 0; i < n; i++) {
                if (scanf("%llx", &v) != 1) return 1;
                memory[a + i] = v;
            }
            printf("=\n");
            break;
        case 'd':
            if (scanf("%lu %lu", &a, &n) != 2 || a + n > kWords) return 1;
            printf("=");
            for (unsigned long i = 0; i < n; i++) printf(" %llx", (unsigned long long)memory[a + i]);
            printf("\n");
            break;
        case 'i':
            if (scanf("%lu", &n) != 1) return 1;
            for (; n > 0 && !top->irq; n--) tick();
            printf("= %d\n", top->irq);
            break;
        case 'l':
            if (scanf("%lu", &a) != 1) return 1;
            latency = a;
            printf("=\n");
            break;
        case 's':
            if (scanf("%lu", &a) != 1) return 1;
            noise = a;
            printf("=\n");
            break;
        case 'q':
            return 0;
        default:
            fprintf(stderr, "unknown command %c\n", command);
            return 1;
        }
        fflush(stdout);
    }
    return 0;
}
