// 75 % of the time is in busy::Worker::hot_a, 25 % in <Worker as Turn>::hot_b.
use std::arch::asm;

mod busy {
    pub struct Worker;

    pub trait Turn {
        fn hot_b(&self, rounds: u64);
    }

    impl Worker {
        #[inline(never)]
        pub fn hot_a(&self, rounds: u64) {
            super::hot_loop::<1>(rounds);
        }
    }

    impl Turn for Worker {
        #[inline(never)]
        fn hot_b(&self, rounds: u64) {
            super::hot_loop::<2>(rounds);
        }
    }
}

// The steps differ because the compiler makes one function of two that are equal.
#[inline(always)]
fn hot_loop<const STEP: u64>(mut rounds: u64) {
    unsafe {
        asm!(".p2align 6", "2:", "add rax, {1}", "dec {0}", "jnz 2b", inout(reg) rounds,
             in(reg) STEP, out("rax") _);
    }
    let _ = rounds;
}

fn main() {
    use busy::Turn;
    let worker = busy::Worker;
    let mut state: u64 = 1;

    // Turns of different lengths, as of workloads/hot_loop.h.
    loop {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let turn = 250000 + (state >> 32) % 500000;

        worker.hot_a(3 * turn);
        worker.hot_b(turn);
    }
}
