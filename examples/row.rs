use parlour::engine::Engine; use parlour::jit::Compiled; use parlour::num::Rng; use parlour::play::Rules; use parlour::source::Source;
use std::collections::BTreeMap;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&a[1]).unwrap();
    let rules = Rules::load(Source::new("x.game", &text)).unwrap();
    let players: usize = a[2].parse().unwrap();
    let max: u64 = a[3].parse().unwrap();
    let m = rules.machine(&BTreeMap::new(), players).unwrap();
    let c = Compiled::new(rules.machine(&BTreeMap::new(), players).unwrap());
    let (mut x, mut y) = (Rng::new(0), Rng::new(0));
    for i in 0..6 {
        let n: u64 = 1 + i % 3;
        let mut l = vec![]; 
        let r1 = m.playouts(&mut x, max, n, &mut |p, k| l.push((k, p.clone())));
        let mut l2 = vec![];
        let r2 = c.playouts(&mut y, max, n, &mut |s, k| l2.push((k, c.position(s))));
        println!("{i} {:?} {:?} | {:?} {:?} same {} stream {} handed {}", r1.map_err(|f|f.message.clone()), l.iter().map(|p|p.0).collect::<Vec<_>>(), r2.map_err(|f|f.message.clone()), l2.iter().map(|p|p.0).collect::<Vec<_>>(), l==l2, x.state==y.state, c.handed_over());
        if l!=l2 { for (p,q) in l.iter().zip(&l2) { if p!=q { println!("{:?}\n{:?}", p.1, q.1); break; } } }
    }
}
