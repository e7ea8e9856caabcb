// Generic code, closures, and panics that are caught.
use std::collections::BTreeMap;
use std::fs;
use std::panic;

#[inline(never)]
fn deeper(left: u32, words: &mut BTreeMap<String, usize>, then: &dyn Fn(u32) -> usize) -> usize {
    if left > 0 {
        return deeper(left - 1, words, then) + 1;
    }
    let mut numbers: Vec<u32> = (0..500).map(|n| n * 7919 % 1009).collect();
    numbers.sort_by(|a, b| b.cmp(a));
    for number in &numbers[..50] {
        *words.entry(format!("{:08x}", number)).or_insert(0) += then(*number);
    }
    words.len()
}

fn cpu_ticks() -> u64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut words = BTreeMap::new();
    let mut sum = 0;

    panic::set_hook(Box::new(|_| ()));
    while (cpu_ticks() as f64) < seconds * 100.0 {
        for _ in 0..100 {
            sum += deeper(9, &mut words, &|n| n.to_string().len());
        }
        sum += panic::catch_unwind(|| deeper(3, &mut BTreeMap::new(), &|_| panic!("caught")))
            .unwrap_or(1);
    }
    println!("{}", sum);
}
