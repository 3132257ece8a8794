pub fn dump(_: &super::Game) -> String {
    String::new()
}
